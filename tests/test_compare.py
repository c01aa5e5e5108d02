"""`benchmarks/compare.py`: what became slower is found, noise is not called a fall, and other files are refused."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from starboard.benchmark import CALIBRATION, Rates

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
LAYERS = {"playouts": 4e6, "batch": 1e6, "env": 25e3}


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("compare")


@pytest.fixture
def run(compare: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def run(accepted: Any, now: Any, *arguments: str) -> tuple[int, str]:
        """Exit status and output for two reports."""
        files = [tmp_path / "accepted.json", tmp_path / "now.json"]
        for file, report in zip(files, (accepted, now), strict=True):
            file.write_text(report if isinstance(report, str) else json.dumps(report))
        try:
            status = compare.main([*map(str, files), *arguments])
        except SystemExit as exit:
            status = exit.code
        return status, "".join(capsys.readouterr())

    return run


def report(
    seed: int, slower: dict[str, float] | None = None, phase: float = 1.0, noise: float = 0.03
) -> dict[str, Any]:
    """As `starboard bench` makes it: 7 rounds in which the whole machine is faster and slower, and some noise.

    :param slower: layer -> times as fast.
    :param phase: how fast the machine was.
    """
    draw = np.random.default_rng(seed)
    phases = phase * draw.uniform(0.7, 1, 7)
    rates = {CALIBRATION: 2e7, **LAYERS}
    layers = []
    for name, rate in rates.items():
        rounds = rate * (slower or {}).get(name, 1.0) * phases * draw.uniform(1 - noise, 1 + noise, 7)
        layers.append({"name": name, "unit": "plies", "rounds": rounds.tolist()})
    return {
        "game": "astralis_v0",
        "options": {"size": 8},
        "machine": {
            "cpu": "fast",
            "cores": 2,
            "python": "CPython 3.11",
            "packages": {"numba": "1", "starboard-envs": "1"},
        },
        "layers": layers,
        "random_games": {"games": 2000, "mean_plies": 100.0},
    }


def saved(rates: dict[str, list[float]], comparisons: list[tuple[str, str]]) -> dict[str, Any]:
    """As the scripts save it."""
    return {
        "machine": report(0)["machine"],
        "rates": [{"name": name, "unit": "plies", "rounds": rounds} for name, rounds in rates.items()],
        "ratios": [
            {"ours": a, "theirs": b, "rounds": [x / y for x, y in zip(rates[a], rates[b], strict=True)]}
            for a, b in comparisons
        ],
    }


@pytest.mark.parametrize("layer", LAYERS)
def test_falls_are_found(run: Callable[..., tuple[int, str]], layer: str) -> None:
    for seed in range(20):
        status, out = run(report(2 * seed), report(2 * seed + 1, {layer: 0.7}, phase=0.8))
        assert status == 1
        assert "1 of 3 figures fell" in out
        assert f"\n  now.json: {layer}: 0." in out


def test_noise_is_not_called_a_fall(run: Callable[..., tuple[int, str]]) -> None:
    for seed in range(40):
        assert run(report(2 * seed), report(2 * seed + 1, phase=0.5, noise=0.1))[0] == 0
        assert run(report(2 * seed), report(2 * seed + 1, {"batch": 0.92}))[0] == 0  # within the tolerance


def test_a_slow_phase_of_one_of_the_layers_is_not_called_a_fall(run: Callable[..., tuple[int, str]]) -> None:
    now = report(1)
    for layer in now["layers"][1:]:
        layer["rounds"][:5] = [0.5 * rate for rate in layer["rounds"][:5]]
    assert run(report(0), now)[0] == 0


def test_what_rose_is_told(run: Callable[..., tuple[int, str]]) -> None:
    status, out = run(report(0), report(1, {"env": 1.5}))
    assert status == 0
    assert [line.split()[0] for line in out.splitlines() if line.endswith("rose")] == ["env"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_single_hiccup_hides_no_fall(run: Callable[..., tuple[int, str]], side: int) -> None:
    pair = report(0), report(1, {"batch": 0.7})
    rounds = pair[side]["layers"][2]["rounds"]
    rounds[3] *= (0.2, 5.0)[side]
    assert run(*pair)[0] == 1


def test_the_tolerance_can_be_given(run: Callable[..., tuple[int, str]]) -> None:
    pair = report(0), report(1, {"env": 0.7})
    assert run(*pair, "--tolerance", "0.4")[0] == 0
    assert run(*pair, "--tolerance", "0")[0] == 1
    status, out = run(*pair, "--tolerance", "1")
    assert status == 2
    assert "--tolerance: 1.0: must be from 0 to below 1" in out


def test_least_fall_that_would_be_called_one(compare: ModuleType) -> None:
    accepted, now = Rates([0.9, 1.0, 1.1]), Rates([0.8, 1.0, 1.25])
    least = compare.Line("x", accepted, now, 0.1).shows_from
    assert least == pytest.approx(1 - 0.9 * 0.9 / 1.25)
    for fall, verdict in ((least - 0.01, ""), (least + 0.01, "FELL")):
        rounds = [(1 - fall) * each for each in now.rounds]
        assert compare.Line("x", accepted, Rates(rounds), 0.1).verdict == verdict


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"cpu": "faster"}, "cpu: faster, not fast"),
        ({"python": "CPython 3.12"}, "python: CPython 3.12, not CPython 3.11"),
        ({"packages": {"numba": "2"}}, "numba: 2, not 1"),
        ({"packages": {}}, "numba: none, not 1"),
    ],
)
def test_elsewhere_only_great_falls_are_called_so(run: Callable[..., tuple[int, str]], change: Any, told: str) -> None:
    for times, expected in ((0.6, 0), (0.4, 1)):
        now = report(1, {"batch": times})
        now["machine"] |= change
        status, out = run(report(0), now)
        assert status == expected
        assert told in out
        assert "only figures below 0.5 times the accepted ones are called a fall" in out


def test_another_version_of_our_own_is_what_is_compared(run: Callable[..., tuple[int, str]]) -> None:
    now = report(1, {"batch": 0.7})
    now["machine"]["packages"]["starboard-envs"] = "2"
    assert run(report(0), now)[0] == 1


def test_what_cannot_be_compared_is_told(run: Callable[..., tuple[int, str]]) -> None:
    accepted, now = report(0), report(1)
    accepted["layers"].append({**accepted["layers"][-1], "name": "training"})
    now["layers"].append({**now["layers"][-1], "name": "new layer"})
    now["random_games"]["mean_plies"] = 90.0
    status, out = run(accepted, now)
    assert status == 0
    assert "not compared: training: is not in " in out
    assert "not compared: new layer: is not in " in out
    assert "random games last 90.0 plies, not 100.0: the game itself changed" in out


def test_another_game_is_not_compared(run: Callable[..., tuple[int, str]]) -> None:
    now = report(1)
    now["options"]["size"] = 5
    status, out = run(report(0), now)
    assert status == 2
    assert "'astralis_v0 size=5', not 'astralis_v0 size=8'" in out
    assert "nothing could be compared" in out


def test_on_a_machine_that_was_too_busy_nothing_is_judged(run: Callable[..., tuple[int, str]]) -> None:
    pair = [report(0), report(1, {"batch": 0.5})]
    assert run(*pair)[0] == 1
    rounds = pair[1]["layers"][0]["rounds"]
    rounds[0] *= 0.3  # one hiccup
    assert run(*pair)[0] == 1
    rounds[1] *= 0.3
    status, out = run(*pair)
    assert status == 2
    assert "now.json: the machine was too busy (the plain Python loop's best round is " in out
    assert "nothing could be compared" in out


def test_scripts_with_the_loop_are_compared_by_rates(run: Callable[..., tuple[int, str]]) -> None:
    """Of several loops, that of the same part. One thread became faster: the ratio fell, and nothing became slower."""
    rates = {"a, " + CALIBRATION: [9.0] * 3, "b, " + CALIBRATION: [2.0, 3.0, 4.0]}
    rates |= {"a, 1 thread": [10.0] * 3, "a, 2 threads": [20.0] * 3, "b, 1 thread": [20.0, 30.0, 40.0]}
    comparisons = [("a, 2 threads", "a, 1 thread")]
    accepted = saved(rates, comparisons)
    status, out = run(accepted, saved({**rates, "a, 1 thread": [19.0] * 3}, comparisons))
    assert status == 0
    assert "0 of 3 figures fell" in out
    now = saved({**rates, "b, 1 thread": [10.0, 15.0, 20.0]}, comparisons)
    assert run(accepted, now)[0] == 1


def test_scripts_without_the_loop_are_compared_by_ratios(run: Callable[..., tuple[int, str]]) -> None:
    rates = {"ours": [10.0, 11.0, 12.0], "theirs": [5.0, 5.0, 5.0]}
    accepted = saved(rates, [("ours", "theirs")])
    halved = saved({name: [each / 2 for each in rounds] for name, rounds in rates.items()}, [("ours", "theirs")])
    assert run(accepted, halved)[0] == 0
    status, out = run(accepted, saved({**rates, "ours": [5.0, 5.0, 5.0]}, [("ours", "theirs")]))
    assert status == 1
    assert "now.json: ours / theirs: 0.45 times" in out


def test_reports_of_peers_are_compared_by_ratios_and_their_versions_count(run: Callable[..., tuple[int, str]]) -> None:
    rates = {"ours: x": [10.0, 11.0, 12.0], "A: y": [5.0, 5.0, 5.0]}
    accepted = saved(rates, [("ours: x", "A: y")])
    for entry in accepted["rates"]:
        entry["peer"], entry["game"] = entry.pop("name").split(": ")
    now = json.loads(json.dumps(accepted))
    accepted["peers"], now["peers"] = {"A": {"versions": {"a": "1"}}}, {"A": {"versions": {"a": "1"}}}
    now["ratios"][0]["rounds"] = [1.2, 1.2, 1.2]
    assert run(accepted, now)[0] == 1
    now["peers"]["A"]["versions"]["a"] = "2"
    status, out = run(accepted, now)
    assert status == 0
    assert "A's a: 2, not 1" in out
    del now["peers"]["A"]["versions"]
    assert "now.json: peers.A.versions: is missing" in run(accepted, now)[1]


def _without(*path: Any) -> dict[str, Any]:
    """A report without what stands at ``path``."""
    found = here = report(0)
    for step in path[:-1]:
        here = here[step]
    del here[path[-1]]
    return found


def _with(value: Any, *path: Any) -> dict[str, Any]:
    found = here = report(0)
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return found


@pytest.mark.parametrize(
    ("now", "message"),
    [
        ("{", "is not JSON"),
        ([], "machine: is missing"),
        (_without("machine"), "machine: is missing"),
        (_without("machine", "cpu"), "machine.cpu: is missing"),
        (_without("layers"), "has neither layers nor rates"),
        (_with({}, "layers"), "layers: must be of type list, not {}"),
        (_with(7, "layers", 2), "layers[2].name: is missing"),
        (_without("layers", 1, "rounds"), "layers[1].rounds: is missing"),
        (_with([1.0, "2", 3.0], "layers", 1, "rounds"), "layers[1].rounds: must be numbers above 0"),
        (_with([1.0, 0.0, 3.0], "layers", 1, "rounds"), "layers[1].rounds: must be numbers above 0"),
        (_with([1.0], "layers", 1, "rounds"), "layers[1].rounds: 1 say nothing of the noise"),
        (_with([1.0] * 5, "layers", 1, "rounds"), "have different numbers of rounds"),
        (_with([], "layers"), "has neither rates beside a 'plain Python loop' nor ratios"),
        (_with(None, "random_games"), "random_games: must be of type dict, not None"),
        (_with([], "options"), "options: must be of type dict, not []"),
    ],
)
def test_another_shape_is_refused_by_file_and_field(
    run: Callable[..., tuple[int, str]], now: Any, message: str
) -> None:
    for pair in ((report(0), now), (now, report(0))):
        status, out = run(*pair)
        assert status == 2
        assert f"{'now' if pair[1] is now else 'accepted'}.json: " in out
        assert message in out


def test_folders(compare: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, names, slower in (("accepted", "abc", 1.0), ("now", "bcd", 0.5)):
        (tmp_path / folder).mkdir()
        for k, name in enumerate(names):
            (tmp_path / folder / f"{name}.json").write_text(json.dumps(report(k, {"env": slower})))
    assert compare.main([str(tmp_path / "accepted"), str(tmp_path / "now")]) == 1
    out = capsys.readouterr().out
    assert "a.json: was not measured now" in out
    assert "d.json: nothing of this name was accepted yet" in out
    assert "2 of 6 figures fell" in out
    with pytest.raises(SystemExit):
        compare.main([str(tmp_path / "accepted"), str(tmp_path / "now" / "b.json")])
    assert "must be two files or two folders" in capsys.readouterr().err


def test_what_was_accepted_can_be_read(compare: ModuleType) -> None:
    files = sorted((BENCHMARKS / "accepted").glob("*.json"))
    assert {"asteria.json", "asterion.json", "astralis.json"} <= {file.name for file in files}
    for file in files:
        assert compare.read(file).figures
