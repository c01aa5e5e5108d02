"""Asteria, played slowly and plainly: the oracle that the kernel is tested against.

It follows the clauses one by one (their numbers stand beside the branches) and shares no table, cache or trick with
the kernel. A game is one long coroutine that reads like the rulebook: wherever a player decides, it yields a
:class:`Decision` and goes on with the choice that it is sent. Choices are tuples such as ``("play", 7, 0, "expand")``;
the numbers in them are those of cards and slots.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SIDES = ("extract", "expand", "explore", "exterminate")
HALVES = ("first", "second")
RESOURCES = ("ore", "energy")
CONQUESTS = {"military": 3, "exploration": 2, "technological": 2, "economic": 1}
"""The points that each is worth (AT-6.1)."""
SLOTS = range(3)  # AT-2.3
MOST = 12  # AT-3.3

Choice = tuple[Any, ...]
Steps = Generator["Decision", Choice, Any]
"""A part of the game: it asks for choices, and may return something."""


class GameOver(Exception):
    """Raised where the game ends, however deep in a turn that is."""


@dataclass
class Decision:
    """What is to be decided, by which seat, and the ways there are."""

    kind: str
    seat: int
    choices: list[Choice]


class Card:
    """An action card: its number in the deck, what is printed on it, and the side it shows while it is in play."""

    def __init__(self, number: int, printed: Any) -> None:
        self.number = number
        self.printed = printed
        self.side: str | None = None

    def face(self, side: str) -> Any:
        """What is printed on that side."""
        return self.printed.sides[SIDES.index(side)]

    def effects(self, when: str) -> list[int]:
        """The indices of the shown side's effects that happen then (AT-1.2: only the chosen side counts)."""
        assert self.side is not None
        return [index for index, effect in enumerate(self.face(self.side).effects) if effect.when == when]

    def shows(self, side: str) -> bool:
        return self.side == side


class Planet:
    """A planet card: its number in the deck and what is printed on it."""

    def __init__(self, number: int, printed: Any) -> None:
        self.number = number
        self.printed = printed


class Row:
    """What one player has on an open planet: their cards, the last one on top (AT-4.5), and their marker."""

    def __init__(self) -> None:
        self.cards: list[Card] = []
        self.marker: int | None = None

    def free_card(self) -> Card | None:
        """AT-4.5."""
        return self.cards[-1] if self.cards else None


class OpenPlanet:
    """A planet on the table, between the two players' rows.

    ``first_half_at`` is the seat on whose side its first half lies; ``None`` while that is being decided.
    """

    def __init__(self, card: Planet, first_half_at: int | None = None) -> None:
        self.card = card
        self.first_half_at = first_half_at
        self.rows = [Row(), Row()]

    def track(self, seat: int) -> list[tuple[int, int]]:
        """All spaces from that player's edge to the far side (AT-1.3)."""
        first, second = self.card.printed.halves
        near, far = (first, second) if self.first_half_at == seat else (second, first)
        return [*near, *reversed(far)]

    def markers_meet(self) -> bool:
        """Whether both markers are on one space (AT-5.1)."""
        ours, theirs = (row.marker for row in self.rows)
        if ours is None or theirs is None:
            return False
        spaces = range(len(self.track(0)))
        return spaces[ours] == spaces[::-1][theirs]


class Pile:
    """A deck and its discard pile."""

    def __init__(self, cards: Iterable[Any]) -> None:
        self.deck = list(cards)
        self.discarded: list[Any] = []

    def draw(self, below: Callable[[int], int]) -> Any:
        """A card at random; ``None`` if there is none in either pile (AT-4.14)."""
        if not self.deck:
            self.deck, self.discarded = by_number(self.discarded), []
        if not self.deck:
            return None
        return self.deck.pop(below(len(self.deck)))


