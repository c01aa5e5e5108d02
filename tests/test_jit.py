"""Compiling: once per kernel, never with stale rules, never in the way; and the same results with the JIT off."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from starboard.jit import source_hash
from tests import jit_games

ROOT = Path(__file__).resolve().parents[1]
KEPT = "once: later processes load it from disk"
NOWHERE = "in each process: no folder for compiled code can be written, see NUMBA_CACHE_DIR"


def run(code, cwd=ROOT, **environment):
    """Run ``code`` in a new process in which every warning is an error; return what it prints to the two streams."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        timeout=900,
        env={**os.environ, "PYTHONPATH": str(cwd), **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


EVERYTHING = """
import json
import numpy as np
import gymnasium, numba, starboard
from starboard import dispatch, loops, testing
from starboard.batch import Batch
from starboard import foresight, search
from starboard.bots import choose_actions, greedy, make_player
from starboard.seat import SeatGames

threads = min(2, numba.config.NUMBA_NUM_THREADS)
for name in starboard.names():
    specs = [starboard.load(name)]
    if name == "astralis":
        specs += [starboard.load(name, size=4, setup="random", bonus_stones=True), starboard.load(name, size=3)]
    if name == "asterion":
        specs += [starboard.load(name, players=4), starboard.load(name, mode="basic", table_radius=4)]
    for spec in specs:
        testing.check_conformance(spec, games=1)
        testing.check_leaks(spec, games=1)
        testing.check_clones(spec, games=1)
        testing.check_episodes(spec)
        for batch in (Batch(spec, 8, seed=0), Batch(spec, 8, seed=0, threads=threads)):
            now = batch.reset()
            for _ in range(60):
                now = batch.step(batch.sample(now.action_masks))
        games = np.arange(8)
        for bot in ("random", "greedy", "mcts:5"):
            player = make_player(bot, spec, 0)
            choose_actions(player, batch.records, games, now.observations, now.action_masks)
        foresight.Foresight(spec)(batch.records, games)
        moves = np.empty(spec.max_legal, np.int16)
        loops.playouts(spec.params, batch.records, np.uint64(0), 5, moves, np.zeros(8, np.int64))
        loops.resample(spec.params, batch.records, games, np.zeros(8, np.int64), np.zeros(8, np.uint64))
for opponent in ("random", "greedy"):
    env = gymnasium.make_vec("astralis_envs/Astralis-v0", num_envs=4, opponent=opponent, size=4)
    env.reset(seed=0)
    SeatGames(starboard.load("astralis", size=4), 4, opponent, seed=0, shaping=1.0).reset()
    for _ in range(30):
        env.step(np.array([np.flatnonzero(mask)[0] for mask in env.unwrapped.action_masks()]))
found = {}
for module in (loops, greedy, foresight, search):
    for name, function in vars(module).items():
        if isinstance(function, numba.core.registry.CPUDispatcher) and function.__module__ == module.__name__:
            found[name] = [str(signature) for signature in function.signatures]
            found[f"part {name}"] = [str(signature) for signature in function.part.signatures]
for tag, kernels in dispatch._KERNELS.items():
    for name, kernel in kernels.items():
        signatures = map(str, kernel.part.signatures)  # a game may have several types of record for the same kernels
        found[f"{tag}.{name}"] = [signature for signature in signatures if tag in signature]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """Everything there is, run with an empty cache: the cache folder, the signatures compiled, what was said."""
    folder = tmp_path_factory.mktemp("cache")
    out, err = run(EVERYTHING, NUMBA_CACHE_DIR=str(folder))
    return folder, json.loads(out), err


def test_each_kernel_is_compiled_once(cold):
    """Another width of integer, a strided array or a signed seed would silently compile a second version."""
    _, found, _ = cold
    records = len({name.partition(".")[0] for name in found if "." in name})
    wanted = {"ones_in", "part ones_in"}  # once for each literal length
    most = {name: 1 if "." in name else records for name in found.keys() - wanted}
    several = {name: found[name] for name, number in most.items() if len(found[name]) > number}
    assert not several
    used = {name.removeprefix("part ") for name, signatures in found.items() if signatures}
    assert used == {name.removeprefix("part ") for name in found}


def test_what_is_compiled_is_said_once(cold):
    lines = cold[2].splitlines()
    assert all(line.startswith("starboard: compiling ") for line in lines)
    assert [line for line in lines if KEPT in line] == [lines[0]]
    said = [line.removesuffix(f" ({KEPT})") for line in lines]
    for game in ("asteria", "asterion", "astralis"):  # of which Asterion has several types of records
        assert any(line.startswith(f"starboard: compiling loops.advance for {game}") for line in said)


def test_the_second_process_compiles_nothing(cold):
    folder, _, _ = cold
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*.nb?")}
    out, err = run(EVERYTHING, NUMBA_CACHE_DIR=str(folder))
    assert before == {file: file.stat().st_mtime_ns for file in folder.rglob("*.nb?")}
    assert err == ""
    assert out


SHORT = """
import starboard
from starboard.state import GameState
state = GameState(starboard.load("astralis", size=3), 0)
while not state.over:
    state.step(state.legal_actions()[0])
print(state.returns().tolist())
"""


def test_where_no_cache_can_be_written():
    """Every folder that Numba tries refuses: kernels are compiled in each process, and play."""
    refuse = """
from numba.core import caching
def refuse(self):
    raise PermissionError("read-only")
for name, kind in vars(caching).items():
    if isinstance(kind, type) and hasattr(kind, "ensure_cache_path"):
        kind.ensure_cache_path = refuse
import starboard.loops
"""
    out, err = run(refuse + SHORT)
    assert out == run(SHORT)[0]
    first, *others = err.splitlines()
    assert first == f"starboard: compiling loops.reset for astralis ({NOWHERE})"
    assert all(line.startswith("starboard: compiling ") and "(" not in line for line in others)
    assert run(refuse + SHORT, STARBOARD_QUIET="1") == (out, "")


def test_a_full_disk(tmp_path):
    """The cache's files cannot be written: kernels play all the same."""
    full = """
from numba.core import caching
def full(self, *args):
    raise OSError(28, "No space left on device")
caching.IndexDataCacheFile.save = full
"""
    out, err = run(full + SHORT, NUMBA_CACHE_DIR=str(tmp_path))
    assert out == run(SHORT)[0]
    lines = err.splitlines()
    assert lines[0] == f"starboard: compiling loops.reset for astralis ({KEPT})"
    reason = "[Errno 28] No space left on device"
    assert [line for line in lines if reason in line] == [
        f"starboard: compiled code is not kept, later processes compile it anew ({reason})"
    ]


def test_a_numba_that_is_not_known(tmp_path):
    """Nothing reaches into its inner parts then: it compiles as it does, keeps what it compiled, and plays the same."""
    unknown = """
import sys, numba
numba.version_info = numba.version_info._replace(short=(0, 999))
"""
    checked = SHORT + "assert 'starboard.compiler' not in sys.modules\n"
    out, err = run(unknown + checked, NUMBA_CACHE_DIR=str(tmp_path))
    assert out == run(SHORT)[0]
    assert err.splitlines()[0] == f"starboard: compiling loops.reset for astralis ({KEPT})"
    assert run(unknown + checked, NUMBA_CACHE_DIR=str(tmp_path)) == (out, "")


def test_damaged_cache_files(tmp_path):
    """They are compiled and written anew."""
    assert run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))[1]
    for file in tmp_path.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:20])
    assert run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))[1]
    assert run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))[1] == ""


