"""Ours: AEC loops, `Batch.step` with masks and observations, playouts, and the plain loop that shows noise."""

from __future__ import annotations

from functools import partial

import aec
from worker import BATCH, LOOP, PLAYOUTS, Contestant

from starboard import load
from starboard.aec import BoardGameEnv, wrapped
from starboard.benchmark import CALIBRATION, batch_full, playouts, python_loop
from starboard.spec import GameSpec

PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo")
GAMES = ("asteria", "asterion", "astralis")
BATCHES = (64, 1024)
BESIDE_C = (64, 1024, 4096)


def many(name: str, spec: GameSpec, batches: tuple[int, ...]) -> list[Contestant]:
    """Batches and playouts."""
    entries = spec.observation_high.size + spec.num_actions
    return [
        *(
            Contestant(
                BATCH,
                name,
                f"Batch.step, {n} games",
                partial(batch_full, spec, n),
                entries,
                own_threads=partial(batch_full, spec, n, threads=2),
            )
            for n in batches
        ),
        Contestant(PLAYOUTS, name, "playouts", partial(playouts, spec)),
    ]


def contestants() -> list[Contestant]:
    found = [Contestant("", CALIBRATION, "", lambda: python_loop, unit="additions")]
    for name in GAMES:
        spec = load(name)
        env = BoardGameEnv(spec)
        size = aec.entries(env)
        found += [
            Contestant(LOOP, name, aec.LEAN, partial(aec.lean, env), size),
            Contestant(LOOP, name, aec.DOCUMENTED, partial(aec.documented, wrapped(BoardGameEnv(spec))), size),
            *many(name, spec, BATCHES),
        ]
    return found + many("astralis, fixed setup", load("astralis", setup="fixed"), BESIDE_C)
