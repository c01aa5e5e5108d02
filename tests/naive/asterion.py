"""Asterion, played slowly and plainly: the oracle that the kernel is tested against.

It follows the clauses one by one (their numbers stand beside the branches) and shares no table, cache or trick with
the kernel. Spaces are pairs ``(x, y)`` with north up, so ``(0, 1)`` lies north of Asterion; what is joined to what is
found by walking through the corridors, from the start each time.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Space = tuple[int, int]
Opening = tuple[Space, str]

LETTERS = "NESW"
STEP = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}

CENTRE = (0, 0)
RADIUS = {2: 3, 3: 4, 4: 5}  # AN-2.1
REMOVALS = {2: 5, 3: 4, 4: 2}  # AN-2.1
MARGIN = 20


@dataclass(frozen=True)
class Card:
    """A card as it is printed (AN-1.2).

    :param corridors: the letters of each corridor's openings.
    :param prisoner: number of the corridor that the prisoner lies in; ``None`` without a prisoner.
    :param wings: number of wings in each corridor.
    :param coins: number of coins in each corridor.
    """

    name: str
    corridors: tuple[str, ...]
    prisoner: int | None
    wings: tuple[int, ...]
    coins: tuple[int, ...]


def card(name: str, corridors: str, prisoner: str | None, wings: str = "", coins: str = "") -> Card:
    """A card from words: ``card("T07", "NE S", "S", coins="NE")``. Corridors may be named several times."""
    names = corridors.split()
    return Card(
        name,
        tuple(names),
        None if prisoner is None else names.index(prisoner),
        tuple(wings.split().count(corridor) for corridor in names),
        tuple(coins.split().count(corridor) for corridor in names),
    )


ASTERION = card("Asterion", "NESW", None)  # AN-1.4

# AN-1.3, copied by hand.
REFERENCE = (
    card("T01", "N", "N"),
    card("T02", "NE", "NE", wings="NE"),
    card("T03", "N E", "N", coins="E"),
    card("T04", "NS", "NS"),
    card("T05", "N S", "N", wings="S"),
    card("T06", "NES", "NES", coins="NES"),
    card("T07", "NE S", "S", coins="NE"),
    card("T08", "ES N", "N", wings="ES"),
    card("T09", "NS E", "E", coins="NS"),
    card("T10", "N E S", "E", coins="N"),
    card("T11", "NESW", "NESW"),
    card("T12", "NES W", "W", coins="NES"),
    card("T13", "NE SW", "NE", coins="SW"),
    card("T14", "NE S W", "S", wings="NE"),
    card("T15", "NS E W", "E"),
    card("T16", "N E S W", "N", coins="S"),
    card("T17", "NS EW", "NS", wings="EW"),
)


class Laid(NamedTuple):
    """A card on the board: the openings of its corridors as it lies there."""

    card: Card
    owner: int | None
    turns: int
    corridors: tuple[frozenset[str], ...]


class Part(NamedTuple):
    """A connected part of the labyrinth."""

    openings: frozenset[Opening]
    exits: int
    wings: int
    coins: int


def next_to(space: Space, letter: str) -> Space:
    """The space in that direction, which may lie off the board."""
    dx, dy = STEP[letter]
    return (space[0] + dx, space[1] + dy)


def turned(corridor: str, turns: int) -> frozenset[str]:
    """The openings of a corridor after clockwise quarter turns (AN-5.1): N becomes E after one."""
    return frozenset(LETTERS[(LETTERS.index(letter) + turns) % 4] for letter in corridor)


def first_at_random(player: int, deck: set[str]) -> str:
    """A card of the deck, the same each time."""
    return random.Random(f"{player} {sorted(deck)}").choice(sorted(deck))


class NaiveAsterion:
    """One game of Asterion.

    :param players: 2 to 4 (AN-2.1).
    :param mode: ``"crete"`` or ``"basic"`` (AN-2.1, AN-2.3).
    :param discard: ``"choose"`` or ``"random"`` (AN-2.2); the basic mode removes nothing.
    :param standard_scoring: whether impaled prisoners score (AN-3.4).
    :param reward: ``"result"`` (AN-4.5) or ``"margin"``: the mean lead over the others in twentieths of points, each
        lead no more than 1.
    :param table_radius: of the table in the basic mode (AN-2.3).
    :param cards: the 17 cards that each player has (AN-1.3): name, corridors, prisoner, wings, coins.
    :param removed: for ``discard="random"`` in crete, and only there: names of the cards removed, for each player.
    :param draw: called with a player and the names in their deck, says which card they draw.
    :raises ValueError: ``removed`` missing, not wanted, or not as many as AN-2.1 says.

    Attributes, with one entry for each player where it is a list: ``to_move``, ``ply`` (actions played, removals and
    passes included), ``terminated``, ``hands`` (name or ``None``), ``decks``, ``removed``, ``aside`` (sets of names),
    ``to_remove`` (removals still to do), ``points`` (of AN-3.4), ``board`` (space -> :class:`Laid`), ``tombs`` (spaces
    whose prisoner has one).
    """

    def __init__(
        self,
        players: int = 2,
        mode: str = "crete",
        discard: str = "choose",
        standard_scoring: bool = True,
        reward: str = "result",
        table_radius: int = 12,
        cards: Sequence[Any] = REFERENCE,
        removed: Sequence[Iterable[str]] | None = None,
        draw: Callable[[int, set[str]], str] = first_at_random,
    ) -> None:
        self.players = players
        self.standard_scoring = standard_scoring
        self.reward = reward
        self.cards = {printed.name: printed for printed in cards}
        self._draw_card = draw
        radius = RADIUS[players] if mode == "crete" else table_radius
        # AN-5.1: row by row from the north, and within a row with x ascending.
        span = range(-radius, radius + 1)
        self.spaces: list[Space] = [(x, y) for y in reversed(span) for x in span if abs(x) + abs(y) <= radius]

        self.to_move = 0  # AN-2.5
        self.ply = 0
        self.terminated = False
        self.points = [0] * players
        self.hands: list[str | None] = [None] * players
        self.decks: list[set[str]] = [set(self.cards) for _ in range(players)]
        self.removed: list[set[str]] = [set() for _ in range(players)]
        self.aside: list[set[str]] = [set() for _ in range(players)]
        self.to_remove = [REMOVALS[players] if mode == "crete" else 0] * players
        self.board: dict[Space, Laid] = {}
        self.tombs: set[Space] = set()
        self._lay(CENTRE, ASTERION, None, 0)  # AN-1.4

        if (removed is not None) != (mode == "crete" and discard == "random"):
            raise ValueError('removed goes with discard="random" in crete, and only with it')
        for player, names in enumerate(removed or ()):
            for name in names:
                self._remove(player, name)
        if removed is not None and any(self.to_remove):
            raise ValueError(f"each player removes {REMOVALS[players]} cards")
        if not any(self.to_remove):
            self._first_cards()

    # Cards.

    def _remove(self, player: int, name: str) -> None:
        self.decks[player].remove(name)
        self.removed[player].add(name)
        self.to_remove[player] -= 1

    def _first_cards(self) -> None:
        """Everybody draws their first card (AN-2.4)."""
        for player in range(self.players):
            self._draw(player)

    def _draw(self, player: int) -> None:
        """Draw a card, if there is one (AN-3.5)."""
        self.hands[player] = None
        if self.decks[player]:
            name = self._draw_card(player, set(self.decks[player]))
            assert name in self.decks[player], f"{name} is not in the deck of player {player}: {self.decks[player]}"
            self.decks[player].remove(name)
            self.hands[player] = name

    def give(self, player: int, name: str) -> None:
        """Put the player's hand back into the deck and take ``name`` out of it: not in the rules, for tests.

        :raises ValueError: the player has no such card in hand or deck.
        """
        hand = self.hands[player]
        assert hand is not None
        if name not in self.decks[player] | {hand}:
            raise ValueError(f"player {player} has no {name} to come")
        self.decks[player] = (self.decks[player] | {hand}) - {name}
        self.hands[player] = name

    def set_decks_aside(self) -> None:
        """Leave everybody the card in hand, as if all others had been set aside: not in the rules, for tests."""
        for player in range(self.players):
            self.aside[player] |= self.decks[player]
            self.decks[player] = set()

    @property
    def layout(self) -> dict[Space, tuple[str, int, int]]:
        """The cards laid: space -> name, owner, turns."""
        return {
            space: (laid.card.name, laid.owner, laid.turns)
            for space, laid in self.board.items()
            if laid.owner is not None
        }

    # Corridors. One is named by its space and its number on the card.

    def joined_corridors(self, space: Space, number: int) -> set[tuple[Space, int]]:
        """All corridors of the connected part that the corridor belongs to, itself included."""
        found = {(space, number)}
        waiting = [(space, number)]
        while waiting:
            here, number = waiting.pop(0)
            for letter in self.board[here].corridors[number]:
                there = next_to(here, letter)
                if there not in self.board:
                    continue
                for other, corridor in enumerate(self.board[there].corridors):
                    # AN-3.1: an opening against a wall is a dead end.
                    if OPPOSITE[letter] in corridor and (there, other) not in found:
                        found.add((there, other))
                        waiting.append((there, other))
        return found

    def asterions_corridors(self) -> set[tuple[Space, int]]:
        """All corridors joined to Asterion."""
        return self.joined_corridors(CENTRE, 0)

    def openings(self, corridors: Iterable[tuple[Space, int]]) -> set[Opening]:
        """The openings of these corridors."""
        return {(space, letter) for space, number in corridors for letter in self.board[space].corridors[number]}

    def exits(self, corridors: Iterable[tuple[Space, int]]) -> set[Opening]:
        """Those of the openings that lead outside: to an empty space or over the edge of the board (AN-3.3)."""
        return {opening for opening in self.openings(corridors) if next_to(*opening) not in self.board}

    def wings(self, corridors: Iterable[tuple[Space, int]]) -> int:
        """How many wings these corridors hold (AN-4.3: tombs or not)."""
        return sum(self.board[space].card.wings[number] for space, number in corridors)

    def coins(self, corridors: Iterable[tuple[Space, int]]) -> int:
        """How many coins these corridors hold (AN-4.3: tombs or not)."""
        return sum(self.board[space].card.coins[number] for space, number in corridors)

    def parts(self) -> set[Part]:
        """All connected parts."""
        found = set()
        waiting = {(space, number) for space, laid in self.board.items() for number in range(len(laid.corridors))}
        while waiting:
            part = self.joined_corridors(*next(iter(waiting)))
            waiting -= part
            found.add(Part(frozenset(self.openings(part)), len(self.exits(part)), self.wings(part), self.coins(part)))
        return found

    def joined_to_asterion(self) -> set[Opening]:
        """All openings joined to Asterion, those of his own card included."""
        return self.openings(self.asterions_corridors())

    def joined_to_outside(self) -> set[Opening]:
        """All openings joined to the outside."""
        return {opening for part in self.parts() if part.exits for opening in part.openings}

    # What may be done.

    @property
    def pass_action(self) -> int:
        """The number of the pass, the last action (AN-5.1)."""
        return len(self.spaces) * 4 + len(self.cards)

    def is_removing(self) -> bool:
        """Whether a card is still to be removed (AN-2.2)."""
        return any(self.to_remove)

    def removable(self) -> list[str]:
        """The cards that the player to move may remove now: ascending, and enough higher ones remain (AN-2.2)."""
        names = list(self.cards)
        mine = self.removed[self.to_move]
        found = []
        for number, name in enumerate(names):
            higher = len(names) - 1 - number
            ascending = all(names.index(other) < number for other in mine)
            if ascending and higher >= self.to_remove[self.to_move] - 1:
                found.append(name)
        return found

    def free_spaces(self) -> list[Space]:
        """The empty spaces next to a card, inside the board, in order (AN-3.1)."""
        near = {next_to(space, letter) for space in self.board for letter in LETTERS}
        return [space for space in self.spaces if space in near and space not in self.board]

    def exits_after(self, name: str, space: Space, turns: int) -> set[Opening]:
        """What would lead Asterion outside with that card laid there, its own corridors included (AN-3.3)."""
        self._lay(space, self.cards[name], None, turns)
        exits = self.exits(self.asterions_corridors())
        del self.board[space]
        return exits

    def legal_actions(self) -> list[int]:
        """The numbers of the legal actions (AN-5.1), ascending; none after the end."""
        if self.terminated:
            return []
        if self.is_removing():
            first = len(self.spaces) * 4
            return [first + list(self.cards).index(name) for name in self.removable()]
        hand = self.hands[self.to_move]
        assert hand is not None
        actions = [
            self.spaces.index(space) * 4 + turns
            for space in self.free_spaces()
            for turns in range(4)
            if self.exits_after(hand, space, turns)  # AN-3.2
        ]
        return actions or [self.pass_action]  # AN-3.5

    def is_legal(self, action: int) -> bool:
        """Whether the action is among the legal ones; of a placement, without a look at all others."""
        hand = self.hands[self.to_move]
        space = self.spaces[action // 4] if 0 <= action < len(self.spaces) * 4 else None
        if hand is None or space is None:
            return action in self.legal_actions()
        return space in self.free_spaces() and self.exits_after(hand, space, action % 4) != set()

    # Playing.

    def play(self, action: int) -> None:
        """Play one action.

        :raises ValueError: the action is not legal.
        """
        if not self.is_legal(action):
            raise ValueError(f"action {action} is not legal")
        me = self.to_move
        self.ply += 1
        if self.is_removing():
            self._remove(me, list(self.cards)[action - len(self.spaces) * 4])
            if self.to_remove[me] == 0:  # AN-2.2: seat after seat.
                self.to_move = (me + 1) % self.players
            if not self.is_removing():
                self._first_cards()
            return
        hand = self.hands[me]
        assert hand is not None
        if action == self.pass_action:
            self.aside[me].add(hand)  # AN-3.5
        else:
            self._lay(self.spaces[action // 4], self.cards[hand], me, action % 4)
            self._impale(me)
        self._draw(me)  # AN-3.5
        self.to_move = (me + 1) % self.players
        if self.hands[self.to_move] is None:  # AN-4.1
            assert self.hands == [None] * self.players  # AN-3.5: in the same round.
            assert self.to_move == 0
            self.terminated = True

    def _lay(self, space: Space, printed: Any, owner: int | None, turns: int) -> None:
        corridors = tuple(turned(corridor, turns) for corridor in printed.corridors)
        self.board[space] = Laid(printed, owner, turns, corridors)

    def prisoners(self) -> dict[Space, int]:
        """The living prisoners: space -> owner."""
        return {
            space: laid.owner
            for space, laid in self.board.items()
            if laid.owner is not None and space not in self.tombs
        }

    def _impale(self, active: int) -> None:
        """Impale every prisoner that is joined to Asterion (AN-3.4)."""
        reached = self.asterions_corridors()
        for space, owner in self.prisoners().items():
            if (space, self.board[space].card.prisoner) in reached:
                self.tombs.add(space)
                if self.standard_scoring:
                    self.points[active] += -1 if owner == active else 1

    # Results.

    def escaping(self) -> dict[Space, int]:
        """The prisoners that escape as the board stands (AN-4.2): space -> coins that they take (AN-4.3)."""
        found = {}
        for space in self.prisoners():
            part = self.joined_corridors(space, self.board[space].card.prisoner)
            if self.exits(part) or self.wings(part) >= 2:
                found[space] = self.coins(part)
        return found

    def results(self) -> dict[str, list[float]]:
        """As the board stands, for each player: scores, escapes, coinless escapes, own prisoners impaled."""
        escaping = self.escaping()

        def taken(player: int) -> list[int]:
            return [coins for space, coins in escaping.items() if self.board[space].owner == player]

        seats = range(self.players)
        return {
            "scores": [self.points[player] + sum(taken(player)) for player in seats],
            "escapes": [len(taken(player)) for player in seats],
            "coinless_escapes": [taken(player).count(0) for player in seats],
            "tombs": [sum(self.board[space].owner == player for space in self.tombs) for player in seats],
        }

    def winners(self) -> list[int]:
        """Who wins as the board stands (AN-4.4)."""
        results = self.results()
        ranks = list(zip(results["scores"], results["coinless_escapes"], strict=True))
        return [player for player in range(self.players) if ranks[player] == max(ranks)]

    def returns(self) -> list[float]:
        """What each player gets (AN-4.5, or the margin); zeros before the end."""
        n = self.players
        if not self.terminated:
            return [0.0] * n
        if self.reward == "margin":
            scores = self.results()["scores"]
            return [
                sum(max(-1, min(1, (mine - score) / MARGIN)) for j, score in enumerate(scores) if j != i) / (n - 1)
                for i, mine in enumerate(scores)
            ]
        winners = self.winners()
        k = len(winners)
        if k == n:
            return [0.0] * n
        return [(n - k) / (k * (n - 1)) if player in winners else -1 / (n - 1) for player in range(n)]

    def observation(self, player: int) -> list[list[int]]:
        """What ``player`` sees: rows of one number for each space, in index order.

        For each of N, E, S, W a row: is there an opening? Then for NE, NS, NW, ES, EW, SW: are the two joined within
        the card? Again for N, E, S, W each: is it of the prisoner's corridor; wings in its corridor; coins in its
        corridor; is it joined to Asterion; is it joined to the outside? Then tombs, and for each player, the observer
        first, their cards. In the last rows stand the counters, then zeros: removing, over, seats until the mover, the
        observer's seat, standard scoring; removals left, cards to come, points above 0 and points below 0 of each; one
        for each card: in the own hand, removed, in the deck; and, of each other player, may be with them unseen.
        """
        seats = [(player + i) % self.players for i in range(self.players)]
        asterion, outside = self.joined_to_asterion(), self.joined_to_outside()

        def corridor(space: Space, letter: str) -> int | None:
            corridors = self.board[space].corridors if space in self.board else ()
            return next((number for number, letters in enumerate(corridors) if letter in letters), None)

        def row(value: Callable[[Space, Any, int], int], letter: str) -> list[int]:
            """``value`` of the card and the corridor with that opening, 0 where there is none."""
            found = [(space, corridor(space, letter)) for space in self.spaces]
            return [
                0 if number is None else int(value(space, self.board[space].card, number)) for space, number in found
            ]

        rows = [row(lambda space, card, number: 1, letter) for letter in LETTERS]
        rows += [
            row(lambda space, card, number, other=other: corridor(space, other) == number, letter)
            for letter, other in ("NE", "NS", "NW", "ES", "EW", "SW")
        ]
        rows += [row(lambda space, card, number: card.prisoner == number, letter) for letter in LETTERS]
        rows += [row(lambda space, card, number: card.wings[number], letter) for letter in LETTERS]
        rows += [row(lambda space, card, number: card.coins[number], letter) for letter in LETTERS]
        for joined in (asterion, outside):
            rows += [[int((space, letter) in joined) for space in self.spaces] for letter in LETTERS]
        rows.append([int(space in self.tombs) for space in self.spaces])
        for seat in seats:
            rows.append([int(space in self.board and self.board[space].owner == seat) for space in self.spaces])

        counters = [
            int(self.is_removing()),
            int(self.terminated),
            0 if self.terminated else (self.to_move - player) % self.players,
            player,
            int(self.standard_scoring),
        ]
        unseen = [self.decks[seat] | self.removed[seat] | {self.hands[seat]} for seat in range(self.players)]
        counters += [self.to_remove[seat] for seat in seats]
        counters += [len(self.decks[seat]) + (self.hands[seat] is not None) for seat in seats]
        counters += [max(self.points[seat], 0) for seat in seats] + [max(-self.points[seat], 0) for seat in seats]
        for names in ({self.hands[player]}, self.removed[player], self.decks[player]):
            counters += [int(name in names) for name in self.cards]
        for seat in seats[1:]:
            counters += [int(name in unseen[seat]) for name in self.cards]
        width = len(self.spaces)
        counters += [0] * (-len(counters) % width)
        return rows + [counters[i : i + width] for i in range(0, len(counters), width)]

    # Notation (AN-5.1).

    def notation(self, action: int) -> str:
        """The action in words: ``(1,-2)3``, ``-T05`` or ``pass``.

        :raises ValueError: there is no such action.
        """
        if not 0 <= action <= self.pass_action:
            raise ValueError(f"there is no action {action}")
        if action == self.pass_action:
            return "pass"
        if action >= len(self.spaces) * 4:
            return "-" + list(self.cards)[action - len(self.spaces) * 4]
        x, y = self.spaces[action // 4]
        return f"({x},{y}){action % 4}"

    def parse(self, text: str) -> int:
        """The action that :meth:`notation` writes as ``text``, legal now or not.

        :raises ValueError: the text names no action.
        """
        for action in range(self.pass_action + 1):
            if self.notation(action) == text:
                return action
        raise ValueError(f"{text!r} is no action")


def perft(game: Any, depth: int) -> int:
    """How many sequences of exactly ``depth`` actions the game has from here, each draw as it comes."""
    if depth == 0:
        return 1
    count = 0
    for action in game.legal_actions():
        after = copy.deepcopy(game)
        after.play(action)
        count += perft(after, depth - 1)
    return count