def test_files_of_another_signature(tmp_path):
    """Two processes that save at once may get the same file for different games: what is not meant is compiled anew."""
    run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))
    one, other = sorted(tmp_path.rglob("loops.*.nbc"))[:2]
    one.write_bytes(other.read_bytes())
    out, err = run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))
    assert out == run(SHORT)[0]
    assert err == f"starboard: compiling {one.name.partition('-')[0]} for astralis ({KEPT})\n"
    assert run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))[1] == ""


def test_a_file_that_is_edited_after_its_import(tmp_path):
    """What was imported plays on in this process, and later ones do not take it for the code of the edited file."""
    file = tmp_path / "edited.py"
    text = "from starboard.jit import jit\n@jit\ndef number():\n    return {}\n"
    file.write_text(text.format(1))
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    edit = f"open({str(file)!r}, 'w').write({text.format(22)!r})\n"
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    assert run(f"{path}import edited\n{edit}print(edited.number())", **cache)[0] == "1\n"
    assert run(f"{path}import edited\nprint(edited.number())", **cache)[0] == "22\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_where_nothing_can_be_said():
    """Standard error is closed, or on a full disk: no reason not to compile."""
    say = "from starboard.notice import say\nsay('compiling', 'once')\nprint('on')"
    code = f"import sys\nsys.stderr = None\n{say}"
    assert run(code)[0] == "on\n"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", say], stdout=subprocess.PIPE, stderr=full, cwd=ROOT, check=False)
    assert done.stdout == b"on\n"


def test_a_kernel_that_makes_arrays_is_told_what_it_needs():
    code = """
import numpy as np
from numba.core.errors import NumbaError
from starboard.jit import jit
@jit
def kernel(n):
    return np.zeros(n).sum()
try:
    kernel(3)
except NumbaError as error:
    print(error.__notes__)
"""
    assert "allocates=True" in run(code)[0]


def test_a_cached_start_imports_neither_scipy_nor_what_only_compiling_needs(tmp_path):
    code = SHORT + "import sys; print(sorted({'scipy.linalg', 'numba.np.arraymath'} & set(sys.modules)))"
    assert "arraymath" in run(code, NUMBA_CACHE_DIR=str(tmp_path))[0]
    assert run(code, NUMBA_CACHE_DIR=str(tmp_path))[0].endswith("[]\n")


