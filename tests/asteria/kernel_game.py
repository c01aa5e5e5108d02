"""The kernel behind the same face as the oracle, so that one test can play either."""

from __future__ import annotations

import numpy as np

from asteria_envs import GAME, cards
from asteria_envs.state import (
    AREA,
    AT_MAIN,
    COMMITTED,
    CONQUESTS,
    DECISIONS,
    DECK,
    DISCARD,
    DOMINATED,
    HAND,
    OPEN,
    ROW,
    SIDES,
    SLOTS,
)
from starboard.rng import below, mix, scramble
from starboard.state import GameState

POINTS = (3, 2, 2, 1)


class Chance:
    """The numbers that a kernel's generator is about to give, for the oracle: a copy of it, to be called with n."""

    def __init__(self, rng):
        self._copy = np.zeros(1, [("rng", np.uint64)])
        self.follow(rng)

    def follow(self, rng):
        """Begin where the generator of that state is."""
        self._copy["rng"] = rng

    def state(self):
        """Where the copy is now."""
        return int(self._copy["rng"][0])

    def __call__(self, n):
        return int(below(self._copy[0], n))


class KernelAsteria:
    """One game of Asteria on the kernel, with what the tests use of :class:`tests.naive.asteria.NaiveAsteria`."""

    def __init__(self, deck, seed=0, **options):
        self._deck = deck
        self._spec = GAME.spec(deck=cards.text(deck), **options)
        self._state = GameState(self._spec, seed=seed)
        self._names = [card.name for card in deck.actions]
        self._planet_names = [planet.name for planet in deck.planets]
        self.first_rng = scramble(np.uint64(mix(np.uint64(seed), 0, 0)))
        """The generator's state before the first number of the game."""

    @property
    def rng(self):
        """The generator's state."""
        return int(self._record["rng"])

    @property
    def _record(self):
        return self._state.record

    def set_up(
        self,
        *,
        player,
        turn,
        idle,
        resources,
        hands,
        planet_hands,
        areas,
        dominated,
        conquests,
        planets,
        flips,
        rows,
        markers,
        action_deck,
        planet_deck,
    ):
        """As the oracle's: everything where it is said to be, at the start of stage 2 of ``player``."""
        record = self._record
        record["active"] = record["to_move"] = player
        record["turn"], record["idle"], record["cards_played"] = turn, idle, 0
        record["stage"], record["decision"] = AT_MAIN, DECISIONS.index("main")
        record["resources"] = resources
        for field in ("slot_played", "turned", "used", "pending", "waiting", "action_known", "planet_known"):
            record[field] = 0
        record["planet"] = [-1 if name is None else self._planet_names.index(name) for name in planets]
        record["flip"] = flips
        record["marker"] = [[markers.get((slot, seat), -1) for seat in range(2)] for slot in range(SLOTS)]
        record["top"], record["below"] = -1, -1
        zone, planet_zone = record["action_zone"], record["planet_zone"]
        zone[: len(self._names)], planet_zone[: len(self._planet_names)] = DISCARD, DISCARD

        def put(name, where):
            assert zone[self._names.index(name)] == DISCARD, f"{name} is in two places"
            zone[self._names.index(name)] = where
            return self._names.index(name)

        def put_planet(name, where):
            assert planet_zone[self._planet_names.index(name)] == DISCARD, f"{name} is in two places"
            planet_zone[self._planet_names.index(name)] = where

        for name in action_deck:
            put(name, DECK)
        for name in planet_deck:
            put_planet(name, DECK)
        for name in planets:
            if name is not None:
                put_planet(name, OPEN)
        for seat in range(2):
            for name in hands[seat]:
                put(name, HAND + seat)
            for name in areas[seat]:
                record["side"][put(name, AREA + seat)] = SIDES.index("expand")
            for name in planet_hands[seat]:
                put_planet(name, HAND + seat)
            for name in dominated[seat]:
                put_planet(name, DOMINATED + seat)
            for slot in range(SLOTS):
                for name, side in rows.get((slot, seat), ()):
                    card = put(name, ROW + seat)
                    record["action_slot"][card], record["side"][card] = slot, SIDES.index(side)
                    record["below"][card], record["top"][slot, seat] = record["top"][slot, seat], card
            for field, counted, where in (
                ("hand_actions", zone, HAND),
                ("hand_planets", planet_zone, HAND),
                ("area", zone, AREA),
                ("dominated", planet_zone, DOMINATED),
            ):
                record[field][seat] = (counted == where + seat).sum()
            scored = [name in conquests[seat] for name in CONQUESTS]
            record["conquered"][seat] = sum(1 << bit for bit, has in enumerate(scored) if has)
            record["points"][seat] = sum(points for points, has in zip(POINTS, scored, strict=True) if has)
        for kind, counted in (("actions", zone), ("planets", planet_zone)):
            record[f"deck_{kind}"] = (counted == DECK).sum()
            record[f"discarded_{kind}"] = (counted == DISCARD).sum()
        self._state._look()

    def legal_actions(self):
        return self._state.legal_actions()

    def play(self, action):
        self._state.step(action)

    def returns(self):
        return self._state.returns().tolist()

    def results(self):
        return self._spec.final_info(self._record)

    def notation(self, action):
        return self._state.describe(action)

    def parse(self, text):
        return self._state.parse(text)

    # What there is to see. Cards come from their zones, not from what is counted beside them.

    def _in_zone(self, field, names, zone):
        zones = self._record[field][: len(names)]
        return [names[card] for card in np.flatnonzero(zones == zone)]

    def _actions_in(self, zone):
        return self._in_zone("action_zone", self._names, zone)

    def _planets_in(self, zone):
        return self._in_zone("planet_zone", self._planet_names, zone)

    @property
    def ply(self):
        return int(self._record["ply"])

    @property
    def terminated(self):
        return bool(self._state.terminated)

    @property
    def decision(self):
        return None if self.terminated else DECISIONS[self._record["decision"]]

    @property
    def to_move(self):
        return None if self.terminated else int(self._state.to_move)

    @property
    def active(self):
        return int(self._record["active"])

    @property
    def turn(self):
        return int(self._record["turn"])

    @property
    def idle(self):
        return int(self._record["idle"])

    @property
    def resources(self):
        return self._record["resources"].tolist()

    @property
    def hands(self):
        return [self._actions_in(HAND + seat) for seat in range(2)]

    @property
    def planet_hands(self):
        return [self._planets_in(HAND + seat) for seat in range(2)]

    @property
    def areas(self):
        return [self._actions_in(AREA + seat) for seat in range(2)]

    @property
    def dominated(self):
        return [self._planets_in(DOMINATED + seat) for seat in range(2)]

    @property
    def committed(self):
        return [next(iter(self._planets_in(COMMITTED + seat)), None) for seat in range(2)]

    @property
    def conquests(self):
        masks = self._record["conquered"].tolist()
        return [{name for bit, name in enumerate(CONQUESTS) if mask >> bit & 1} for mask in masks]

    @property
    def points(self):
        return self._record["points"].tolist()

    @property
    def planets(self):
        return [None if card < 0 else self._planet_names[card] for card in self._record["planet"].tolist()]

    @property
    def flips(self):
        slots = zip(self._record["planet"].tolist(), self._record["flip"].tolist(), strict=True)
        return [None if card < 0 else flip for card, flip in slots]

    @property
    def markers(self):
        return [[None if at < 0 else at for at in slot] for slot in self._record["marker"].tolist()]

    @property
    def rows(self):
        tops, below, side = (self._record[field].tolist() for field in ("top", "below", "side"))

        def row(card):
            return [] if card < 0 else [*row(below[card]), (self._names[card], SIDES[side[card]])]

        found = [[row(top) for top in slot] for slot in tops]
        for seat in range(2):  # The zones say the same.
            in_rows = {(name, slot) for slot in range(SLOTS) for name, _ in found[slot][seat]}
            places = {
                (name, self._record["action_slot"][self._names.index(name)]) for name in self._actions_in(ROW + seat)
            }
            assert in_rows == places
        return found

    @property
    def action_deck(self):
        return self._actions_in(DECK)

    @property
    def action_discard(self):
        return self._actions_in(DISCARD)

    @property
    def planet_deck(self):
        return self._planets_in(DECK)

    @property
    def planet_discard(self):
        return self._planets_in(DISCARD)

    @property
    def turned(self):
        return [self._names[card] for card in np.flatnonzero(self._record["turned"][: len(self._names)])]