class Player:
    """What a player has."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.resources = {"ore": 2, "energy": 2}  # AT-2.1
        self.hand: list[Card] = []
        self.planets: list[Planet] = []
        """Planet cards in hand."""
        self.area: list[Card] = []
        """Expand cards in the play area."""
        self.dominated: list[Planet] = []
        self.committed: Planet | None = None
        self.conquests: set[str] = set()

    def gain(self, resource: str, amount: int) -> None:
        """Gain, or lose if ``amount`` is negative (AT-3.3)."""
        self.resources[resource] = max(0, min(MOST, self.resources[resource] + amount))

    def gain_all(self, pair: Sequence[int]) -> None:
        """Gain ore and energy."""
        for resource, amount in zip(RESOURCES, pair, strict=True):
            self.gain(resource, amount)

    def points(self) -> int:
        return sum(CONQUESTS[name] for name in self.conquests)


@dataclass(eq=False)
class Frame:
    """Effects of one side of a card that are still to do, for their owner."""

    owner: Player
    card: Card
    side: str
    left: list[int]

    def effect(self, index: int) -> Any:
        return self.card.face(self.side).effects[index]


Waiting = tuple[Frame, int]
"""An effect that waits: its index, and the frame that it is part of."""


def by_number(cards: Iterable[Any]) -> list[Any]:
    """The cards in the order of their numbers."""
    return sorted(cards, key=lambda card: card.number)


def names(cards: Iterable[Any]) -> list[str]:
    """The cards' names, in the order of their numbers."""
    return [card.printed.name for card in by_number(cards)]


def all_choices(actions: int, planets: int) -> list[Choice]:
    """Every choice, in the order of its number (AT-7.1)."""
    all_sides = [(card, slot, side) for card in range(actions) for slot in SLOTS for side in SIDES]
    return [
        *[("play", *play) for play in all_sides],
        *[("spend", planet, half) for planet in range(planets) for half in HALVES],
        ("claim",),
        ("end",),
        *[("effect", card, side, index) for card in range(actions) for side in SIDES for index in range(3)],
        *[("rotate", slot, side) for slot in SLOTS for side in SIDES],
        *[("turn", half) for half in HALVES],
        *[("discard_action", card) for card in range(actions)],
        *[("discard_planet", planet) for planet in range(planets)],
        *[("destroy", slot) for slot in SLOTS],
        *[("swap", resource) for resource in RESOURCES],
        *[("order", slot) for slot in SLOTS],
        *[("commit", planet) for planet in range(planets)],
        ("commit", None),
        *[("give_up", card) for card in range(actions)],
        ("decline",),
    ]


