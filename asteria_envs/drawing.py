"""Asteria drawn in characters: a pure function of a state."""

from __future__ import annotations

from typing import Any

from asteria_envs.cards import SIDES, Deck
from asteria_envs.kernels import is_face_down
from asteria_envs.state import (
    AREA,
    COMMITTED,
    CONQUESTS,
    DECISIONS,
    DISCARD,
    DOMINATED,
    HAND,
    SLOTS,
)


def text(deck: Deck, s: Any, viewer: int | None) -> str:
    """State ``s``: the slots, then what each seat has, then the decks and what is to be decided.

    A planet's spaces stand in a line from player 0's edge to player 1's, each as ore and energy (``1o2e``), with the
    markers ``0`` and ``1`` on them; below it each player's row, the free card last, as ``Name/side``.

    :param viewer: the other seat's hand and face-down planet card are not shown; None shows all.
    """
    lines = [line for slot in range(SLOTS) for line in _slot(deck, s, slot)]
    lines += [line for seat in range(2) for line in _seat(deck, s, seat, viewer in (None, seat))]
    lines.append(
        f"decks: {s['deck_actions']} action and {s['deck_planets']} planet cards; discarded: "
        f"{_cards(deck.actions, s['action_zone'], DISCARD)}; {_cards(deck.planets, s['planet_zone'], DISCARD)}"
    )
    if s["terminated"]:
        lines.append("over")
    else:
        decision = DECISIONS[s["decision"]].replace("_", " ")
        lines.append(f"turn {s['turn']} of player {s['active']}, player {s['to_move']} decides: {decision}")
    return "\n".join(lines)


def _slot(deck: Deck, s: Any, slot: int) -> list[str]:
    if s["planet"][slot] < 0:
        return [f"slot {slot}: empty"]
    planet = deck.planets[s["planet"][slot]]
    first, second = planet.halves if s["flip"][slot] != 1 else planet.halves[::-1]
    spaces = [f"{ore}o{energy}e" for ore, energy in (*first, *second[::-1])]
    for seat in range(2):
        at = int(s["marker"][slot, seat])
        if at >= 0:
            spaces[at if seat == 0 else -1 - at] += f"({seat})"
    turned = "" if s["flip"][slot] >= 0 else ", to be turned"
    fight = ", conflict" if s["fight"] == slot else ""
    lines = [f"slot {slot}: {planet.name}{turned}{fight}  | {' '.join(spaces)} |"]
    for seat in range(2):
        row = []
        card = int(s["top"][slot, seat])
        while card >= 0:
            row.append(f"{deck.actions[card].name}/{SIDES[s['side'][card]]}")
            card = int(s["below"][card])
        lines.append(f"    row of player {seat}: {' '.join(reversed(row)) or '-'}")
    return lines


def _seat(deck: Deck, s: Any, seat: int, shown: bool) -> list[str]:
    scored = [name for number, name in enumerate(CONQUESTS) if s["conquered"][seat] >> number & 1]
    ore, energy = s["resources"][seat]
    hand = f"{s['hand_actions'][seat]} action and {s['hand_planets'][seat]} planet cards"
    if shown:
        hand = f"{_cards(deck.actions, s['action_zone'], HAND + seat)}; "
        hand += _cards(deck.planets, s["planet_zone"], HAND + seat)
    lines = [
        f"player {seat}: {s['points'][seat]} points {' '.join(scored)}".rstrip() + f", {ore} ore, {energy} energy",
        f"    hand: {hand}",
        f"    play area: {_cards(deck.actions, s['action_zone'], AREA + seat)}",
        f"    dominated: {_cards(deck.planets, s['planet_zone'], DOMINATED + seat)}",
    ]
    if s["committed"][seat] >= 0:
        seen = shown or not is_face_down(s)
        card = _cards(deck.planets, s["planet_zone"], COMMITTED + seat) if seen else "a card, face down"
        lines.append(f"    added to the conflict: {card}")
    return lines


def _cards(cards: Any, zones: Any, zone: Any) -> str:
    """Names of the cards in ``zone``."""
    return " ".join(card.name for number, card in enumerate(cards) if zones[number] == zone) or "-"
