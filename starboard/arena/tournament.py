"""Everyone against everyone, in blocks that are kept as they are finished."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from starboard import loops
from starboard.arena.match import check_games, choose_spec, play_games
from starboard.arena.standings import Standings, standings_of
from starboard.arena.store import Facts, GameResult, Pairing, Store, Thinking
from starboard.bots import Player, choose_actions, is_bot, make_player
from starboard.spec import GameSpec
from starboard.state import FRESH, as_count, as_seed, view

BLOCK = 16
"""Deals in a block, unless told otherwise."""
GAMES = 100
"""Games of each pairing, unless told otherwise, or a few more so that each seat is played as often."""


@dataclass(frozen=True)
class Entrant:
    """A player of an arena."""

    identity: str
    """What makes it the same player: a bot's name, or the SHA-256 of an agent's file."""
    label: str
    """What it is called: as it was given."""
    make: Callable[[int], Player]
    """Makes it afresh from a seed."""


def round_robin(
    players: Sequence[str | Path],
    game: str | GameSpec | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    out: str | Path,
    games: int | None = None,
    seed: int = 0,
    block: int = BLOCK,
    progress: Callable[[int, int, str], None] | None = None,
) -> Standings:
    """Let all ``players`` play each other, keep the games in the folder ``out``, and rank all who ever played there.

    With two seats everyone meets everyone. With more, a pairing is a set of players for all seats: every set of
    different players or, where there are fewer players than seats, every choice of at least two with repetition. Each
    deal is played in as many rotations of the seats as there are seats, and all pairings play the same deals.

    Games are played and kept in blocks, whose players are made afresh from seeds that follow from ``seed``, the pairing
    and the block's number alone. So it can be stopped at any time, by a kill as well; called again, it goes on, and the
    games are those of an undisturbed run. Further calls may add games and players. A last block that is shorter than
    the others is played again in full when more games are asked for.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     standings = round_robin(["random", "greedy"], "astralis", {"size": 3}, out=folder, games=20)
    >>> [(standing.player, standing.games) for standing in standings.players]
    [('greedy', 20), ('random', 20)]

    :param players: names of bots and files of saved agents, all different.
    :param game: a name or a spec; None takes that of a saved agent, or the only game installed.
    :param options: of the game, if it is named; those left out are the saved agent's, or the defaults.
    :param out: folder of the arena; made if it is not there.
    :param games: of each pairing, a multiple of the number of seats; None takes 100, rounded up to one.
    :param seed: decides the deals, and with the pairings all that players draw; None draws one.
    :param block: how many deals make a block. A network decides for up to ``block * seats`` games at once.
    :param progress: called with the number of games played, of all that were asked for, and who is playing.
    :raises ValueError: for arguments that are not allowed, for an unknown player, for an agent of another game, if
        ``out`` holds games of another game, version, option, seed or block, or if it is damaged.
    :raises TypeError: for an option that the game does not have.
    :raises FileExistsError: if another process plays in ``out``, or if it is a file.
    """
    spec = choose_spec(list(players), game, options)
    games = check_games(spec, -(-GAMES // spec.num_players) * spec.num_players if games is None else games)
    facts = Facts.of(spec, int(as_seed(seed)), as_count("block", block))
    entrants = {entrant.identity: entrant for entrant in (entrant_of(player, spec) for player in players)}
    labels = {identity: entrant.label for identity, entrant in entrants.items()}
    if len(players) < 2 or len(entrants) < len(players):
        raise ValueError(f"players: must be at least two different ones, not {', '.join(map(str, players))}")
    with Store(out, facts) as store:
        store.rename(labels)
        played = store.blocks()
        sizes = [min(block, games // spec.num_players - first) for first in range(0, games // spec.num_players, block)]
        asked = [
            (pairing, number, size * spec.num_players)
            for number, size in enumerate(sizes)
            for pairing in pairings(list(entrants), spec.num_players)
        ]
        total = sum(size for *_, size in asked)
        finished = sum(size for pairing, number, size in asked if played.get((pairing, number), 0) >= size)
        if finished < total:
            _warm_up(spec, entrants)
        for pairing, number, size in asked:
            if played.get((pairing, number), 0) >= size:
                continue
            names = " - ".join(labels[player] for player in pairing)

            def tell(done: int, _: int, before: int = finished, names: str = names) -> None:
                if progress is not None:
                    progress(before + done, total, names)

            players_of = {player: entrants[player] for player in sorted(set(pairing))}
            results, thinking = _play_block(spec, facts, players_of, pairing, number, size // spec.num_players, tell)
            store.commit(pairing, number, results, labels, thinking)
            finished += size
        standings = standings_of(store)
    standings.write(out)
    return standings


def pairings(players: Sequence[str], seats: int) -> list[Pairing]:
    """Who plays whom: identities in sorted order, one for each seat.

    >>> pairings(["a", "b", "c"], 2)
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> pairings(["a", "b"], 3)
    [('a', 'a', 'b'), ('a', 'b', 'b')]
    """
    ordered = sorted(players)
    if len(ordered) >= seats:
        return list(combinations(ordered, seats))
    return [chosen for chosen in combinations_with_replacement(ordered, seats) if len(set(chosen)) > 1]


def entrant_of(player: str | Path, spec: GameSpec) -> Entrant:
    """``player``, once it has been made for a try."""
    if not isinstance(player, (str, Path)):
        raise TypeError(f"player {player!r}: must be a bot's name or a file, so that it can be known again")
    label = str(player)
    if is_bot(player) or not Path(player).is_file():
        make_player(label, spec, 0)
        return Entrant(f"bot {label}", label, lambda seed: make_player(label, spec, seed))
    from starboard.agents import Agent, load_agent  # torch is imported here, and only for saved agents

    data = Path(player).read_bytes()
    agent = load_agent(player, spec=spec)
    if Path(player).read_bytes() != data:
        raise ValueError(f"player {label!r}: the file was written at the same time; try again")
    identity = f"sha256 {hashlib.sha256(data).hexdigest()}"
    return Entrant(identity, label, lambda seed: Agent(agent.network, spec, agent.info, seed))


def _warm_up(spec: GameSpec, entrants: Mapping[str, Entrant]) -> None:
    """Let everybody decide once: what is compiled or loaded meanwhile does not count as thinking."""
    records = np.zeros(1, spec.state_dtype)
    loops.reset(spec.params, records, FRESH, np.uint64(0), np.zeros(1, np.int64))
    for entrant in entrants.values():
        choose_actions(entrant.make(0), records, FRESH, *view(spec, records, FRESH))


def _play_block(
    spec: GameSpec,
    facts: Facts,
    entrants: Mapping[str, Entrant],
    pairing: Pairing,
    block: int,
    deals: int,
    progress: Callable[[int, int], None],
) -> tuple[list[GameResult], dict[str, Thinking]]:
    """The games of one block, and what each player had to think."""
    seats = spec.num_players
    starts = np.zeros(deals, spec.state_dtype)
    loops.reset(spec.params, starts, np.arange(deals), np.uint64(facts.seed), np.full(deals, block, np.int64))
    records = np.repeat(starts, seats)
    rotations = np.tile(np.arange(seats), deals)
    who = np.array([list(entrants).index(player) for player in pairing])
    seating = who[(np.arange(seats) + rotations[:, np.newaxis]) % seats]
    players = [
        entrant.make(_player_seed(facts.seed, pairing, block, entrant.identity)) for entrant in entrants.values()
    ]
    played = play_games(spec, players, records, seating, len(records), progress)
    results = [
        GameResult(
            deal=block * facts.block + game // seats,
            rotation=game % seats,
            returns=tuple(returns),
            plies=int(records["ply"][game]),
            ended="terminated" if records["terminated"][game] else "truncated",
        )
        for game, returns in enumerate(played.returns.tolist())
    ]
    spent = zip(entrants, played.decisions.tolist(), played.seconds.tolist(), strict=True)
    return results, {player: Thinking(decisions, seconds) for player, decisions, seconds in spent}


def _player_seed(seed: int, pairing: Pairing, block: int, player: str) -> int:
    text = json.dumps([seed, pairing, block, player])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