def test_another_loop_uses_what_was_compiled_before(tmp_path):
    """The kernels' LLVM code is on disk: a loop that is new to a later process compiles nothing of the rules again."""
    run(SHORT, NUMBA_CACHE_DIR=str(tmp_path))
    code = """
import numpy as np, starboard
from numba.core import event
from starboard import loops
with event.install_recorder("numba:compile") as recorder:
    spec = starboard.load("astralis", size=3)
    S, games = np.zeros(1, spec.state_dtype), np.zeros(1, np.int64)
    loops.observe(spec.params, S, games, games, np.zeros((1, spec.observation_high.size), np.int8))
print(sorted({e.data["dispatcher"].py_func.__module__.partition(".")[0] for _, e in recorder.buffer}))
"""
    out, err = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert out == "['starboard']\n"
    assert err == f"starboard: compiling loops.observe for astralis ({KEPT})\n"


def test_kernels_can_be_called_from_python_and_print():
    """From Python, from another kernel, and with what needs Numba's environment."""
    code = """
from starboard.jit import jit
@jit
def inner(x):
    print("x", x)
    return 2 * x
@jit
def outer(x):
    return inner(x) + 1
@jit
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)
print(outer(3), inner(4), outer.signatures, factorial(5))
"""
    assert run(code)[0] == "x 3\nx 4\n7 8 [(int64,)] 120\n"


def test_a_cache_folder_that_is_a_file(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert run(SHORT, NUMBA_CACHE_DIR=str(file))[0] == run(SHORT)[0]


def test_without_a_home(monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    assert run(SHORT)[0]


GRAB = """
import numpy as np
import copied.grab
from starboard import loops
spec = copied.grab.GAME.spec()
S = np.zeros(1, spec.state_dtype)
games = np.zeros(1, np.int64)
loops.reset(spec.params, S, games, np.uint64(0), np.zeros(1, np.int64))
sums = 0
observation, mask = np.zeros(spec.observation_high.size, np.int8), np.zeros(spec.num_actions, np.int8)
loops.look(spec.params, S, observation, mask)
played = 0
while not S[0]["terminated"]:
    action = int(np.flatnonzero(mask)[0])
    played += action if action < 9 else 0
    loops.advance(spec.params, S, action, observation, mask)
print(spec.state_dtype.names[0], int(S[0]["sum"].sum()) / played)
"""


def test_an_edited_kernel_is_not_played_from_the_cache(tmp_path):
    """Numba knows only the file of the function that it cached: the name of the record's first field tells the rest."""
    folder = tmp_path / "copied"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    shutil.copy(ROOT / "tests" / "testing" / "grab.py", folder)
    file = folder / "grab.py"
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    one, err = run(GRAB, **environment)
    assert err.startswith(f"starboard: compiling loops.reset for grab ({KEPT})\n")
    assert run(GRAB, **environment) == (one, "")
    source = file.read_text(encoding="utf-8")
    assert source.count('s["sum"][me] += action') == 1
    file.write_text(source.replace('s["sum"][me] += action', 's["sum"][me] += 2 * action'), encoding="utf-8")
    other, err = run(GRAB, STARBOARD_QUIET="1", **environment)
    (tag, factor), (new_tag, new_factor) = one.split(), other.split()
    assert tag != new_tag
    assert (float(factor), float(new_factor)) == (1, 2)
    assert err == ""


def test_the_hash_follows_every_source(tmp_path):
    files = [tmp_path / name for name in ("state.py", "kernels.py")]
    for file in files:
        file.write_text("a = 1\n")
    names = [str(file) for file in files]
    first = source_hash(*names)
    assert source_hash(*names) == first
    assert len(first) == 8
    for file in files:
        file.write_text("a = 2\n")
        assert source_hash(*names) != first
        file.write_text("a = 1\n")
    assert source_hash(*names) == first
    assert source_hash(names[0]) != first


THREADS = """
import threading
import starboard
from starboard.batch import Batch
spec = starboard.load("astralis", size=4)

def play(seed, threads, found):
    batch = Batch(spec, 16, seed=seed, threads=threads)
    now = batch.reset()
    for _ in range(300):
        now = batch.step(batch.sample(now.action_masks))
    found[seed] = now.observations.tobytes()

alone, together = {}, {}
for seed in range(4):
    play(seed, 1, alone)
for counts in ((1, 1, 1, 1), (2, 2, 2, 2), (1, 2, 1, 2)):
    workers = [threading.Thread(target=play, args=(seed, n, together)) for seed, n in enumerate(counts)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert together == alone, counts
    together.clear()
print("done")
"""


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="needs two cores")
@pytest.mark.parametrize("layer", ["default", "workqueue"])
def test_several_python_threads(layer):
    """Numba's layer "workqueue", the only one on some machines, aborts the process when two threads enter it."""
    assert run(THREADS, NUMBA_THREADING_LAYER=layer)[0] == "done\n"


def test_the_same_without_the_jit():
    """With ``NUMBA_DISABLE_JIT=1`` every game plays the same in plain Python, without a warning."""
    code = "from tests import jit_games; jit_games.main()"
    out, err = run(code, NUMBA_DISABLE_JIT="1")
    assert err == ""
    assert json.loads(out) == json.loads(json.dumps(jit_games.results()))
