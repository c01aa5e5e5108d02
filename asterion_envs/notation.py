"""Actions in words (AN-5.1): ``(0,1)2`` places the card in hand, ``-T05`` removes a card, ``pass`` sets one aside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from asterion_envs.cards import CARDS, Card
from asterion_envs.state import coordinates

_PLACE = re.compile(r"\((-?\d+),(-?\d+)\)([0-3])")


def describe_action(radius: int, cards: Sequence[Card], action: int) -> str:
    """``action`` of a board of ``radius`` in notation."""
    spaces = coordinates(radius)
    special = action - 4 * len(spaces)
    if special == CARDS:
        return "pass"
    if special >= 0:
        return f"-{cards[special].name}"
    x, y = spaces[action // 4]
    return f"({x},{y}){action % 4}"


def parse_action(radius: int, cards: Sequence[Card], text: str) -> int:
    """The action that ``text`` names on a board of ``radius``; spaces and capitals do not matter.

    :raises ValueError: if ``text`` is no action; the message says which part of it is at fault.
    """
    spaces = coordinates(radius)
    words = "".join(text.lower().split())
    if words == "pass":
        return 4 * len(spaces) + CARDS
    if words.startswith("-"):
        names = [card.name.lower() for card in cards]
        if words[1:] not in names:
            known = ", ".join(card.name for card in cards)
            raise ValueError(f"{text!r}: there is no card {words[1:]!r}; cards are {known}")
        return 4 * len(spaces) + names.index(words[1:])
    found = _PLACE.fullmatch(words)
    if found is None:
        raise ValueError(f"{text!r}: an action is (x,y)r with 0 to 3 quarter turns r, or -{cards[4].name}, or pass")
    x, y = int(found[1]), int(found[2])
    if abs(x) + abs(y) > radius:
        raise ValueError(f"{text!r}: ({x},{y}) is off the board; |x| + |y| is at most {radius}")
    return 4 * spaces.index((x, y)) + int(found[3])