class NaiveAsteria:
    """One game of Asteria.

    :param deck: the cards: :class:`asteria_envs.cards.Deck`, or what looks like it.
    :param errata: whether the errata of February 2026 hold (AT-6.5).
    :param first_player: ``"random"``, ``"0"`` or ``"1"`` (AT-2.2).
    :param max_turns: turns after which the game ends (AT-6.6).
    :param seed: of chance, where ``below`` is not given.
    :param below: called with n for each number that chance decides, says which of ``0 .. n-1``. At the start: who is
        first (if random), three action cards and a planet card for seat 0, as many for seat 1, then two planets, each
        followed by the side of its first half. A card drawn is the n-th of the deck in the order of the file.

    Attributes, with one entry for each player or slot where it is a list: ``terminated``, ``ply`` (actions played),
    ``decision`` (kind, or ``None`` after the end), ``to_move``, ``active``, ``turn``, ``idle``; ``resources``,
    ``hands``, ``planet_hands``, ``areas``, ``dominated``, ``committed``, ``conquests``, ``points``; ``planets``,
    ``flips``, ``markers``, ``rows``; ``action_deck``, ``action_discard``, ``planet_deck``, ``planet_discard``,
    ``turned``. Cards are named, those in rows with the side that they show.
    """

    def __init__(
        self,
        deck: Any,
        errata: bool = True,
        first_player: str = "random",
        max_turns: int = 200,
        seed: int = 0,
        below: Callable[[int], int] | None = None,
    ) -> None:
        self._made_with = (deck, errata, first_player, max_turns)
        self._below = below or random.Random(seed).randrange
        self._drawn: list[int] = []
        self._history: list[tuple[Callable[..., None], Mapping[str, Any]]] = []
        self.errata = errata
        self.max_turns = max_turns
        self.half = deck.half
        self.cards = [Card(number, printed) for number, printed in enumerate(deck.actions)]
        self.planet_cards = [Planet(number, printed) for number, printed in enumerate(deck.planets)]
        self._choices = all_choices(len(self.cards), len(self.planet_cards))
        self._numbers = {choice: number for number, choice in enumerate(self._choices)}

        self.ply = 0
        self.terminated = False
        self.turn = 0
        self.idle = 0
        self.players = [Player(0), Player(1)]
        self.slots: list[OpenPlanet | None] = [None for _ in SLOTS]
        self.actions = Pile(self.cards)
        self.planet_pile = Pile(self.planet_cards)
        self.queue: list[Frame] = []
        self._to_decide: Decision | None = None

        first = self.below(2) if first_player == "random" else int(first_player)  # AT-2.2
        self._active = self.players[first]
        for player in self.players:  # AT-2.1
            player.hand = by_number(self.actions.draw(self.below) for _ in range(3))
            player.planets = [self.planet_pile.draw(self.below)]
        for _ in range(2):  # AT-2.2
            self._open_at_random()
        self._run(self._whole_game())

    # Chance, copies, and positions for tests.

    def below(self, n: int) -> int:
        """The next number that chance decides, of ``0 .. n-1``."""
        number = self._below(n)
        assert 0 <= number < n
        self._drawn.append(number)
        return number

    def __deepcopy__(self, memo: dict[int, Any]) -> NaiveAsteria:
        """The game played again, with the same numbers of chance; a coroutine cannot be copied."""
        numbers = iter(self._drawn)
        twin = NaiveAsteria(*self._made_with, below=lambda n: next(numbers))
        for method, arguments in self._history:
            method(twin, **arguments)
        twin._below = copy.deepcopy(self._below, memo)
        return twin

    def set_up(
        self,
        *,
        player: int,
        turn: int,
        idle: int,
        resources: Sequence[Sequence[int]],
        hands: Sequence[Sequence[str]],
        planet_hands: Sequence[Sequence[str]],
        areas: Sequence[Sequence[str]],
        dominated: Sequence[Sequence[str]],
        conquests: Sequence[Iterable[str]],
        planets: Sequence[str | None],
        flips: Sequence[int],
        rows: Mapping[tuple[int, int], Sequence[tuple[str, str]]],
        markers: Mapping[tuple[int, int], int],
        action_deck: Sequence[str],
        planet_deck: Sequence[str],
    ) -> None:
        """Put everything where it is said to be, at the start of stage 2 of ``player``: not in the rules, for tests.

        All action and planet cards that are not named lie in the discard piles.
        """
        arguments = {name: value for name, value in locals().items() if name != "self"}
        self._history.append((NaiveAsteria.set_up, arguments))
        cards: dict[str, Any] = {card.printed.name: card for card in [*self.cards, *self.planet_cards]}
        for card in self.cards:
            card.side = None

        def take(named: Iterable[str], side: str | None = None) -> list[Any]:
            found = [cards.pop(name) for name in named]
            for card in found:
                if side is not None:
                    card.side = side
            return found

        for seat, one in enumerate(self.players):
            one.resources = dict(zip(RESOURCES, resources[seat], strict=True))
            one.hand, one.planets = by_number(take(hands[seat])), by_number(take(planet_hands[seat]))
            one.area, one.dominated = take(areas[seat], "expand"), take(dominated[seat])
            one.committed, one.conquests = None, set(conquests[seat])
        for slot in SLOTS:
            name = planets[slot]
            there = self.slots[slot] = None if name is None else OpenPlanet(take([name])[0], flips[slot])
            if there is not None:
                for seat, row in enumerate(there.rows):
                    row.cards = [take([name], side)[0] for name, side in rows.get((slot, seat), ())]
                    row.marker = markers.get((slot, seat))
        self.actions.deck, self.planet_pile.deck = by_number(take(action_deck)), by_number(take(planet_deck))
        self.actions.discarded = [card for card in cards.values() if isinstance(card, Card)]
        self.planet_pile.discarded = [card for card in cards.values() if isinstance(card, Planet)]
        self._active, self.turn, self.idle, self.queue = self.players[player], turn, idle, []
        self._forget_the_last_turn()
        self._run(self._from_stage_2())

    # What may be done, and doing it.

    def legal_actions(self) -> list[int]:
        """The numbers of the legal actions (AT-7.1), ascending; none after the end."""
        if self._to_decide is None:
            return []
        return sorted(self._numbers[choice] for choice in self._to_decide.choices)

    def play(self, action: int) -> None:
        """Play one action.

        :raises ValueError: the action is not legal.
        """
        if action not in self.legal_actions():
            raise ValueError(f"action {action} is not legal")
        self._history.append((NaiveAsteria.play, {"action": action}))
        self.ply += 1
        self._go_on(self._choices[action])

    def _run(self, steps: Steps) -> None:
        self._steps = steps
        self._go_on(None)

    def _go_on(self, choice: Any) -> None:
        try:
            self._to_decide = self._steps.send(choice)
        except GameOver:
            self._to_decide, self.terminated = None, True

    def _decide(self, kind: str, player: Player, choices: Iterable[Choice]) -> Steps:
        """Ask a player; what has one way out is not asked, not even the end of stage 2."""
        choices = list(choices)
        if len(choices) == 1:
            return choices[0]
        return (yield Decision(kind, player.seat, choices))

    # The course of the game (AT-3 to AT-5). The active player comes first in everything (AT-4.7, AT-5.2, AT-6.3).

    def both(self) -> list[Player]:
        """The active player, then the other."""
        return [self._active, self.opponent(self._active)]

    def opponent(self, player: Player) -> Player:
        return self.players[1 - player.seat]

    def open_planets(self) -> list[OpenPlanet]:
        return [planet for planet in self.slots if planet is not None]

    def rows_of(self, player: Player) -> list[Row]:
        return [planet.rows[player.seat] for planet in self.open_planets()]

    def _whole_game(self) -> Steps:
        self._begin_turn()
        yield from self._stage_1()
        yield from self._from_stage_2()

    def _from_stage_2(self) -> Steps:
        while True:
            yield from self._stage_2()
            yield from self._stage_3()
            self._end_turn()
            self._active = self.opponent(self._active)
            self._begin_turn()
            yield from self._stage_1()

    def _begin_turn(self) -> None:
        self.turn += 1
        self._forget_the_last_turn()

    def _forget_the_last_turn(self) -> None:
        self._played_on: set[int] = set()  # slots (AT-4.1)
        self._turned: set[Card] = set()  # AT-4.12
        self._happened: set[tuple[Card, int]] = set()  # conditional effects (AT-3.2)

    def _end_turn(self) -> None:
        """AT-6.6."""
        self.idle = 0 if self._played_on else self.idle + 1
        if self.turn >= self.max_turns or self.idle >= 8:
            raise GameOver

    def _stage_1(self) -> Steps:
        """Collecting resources (AT-3.1)."""
        me = self._active
        for row in self.rows_of(me):
            for card in row.cards:  # AT-3.1, AT-4.6: covered ones included.
                if card.shows("extract"):
                    for index in card.effects("play"):
                        self._gain(me, card.face("extract").effects[index])
        for card in me.area:
            self._wait(me, card, card.effects("income"))
        yield from self._work_off()

    def _stage_2(self) -> Steps:
        """Action cards and free actions (AT-4.1, AT-4.8, AT-6.3)."""
        while True:
            me = self._active
            choices = [*self._plays(), ("end",)]
            choices += [("spend", planet.number, half) for planet in me.planets for half in HALVES]
            if self._can_pay_for_economic(me):
                choices.append(("claim",))
            kind, *what = yield from self._decide("main", me, choices)
            if kind == "play":
                yield from self._play_card(*what)
            elif kind == "spend":
                yield from self._spend_planet(*what)
            elif kind == "claim":
                self._claim(me)
            else:
                return

    # Stage 2.

    def _plays(self) -> list[Choice]:
        me = self._active
        if self.turn == 1 and self._played_on:  # AT-2.2
            return []
        return [
            ("play", card.number, slot, side)
            for card in me.hand
            for slot, planet in enumerate(self.slots)
            if planet is not None and slot not in self._played_on  # AT-4.1
            for side in SIDES
            if side == "extract" or self._can_pay(me, card, planet)  # AT-4.4
        ]

    def _can_pay(self, player: Player, card: Card, planet: OpenPlanet) -> bool:
        """Whether the cost can be paid out of what there is after the marker's gain, capped (AT-4.4)."""
        after = copy.copy(player)
        after.resources = dict(player.resources)
        after.gain_all(self._marker_gain(planet, player))
        return all(after.resources[name] >= cost for name, cost in zip(RESOURCES, card.printed.cost, strict=True))

    def _next_space(self, planet: OpenPlanet, player: Player) -> int | None:
        """Where the player's marker goes; ``None`` if it stays on the last space (AT-4.2, AT-4.3)."""
        here = planet.rows[player.seat].marker
        if here is None:
            return 0
        return here + 1 if here + 1 < len(planet.track(player.seat)) else None

    def _marker_gain(self, planet: OpenPlanet, player: Player) -> tuple[int, int]:
        space = self._next_space(planet, player)
        return (0, 0) if space is None else planet.track(player.seat)[space]

    def _play_card(self, number: int, slot: int, side: str) -> Steps:
        me, card, planet = self._active, self.cards[number], self.slots[slot]
        assert planet is not None
        self._played_on.add(slot)
        row = planet.rows[me.seat]
        # AT-4.2: the marker and its gain first.
        gain, space = self._marker_gain(planet, me), self._next_space(planet, me)
        if space is not None:  # AT-4.3
            row.marker = space
        me.gain_all(gain)
        # AT-4.4: then the cost; AT-4.6: an Extract is free.
        if side != "extract":
            me.gain_all([-cost for cost in card.printed.cost])
        me.hand.remove(card)
        card.side = side
        row.cards.append(card)  # AT-4.5
        self._check_conquests()
        self._event(me, f"on_{side}", slot, unseen_by=card)
        yield from self._resolve(Frame(me, card, side, card.effects("play")))
        yield from self._work_off()

    def _spend_planet(self, number: int, half: str) -> Steps:
        """AT-4.8."""
        me, planet = self._active, self.planet_cards[number]
        for pair in planet.printed.halves[HALVES.index(half)]:
            me.gain_all(pair)
        self._discard_planet(me, planet)
        self._event(me, "on_spend")
        yield from self._work_off()

    # Effects.

    def _wait(self, owner: Player, card: Card, indices: Iterable[int]) -> None:
        """Put effects of the card's shown side in the queue (AT-4.7), where they stay whatever becomes of the card."""
        assert card.side is not None
        self.queue += [Frame(owner, card, card.side, [index]) for index in indices]

    def _event(self, player: Player, event: str, slot: int | None = None, unseen_by: Card | None = None) -> None:
        """Let the player's Expand cards see something that happened, on the planet in ``slot`` or on none (AT-1.5)."""
        planets = self.open_planets() if slot is None else [self.slots[slot]]
        watching = list(player.area)  # AT-3.2
        for planet in planets:
            assert planet is not None
            watching += [card for card in planet.rows[player.seat].cards if card.shows("expand")]
        for card in watching:
            for index in card.effects(event):
                # AT-4.7: an Expand does not see its own playing. AT-3.2: each at most once a turn.
                if card is not unseen_by and (card, index) not in self._happened:
                    self._happened.add((card, index))
                    self._wait(player, card, [index])

    def _work_off(self) -> Steps:
        """Resolve what waits in the queue, the active player's first (AT-4.7)."""
        while self.queue:
            owner = next(player for player in self.both() if any(frame.owner is player for frame in self.queue))
            waiting = [(frame, frame.left[0]) for frame in self.queue if frame.owner is owner]
            frame, _ = yield from self._next_effect(owner, waiting)
            self.queue.remove(frame)
            yield from self._resolve(frame)

    def _resolve(self, frame: Frame) -> Steps:
        """Carry out a side's effects, in the order that their owner chooses (AT-4.7)."""
        while frame.left:
            _, index = yield from self._next_effect(frame.owner, [(frame, index) for index in frame.left])
            frame.left.remove(index)
            yield from self._carry_out(frame.owner, frame.effect(index))
            self._check_conquests()

    def _next_effect(self, owner: Player, waiting: list[Waiting]) -> Steps:
        """Which of them comes next: if all are gains, which the order does not change, the first."""

        def choice(one: Waiting) -> Choice:
            frame, index = one
            return ("effect", frame.card.number, frame.side, index)

        effects = [frame.effect(index) for frame, index in waiting]
        if all(effect.what.startswith("gain_") and effect.who == "self" for effect in effects):
            return min(waiting, key=lambda one: self._numbers[choice(one)])
        chosen = yield from self._decide("effect", owner, map(choice, waiting))
        return next(one for one in waiting if choice(one) == chosen)

    def _carry_out(self, owner: Player, effect: Any) -> Steps:
        """Do one effect, as far as it can be done (AT-4.7)."""
        target = owner if effect.who == "self" else self.opponent(owner)
        match effect.what:
            case "gain_ore" | "gain_energy" | "lose_ore" | "lose_energy":
                self._gain(target, effect)
            case "swap":
                yield from self._swap(owner, effect.amount)
            case "draw":
                for _ in range(effect.amount):
                    self._draw(target)
            case "take":
                for _ in range(effect.amount):
                    self._take(target)
            case "reveal":
                for _ in range(effect.amount):
                    yield from self._reveal(owner)
            case "rotate":
                yield from self._rotate(owner, SIDES if effect.side is None else [effect.side])
            case "discard_action":
                yield from self._discard_actions(target, effect.amount)
            case "discard_planet":
                yield from self._discard_planets(target, effect.amount)
            case "destroy":
                for _ in range(effect.amount):
                    yield from self._destroy(owner, target)
            case _:
                raise AssertionError(effect)

    def _gain(self, player: Player, effect: Any) -> None:
        verb, resource = effect.what.split("_")
        player.gain(resource, effect.amount if verb == "gain" else -effect.amount)

    def _swap(self, player: Player, amount: int) -> Steps:
        """AT-4.13."""
        ways = [("swap", resource) for resource in RESOURCES if player.resources[resource] > 0]
        if ways:
            _, given = yield from self._decide("swap", player, ways)
            (got,) = set(RESOURCES) - {given}
            moved = min(amount, player.resources[given])
            player.gain(given, -moved)
            player.gain(got, moved)

    def _draw(self, player: Player) -> None:
        card = self.actions.draw(self.below)
        if card is not None:
            player.hand = by_number([*player.hand, card])
            self._check_conquests()

    def _take(self, player: Player) -> None:
        """AT-4.11."""
        planet = self.planet_pile.draw(self.below)
        if planet is not None:
            player.planets = by_number([*player.planets, planet])
            self._check_conquests()
            self._event(player, "on_take")

    def _open(self) -> OpenPlanet | None:
        """Put a planet in the lowest empty slot (AT-2.3), its side not yet known; ``None`` if that can't be done."""
        if None not in self.slots:
            return None
        card = self.planet_pile.draw(self.below)
        if card is None:
            return None
        planet = self.slots[self.slots.index(None)] = OpenPlanet(card)
        return planet

    def _open_at_random(self) -> None:
        """AT-2.2, AT-5.7."""
        planet = self._open()
        if planet is not None:
            planet.first_half_at = self.below(2)

    def _reveal(self, player: Player) -> Steps:
        """AT-4.11."""
        planet = self._open()
        if planet is not None:
            _, half = yield from self._decide("turn", player, [("turn", half) for half in HALVES])
            planet.first_half_at = player.seat if half == "first" else self.opponent(player).seat
            self._check_conquests()
            self._event(player, "on_reveal")

    def _rotate(self, player: Player, sides: Iterable[str]) -> Steps:
        """AT-4.12."""
        ways = []
        for slot, planet in enumerate(self.slots):
            card = planet and planet.rows[player.seat].free_card()
            if card is not None and card not in self._turned:
                ways += [("rotate", slot, side) for side in sides if not card.shows(side)]
        if ways:
            _, slot, side = yield from self._decide("rotate", player, ways)
            card = self.slots[slot].rows[player.seat].free_card()  # type: ignore[union-attr]
            assert card is not None
            self._turned.add(card)
            card.side = side
            self._check_conquests()
            # At once, and before what is left of the effects that led here: a card turned by its own rotate still does
            # the rest of the side that it showed.
            yield from self._resolve(Frame(player, card, side, card.effects("play")))

    def _discard_actions(self, player: Player, amount: int) -> Steps:
        """AT-4.9, AT-4.10: whose hand it is chooses."""
        for left in range(amount, 0, -1):
            if len(player.hand) <= left:
                for card in list(player.hand):
                    self._discard_action(player, card)
                return
            choices = [("discard_action", card.number) for card in player.hand]
            _, number = yield from self._decide("discard_action", player, choices)
            self._discard_action(player, self.cards[number])

    def _discard_action(self, player: Player, card: Card) -> None:
        player.hand.remove(card)
        self.actions.discarded.append(card)

    def _discard_planets(self, player: Player, amount: int) -> Steps:
        """AT-4.9, AT-4.10."""
        for left in range(amount, 0, -1):
            if len(player.planets) <= left:
                for planet in list(player.planets):
                    self._discard_planet(player, planet)
                return
            choices = [("discard_planet", planet.number) for planet in player.planets]
            _, number = yield from self._decide("discard_planet", player, choices)
            self._discard_planet(player, self.planet_cards[number])

    def _discard_planet(self, player: Player, planet: Planet) -> None:
        player.planets.remove(planet)
        self.planet_pile.discarded.append(planet)

    def _destroy(self, chooser: Player, target: Player) -> Steps:
        """AT-4.9, AT-4.10: the marker stays, and the card beneath becomes free."""
        ways = [
            ("destroy", slot)
            for slot, planet in enumerate(self.slots)
            if planet is not None and planet.rows[target.seat].cards
        ]
        if ways:
            _, slot = yield from self._decide("destroy", chooser, ways)
            card = self.slots[slot].rows[target.seat].cards.pop()  # type: ignore[union-attr]
            self._leave_play(target, card)
            self._check_conquests()

    def _leave_play(self, owner: Player, card: Card) -> None:
        """Discard a card that has just been taken from its row or play area, and have its effects wait (AT-1.5)."""
        self._wait(owner, card, card.effects("discarded"))
        self._put_away(card)

    def _put_away(self, card: Card) -> None:
        card.side = None
        self.actions.discarded.append(card)

    # Stage 3.

    def _stage_3(self) -> Steps:
        """Conflict and maintenance."""
        me = self._active
        while True:
            meeting = [slot for slot, planet in enumerate(self.slots) if planet is not None and planet.markers_meet()]
            if not meeting:
                break
            _, slot = yield from self._decide("order", me, [("order", slot) for slot in meeting])  # AT-5.1
            yield from self._conflict(slot)
        for _ in range(3 - len(me.hand)):  # AT-5.6
            self._draw(me)
        if self._can_pay_for_economic(me):  # AT-6.3
            choice = yield from self._decide("claim", me, [("claim",), ("decline",)])
            if choice == ("claim",):
                self._claim(me)
        if not self.open_planets():  # AT-5.7
            self._open_at_random()
            self._check_conquests()

    def _conflict(self, slot: int) -> Steps:
        planet = self.slots[slot]
        assert planet is not None
        for player in self.both():  # AT-5.2
            if player.planets:
                choices = [*[("commit", card.number) for card in player.planets], ("commit", None)]
                _, number = yield from self._decide("commit", player, choices)
                if number is not None:
                    player.committed = self.planet_cards[number]
                    player.planets.remove(player.committed)
        mine, theirs = (self._total(planet, player) for player in self.both())
        winner, loser = self.both() if mine >= theirs else reversed(self.both())  # AT-5.3
        # AT-5.5: effects of the conflict, while the rows still lie there.
        for player, when in ((winner, "win"), (loser, "lose")):
            for card in planet.rows[player.seat].cards:
                if card.shows("exterminate"):
                    self._wait(player, card, card.effects(when))
        self._event(winner, "on_win", slot)
        yield from self._work_off()
        yield from self._clean_up(slot, winner)
        self._check_conquests()
        yield from self._work_off()

    def _total(self, planet: OpenPlanet, player: Player) -> int:
        """What the player's side of a conflict comes to (AT-5.2)."""
        total = 0
        for one in self.players:
            row = planet.rows[one.seat].cards
            if one is player:
                total += sum(card.face(card.side or "").strength for card in row)
                total += 0 if one.committed is None else one.committed.printed.strength
            for card in [*row, *one.area]:
                for index in card.effects("conflict"):
                    effect = card.face(card.side or "").effects[index]
                    if (one is player) == (effect.who == "self"):
                        total += effect.amount
        return total

    def _clean_up(self, slot: int, winner: Player) -> Steps:
        """AT-5.4: one step for the conquests (AT-5.5)."""
        planet = self.slots[slot]
        assert planet is not None
        winner.dominated.append(planet.card)
        self.slots[slot] = None
        for player in self.both():
            for card in planet.rows[player.seat].cards:
                if card.shows("expand"):
                    player.area.append(card)
                else:
                    self._put_away(card)
            if player.committed is not None:
                self.planet_pile.discarded.append(player.committed)
                player.committed = None
        for player in self.both():
            while len(player.area) > 3:
                choices = [("give_up", card.number) for card in player.area]
                _, number = yield from self._decide("give_up", player, choices)
                card = self.cards[number]
                player.area.remove(card)
                self._leave_play(player, card)

    # Conquests and the end (AT-6).

    def _check_conquests(self) -> None:
        """Score the first three as soon as they hold (AT-6.3), each once (AT-6.2)."""
        planets = self.open_planets()
        for player in self.both():
            expands = [any(card.shows("expand") for card in row.cards) for row in self.rows_of(player)]
            holds = {
                "military": len(player.dominated) >= 3,
                "exploration": len(player.planets) >= (3 if self.errata else 2) and len(planets) == 3,  # AT-6.5
                "technological": len(player.area) >= 3 and expands != [] and all(expands),  # AT-6.4
            }
            for name, held in holds.items():
                if held and name not in player.conquests:
                    self._score(player, name)

    def _can_pay_for_economic(self, player: Player) -> bool:
        """AT-6.1, AT-6.2, AT-6.5."""
        cards = len(player.hand) + len(player.planets)
        rich = all(amount >= self._price() for amount in player.resources.values())
        return "economic" not in player.conquests and cards >= 5 and rich

    def _price(self) -> int:
        return 10 if self.errata else 8  # AT-6.5

    def _claim(self, player: Player) -> None:
        player.gain_all([-self._price(), -self._price()])
        self._score(player, "economic")

    def _score(self, player: Player, conquest: str) -> None:
        player.conquests.add(conquest)
        if player.points() >= 3:  # AT-6.2: at once, and nothing more is scored.
            raise GameOver

    def returns(self) -> list[float]:
        """+1 and -1, or 0 and 0 for a draw (AT-6.6); 0 and 0 before the end."""
        first, second = ((player.points(), len(player.dominated)) for player in self.players)
        if not self.terminated or first == second:
            return [0.0, 0.0]
        return [1.0, -1.0] if first > second else [-1.0, 1.0]

    def results(self) -> dict[str, list[float]]:
        """For each player: points, dominated planets, and 1 for each conquest scored."""
        return {
            "points": [float(player.points()) for player in self.players],
            "dominated": [float(len(player.dominated)) for player in self.players],
            **{name: [float(name in player.conquests) for player in self.players] for name in CONQUESTS},
        }

    # What there is to see.

    @property
    def decision(self) -> str | None:
        return None if self._to_decide is None else self._to_decide.kind

    @property
    def to_move(self) -> int | None:
        return None if self._to_decide is None else self._to_decide.seat

    @property
    def active(self) -> int:
        return self._active.seat

    @property
    def resources(self) -> list[list[int]]:
        return [[player.resources[name] for name in RESOURCES] for player in self.players]

    @property
    def hands(self) -> list[list[str]]:
        return [names(player.hand) for player in self.players]

    @property
    def planet_hands(self) -> list[list[str]]:
        return [names(player.planets) for player in self.players]

    @property
    def areas(self) -> list[list[str]]:
        return [names(player.area) for player in self.players]

    @property
    def dominated(self) -> list[list[str]]:
        return [names(player.dominated) for player in self.players]

    @property
    def committed(self) -> list[str | None]:
        return [None if player.committed is None else player.committed.printed.name for player in self.players]

    @property
    def conquests(self) -> list[set[str]]:
        return [player.conquests for player in self.players]

    @property
    def points(self) -> list[int]:
        return [player.points() for player in self.players]

    @property
    def planets(self) -> list[str | None]:
        return [None if planet is None else planet.card.printed.name for planet in self.slots]

    @property
    def flips(self) -> list[int | None]:
        return [None if planet is None else planet.first_half_at for planet in self.slots]

    @property
    def markers(self) -> list[list[int | None]]:
        return [[None, None] if planet is None else [row.marker for row in planet.rows] for planet in self.slots]

    @property
    def rows(self) -> list[list[list[tuple[str, str]]]]:
        """For each slot and player the cards of the row, the free card last."""
        return [
            [[], []]
            if planet is None
            else [[(card.printed.name, card.side or "") for card in row.cards] for row in planet.rows]
            for planet in self.slots
        ]

    @property
    def action_deck(self) -> list[str]:
        return names(self.actions.deck)

    @property
    def action_discard(self) -> list[str]:
        return names(self.actions.discarded)

    @property
    def planet_deck(self) -> list[str]:
        return names(self.planet_pile.deck)

    @property
    def planet_discard(self) -> list[str]:
        return names(self.planet_pile.discarded)

    @property
    def turned(self) -> list[str]:
        """The cards turned in this turn."""
        return names(self._turned)

    # Notation (AT-7.1).

    def notation(self, action: int) -> str:
        """The action in words, such as ``play Mine 0 extract``, ``spend Vesper first`` or ``end``.

        :raises ValueError: there is no such action.
        """
        if not 0 <= action < len(self._choices):
            raise ValueError(f"there is no action {action}")
        kind, *what = self._choices[action]
        if kind in ("play", "effect", "give_up", "discard_action"):
            what[0] = self.cards[what[0]].printed.name
        elif kind in ("spend", "discard_planet", "commit"):
            what[0] = "none" if what[0] is None else self.planet_cards[what[0]].printed.name
        verb = "discard" if kind.startswith("discard") else kind
        return " ".join([verb, *map(str, what)])

    def parse(self, text: str) -> int:
        """The action that :meth:`notation` writes as ``text``, legal now or not.

        :raises ValueError: the text names no action.
        """
        for action in range(len(self._choices)):
            if self.notation(action) == text:
                return action
        raise ValueError(f"{text!r} is no action")
