"""Tree search: what it keeps of the kernels' speed, beside OpenSpiel's searches, and how long decisions take.

    pip install 'starboard-envs[bench]' open_spiel
    python benchmarks/search.py

First searches with random playouts to the end, in positions of random games: the plies played in them, beside those of
games that are only played at random. Then simulations on Astralis' full board, beside OpenSpiel's two searches, in
Python and in C++, on havannah's board of the same size, with one random rollout each: from the start, and from
positions some plies later. Last, decisions with each game's own constants, as the players `mcts:100` and `mcts:1000`
make them.
"""

from __future__ import annotations

import itertools
import random
from typing import Any, NamedTuple

import numpy as np
from report import Comparison, arguments, save, say, show

from starboard.benchmark import CALIBRATION, Chunk, Rates, aligned, grouped, interleave, playouts, python_loop
from starboard.bots import MctsBot
from starboard.registry import load
from starboard.search import Tree
from starboard.spec import GameSpec, Search
from starboard.testing import walk

GAMES = ("asteria", "asterion", "astralis")
THEIRS = "havannah(board_size=8)"
TO_THE_END = Search(heuristic=False, plies=None)
POSITIONS = 64
START, LATER = 0, 40
"""Plies from the start to the positions that are searched beside OpenSpiel."""


class Part(NamedTuple):
    """Some of what is measured."""

    title: str
    unit: str
    chunks: dict[str, Chunk]
    comparisons: list[Comparison]


def positions(spec: GameSpec, ply: int | None = None) -> np.ndarray:
    """``POSITIONS`` records out of random games, at ``ply`` or anywhere."""
    found = [
        game.state.records.copy()
        for game in walk(spec, games=POSITIONS)
        if not game.state.over and ply in (None, len(game.actions))
    ]
    return np.concatenate(random.Random(0).sample(found, POSITIONS))


def searching(spec: GameSpec, records: np.ndarray, simulations: int, unit: str) -> Chunk:
    """A search to the end from the next of ``records``."""
    tree, numbers = Tree(spec, simulations, TO_THE_END), itertools.count()

    def chunk() -> int:
        number, before = next(numbers), tree.plies
        tree.plant()
        tree.grow(records, number % len(records), np.uint64(number), simulations)
        return tree.plies - before if unit == "plies" else simulations

    return chunk


def deciding(spec: GameSpec, records: np.ndarray, simulations: int, together: int, threads: int = 1) -> Chunk:
    """Decisions with the game's own constants in the next ``together`` of ``records``, in one call."""
    bot, numbers = MctsBot(spec, simulations, 0, threads=threads), itertools.count()

    def chunk() -> int:
        bot.act(records, (next(numbers) * together + np.arange(together)) % len(records))
        return together

    return chunk


def openspiel(simulations: int, ply: int) -> dict[str, Chunk]:
    """A search by each of OpenSpiel's from the next of some positions at ``ply``.

    :raises ImportError: if it is not installed.
    """
    import pyspiel
    from open_spiel.python.algorithms import mcts

    game, draw, states = pyspiel.load_game(THEIRS), random.Random(0), []
    while len(states) < POSITIONS:
        state = game.new_initial_state()
        while state.move_number() < ply and not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))
        if not state.is_terminal():
            states.append(state)
    random_state = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, random_state)
    bots = {
        "C++": pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 0), 2.0, simulations, 1000, True, 0, False),
        "Python": mcts.MCTSBot(game, 2.0, simulations, evaluator, random_state=random_state),
    }

    def search(bot: Any) -> Chunk:
        following = itertools.cycle(states)
        return lambda: bot.mcts_search(next(following)).explore_count  # fewer where the game is solved before

    return {name: search(bot) for name, bot in bots.items()}


def beside_playouts(simulations: int) -> Part:
    """Plies in searches to the end, and in games that are only played."""
    part = Part(f"Searches with random playouts to the end, {simulations:,} simulations each.", "plies", {}, [])
    for name in GAMES:
        spec = load(name)
        part.chunks[f"{name}, playouts"] = playouts(spec)
        part.chunks[f"{name}, search"] = searching(spec, positions(spec), simulations, "plies")
        part.comparisons.append((f"{name}, search", f"{name}, playouts", 0.6))
    return part


def beside_openspiel(simulations: int) -> Part:
    """Simulations of Astralis, and of havannah by OpenSpiel.

    :raises ImportError: if OpenSpiel is not installed.
    """
    title = f"The same on Astralis' full board, beside OpenSpiel's MCTSBot on {THEIRS}."
    part = Part(title, "simulations", {}, [])
    spec = load("astralis")
    for ply in (START, LATER):
        ours = f"astralis, ply {ply}"
        part.chunks[ours] = searching(spec, positions(spec, ply), simulations, part.unit)
        for name, chunk in openspiel(simulations, ply).items():
            theirs = f"OpenSpiel in {name}, ply {ply}"
            part.chunks[theirs] = chunk
            part.comparisons.append((ours, theirs, 5.0 if name == "Python" else 1.0))
    return part


def own_constants(simulations: int) -> Part:
    """Decisions with each game's own constants."""
    title = f"Each game's own constants; {POSITIONS} positions in each call of mcts:{simulations // 10}, else one."
    part = Part(title, "decisions", {CALIBRATION: python_loop}, [])
    for name in GAMES:
        spec = load(name)
        records = positions(spec)
        one, two = few = [f"{name}, mcts:{simulations // 10}{threads}" for threads in ("", ", 2 threads")]
        for threads, chunk in enumerate(few, 1):
            part.chunks[chunk] = deciding(spec, records, simulations // 10, POSITIONS, threads)
        part.chunks[f"{name}, mcts:{simulations}"] = deciding(spec, records, simulations, 1)
        part.comparisons.append((two, one, None))
    return part


def durations(rates: dict[str, Rates]) -> str:
    """What a decision takes, and how many simulations a second that is."""
    rows = [["milliseconds a decision", "median", "lowest", "highest", "simulations a second"]]
    for name, found in rates.items():
        times = [f"{1000 / rate:.3g}" for rate in (found.median, found.high, found.low)]
        rows.append([name, *times, grouped(int(name.split(":")[1]) * found.median)])
    return "\n".join(aligned(rows))


def main() -> None:
    args = arguments(__doc__, rounds=5, seconds=0.5, file=True, simulations=1000)
    if args.quick:
        args.simulations = 10
    parts = [beside_playouts(args.simulations)]
    try:
        parts.append(beside_openspiel(args.simulations))
    except ImportError as error:
        say(f"skipped: OpenSpiel cannot be imported ({error}); pip install open_spiel")
    parts.append(own_constants(args.simulations))
    chunks = {name: chunk for part in parts for name, chunk in part.chunks.items()}
    rates = interleave(chunks, args.rounds, args.seconds, progress=say)
    for part in parts:
        show(part.title, part.unit, {name: rates[name] for name in part.chunks}, part.comparisons)
        print()
    print(durations({name: found for name, found in rates.items() if name.split(":")[-1].isdigit()}))
    if args.json is not None:
        units = {name: part.unit for part in parts for name in part.chunks}
        save(args.json, units, rates, [comparison for part in parts for comparison in part.comparisons])


if __name__ == "__main__":
    main()
