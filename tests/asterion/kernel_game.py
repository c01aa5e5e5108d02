"""The kernel behind the same face as the oracle, so that one test can play either."""

from __future__ import annotations

from asterion_envs import GAME
from asterion_envs.state import TOMB
from starboard.state import GameState
from tests.naive.asterion import CENTRE, LETTERS, REFERENCE, Part


def card_file(cards):
    """The text of a card file with these cards (AN-1.3)."""

    def listed(names):
        return "[" + ", ".join(f'"{name}"' for name in names) + "]"

    def held(card, counts):
        return listed(name for name, count in zip(card.corridors, counts, strict=True) for _ in range(count))

    lines = [
        f'    {{ name = "{card.name}", corridors = {listed(card.corridors)}, '
        f'prisoner = "{card.corridors[card.prisoner]}", '
        f"wings = {held(card, card.wings)}, coins = {held(card, card.coins)} }},\n"
        for card in cards
    ]
    return "cards = [\n" + "".join(lines) + "]\n"


class KernelAsterion:
    """One game of Asterion on the kernel, with what the tests use of :class:`tests.naive.asterion.NaiveAsterion`.

    The labyrinth comes from the fields of the record that the rules work with, not from the planes that observations
    copy, so the tests look at both; only the tombs stand nowhere else. The kernel draws cards and removes them at
    random by itself; ``give`` and ``removed`` write into its record.
    """

    def __init__(self, cards=REFERENCE, removed=None, seed=0, **options):
        self._spec = GAME.spec(tiles=card_file(cards), **options)
        self.players = self._spec.num_players
        self._names = [card.name for card in cards]
        self._state = GameState(self._spec, seed=seed)
        placements = [self.notation(action) for action in range(self.parse(f"-{self._names[0]}"))]
        self._spaces = [tuple(map(int, text[1:-2].split(","))) for text in placements[::4]]
        for player, names in enumerate(removed or ()):
            gone, record = set(names), self._record
            left = [name for name in self._names if name not in gone]
            record["removed"][player] = self._mask(gone)
            record["hand"][player] = self._names.index(left[0])
            record["deck"][player] = self._mask(left[1:])

    @property
    def _record(self):
        return self._state.record

    def _mask(self, names):
        return sum(1 << self._names.index(name) for name in names)

    def _sets(self, field):
        masks = self._record[field].tolist()[: self.players]
        return [{name for bit, name in enumerate(self._names) if mask >> bit & 1} for mask in masks]

    @property
    def to_move(self):
        return int(self._state.to_move)

    @property
    def ply(self):
        return int(self._record["ply"])

    @property
    def terminated(self):
        return bool(self._state.terminated)

    @property
    def hands(self):
        hands = self._record["hand"].tolist()[: self.players]
        return [None if hand < 0 else self._names[hand] for hand in hands]

    @property
    def decks(self):
        return self._sets("deck")

    @property
    def removed(self):
        return self._sets("removed")

    @property
    def aside(self):
        return self._sets("aside")

    @property
    def to_remove(self):
        return self._record["to_remove"].tolist()[: self.players]

    @property
    def points(self):
        return self._record["points"].tolist()[: self.players]

    @property
    def layout(self):
        card, owner, turn = (self._record[field].tolist() for field in ("card", "owner", "turn"))
        return {
            space: (self._names[card[i]], owner[i], turn[i])
            for i, space in enumerate(self._spaces)
            if card[i] >= 0 and space != CENTRE
        }

    @property
    def tombs(self):
        plane = self._record["planes"][TOMB * len(self._spaces) :].tolist()
        return {space for i, space in enumerate(self._spaces) if plane[i]}

    def _labels(self):
        """The label of the part that each opening belongs to."""
        part = self._record["part"].tolist()
        return {
            (space, letter): part[i * 4 + direction]
            for i, space in enumerate(self._spaces)
            for direction, letter in enumerate(LETTERS)
            if part[i * 4 + direction] >= 0
        }

    def parts(self):
        found = {}
        for opening, label in self._labels().items():
            found.setdefault(label, set()).add(opening)
        exits, wings, coins = (self._record[field].tolist() for field in ("exits", "wings", "coins"))
        return {
            Part(frozenset(openings), exits[label], wings[label], coins[label]) for label, openings in found.items()
        }

    def joined_to_asterion(self):
        labels = self._labels()
        return {opening for opening in labels if labels[opening] == labels[CENTRE, "N"]}

    def joined_to_outside(self):
        labels = self._labels()
        return {opening for opening in labels if self._record["exits"][labels[opening]] > 0}

    def legal_actions(self):
        return self._state.legal_actions()

    def play(self, action):
        self._state.step(action)

    def give(self, player, name):
        hand = self._names[self._record["hand"][player]]
        deck = self.decks[player] | {hand}
        if name not in deck:
            raise ValueError(f"player {player} has no {name} to come")
        self._record["deck"][player] = self._mask(deck - {name})
        self._record["hand"][player] = self._names.index(name)
        self._state._look()

    def set_decks_aside(self):
        self._record["aside"] |= self._record["deck"]
        self._record["deck"] = 0
        self._record["left"] = 1
        self._state._look()

    def results(self):
        return self._spec.final_info(self._record)

    def returns(self):
        return self._state.returns().tolist()

    def observation(self, player):
        return self._state.observation(player).tolist()

    def notation(self, action):
        return self._state.describe(action)

    def parse(self, text):
        return self._state.parse(text)
