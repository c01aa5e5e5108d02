"""Decks drawn at random within the format, to play oracle and kernel against each other on."""

from __future__ import annotations

import random

from asteria_envs.cards import (
    ACTIONS,
    AMOUNTS,
    HALF,
    MOST_EFFECTS,
    OWN,
    PLANETS,
    SIDES,
    WHATS,
    WHENS_OF_SIDE,
    Action,
    Deck,
    Effect,
    Pair,
    Planet,
    Side,
)

STYLES = ("mixed", "rotate", "hostile", "explore", "small", "large")
"""Of all kinds; of rotates, one within the other; of what touches the other player; of planets; the least and the
greatest deck and amounts."""
_OFTEN = {
    "rotate": ("rotate",),
    "hostile": ("lose_ore", "lose_energy", "discard_action", "discard_planet", "destroy", "draw", "take"),
    "explore": ("take", "reveal", "discard_planet", "draw"),
}


def random_deck(seed: int, style: str | None = None) -> Deck:
    """The same deck for the same arguments; ``asteria_envs.cards.text`` turns it into the option ``deck``.

    :param style: one of ``STYLES``; by default one of them, drawn at random.
    """
    rng = random.Random(f"deck {seed}")
    style = style or rng.choice(STYLES)
    half = rng.randint(*HALF)
    planets = tuple(
        Planet(f"P{i}", rng.randint(0, 9), (_half(rng, half), _half(rng, half)))
        for i in range(_count(rng, style, PLANETS))
    )
    actions: list[Action] = []
    for i in range(_count(rng, style, ACTIONS)):
        while True:
            extract, expand, explore, exterminate = (_side(rng, style, side) for side in SIDES)
            action = Action(f"A{i}", _cost(rng, style), (extract, expand, explore, exterminate))
            if all((action.cost, action.sides) != (other.cost, other.sides) for other in actions):
                break
        actions.append(action)
    return Deck(half, planets, tuple(actions))


def _count(rng: random.Random, style: str, limits: Pair) -> int:
    low, high = limits
    if style in ("small", "large"):
        return low if style == "small" else high
    return rng.choice([low, low + 1, rng.randint(low, high), rng.randint(low, high), high])


def _half(rng: random.Random, half: int) -> tuple[Pair, ...]:
    most = rng.choice([1, 2, 3, 9])
    return tuple((rng.randint(0, most), rng.randint(0, most)) for _ in range(half))


def _cost(rng: random.Random, style: str) -> Pair:
    """Mostly little, so that all sides are played."""
    most = rng.choice([0, 1, 2, 3] if style == "rotate" else [0, 1, 2, 4, 12])
    return rng.randint(0, most), rng.randint(0, most)


def _side(rng: random.Random, style: str, side: str) -> Side:
    count = rng.choice([0, 1, 1, 2, 2, 3, 3]) if style != "large" else MOST_EFFECTS
    return Side(rng.randint(-9, 9), tuple(_effect(rng, style, side) for _ in range(count)))


def _effect(rng: random.Random, style: str, side: str) -> Effect:
    when = rng.choice(WHENS_OF_SIDE[side])
    if side == "extract":
        what = rng.choice(["gain_ore", "gain_energy"])
    elif when == "conflict":
        what = "strength"
    else:
        others = [what for what in WHATS if what != "strength"]
        what = rng.choice(_OFTEN[style] if style in _OFTEN and rng.random() < 0.7 else others)
    low, high = AMOUNTS[what]
    amounts = [amount for amount in range(low, high + 1) if amount]
    if style != "large" and rng.random() < 0.7:
        amounts = [amount for amount in amounts if -3 <= amount <= 3]
    who = "self" if what in OWN or side == "extract" else rng.choice(["self", "opposing"])
    to = rng.choice([None, *SIDES]) if what == "rotate" else None
    return Effect(when, what, rng.choice(amounts), who, to)
