"""The decorator of every kernel: compiled once, kept on disk where that is possible, never silently slow.

Numba compiles a function at its first call and keeps the machine code beside the source. What goes wrong or takes long
with that in practice is put right here, once:

* every function that another one calls would be compiled by itself, wrappers for Python included, and again within each
  caller: here only what Python calls becomes machine code, see :class:`_Kernel`;
* the first compile takes seconds in which nothing seems to happen: a line on standard error says what is compiled
  (silence it with ``STARBOARD_QUIET=1``);
* where no folder for the cache can be written, Numba raises at import, and on a full disk at the first call: here the
  kernel is compiled anew in each process, and a line says so;
* before it looks into its cache, Numba imports all that a compile could need, SciPy included: here a process that finds
  everything in the cache does not;
* Numba knows only the file of the function it compiles, so a cached caller would go on playing the rules of an older
  kernel: :func:`source_hash` goes into the names of the games' record fields, which are part of every signature.
"""

from __future__ import annotations

import gc
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import caching, config, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, compile_result
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys

JIT_ENABLED = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False where ``NUMBA_DISABLE_JIT=1`` runs every kernel as plain Python, for debugging."""


def jit(function: Callable[..., Any], *, allocates: bool = False, parallel: bool = False) -> Any:
    """Compile ``function`` with Numba at its first call, from the disk cache where there is one.

    Kernels trust their arguments (the public API checks them), release the GIL and divide as NumPy does.

    :param allocates: it makes arrays. All others are compiled without Numba's runtime: that counts the references of
        each array handed on, with instructions that lock memory, which costs a tenth of the time and keeps threads
        waiting for each other.
    :param parallel: it has ``prange`` loops, which need the runtime.
    """
    if not JIT_ENABLED:
        return function
    options = {"nopython": True, "nogil": True, "error_model": "numpy"}
    return _Kernel(function, targetoptions={**options, "parallel": parallel, "_nrt": allocates or parallel})


def keep(kernel: Any) -> None:
    """Cache on disk what other compiled functions use of ``kernel``, for all that call it.

    With it goes what it calls, so it should be done for the few functions that many call.
    """
    if isinstance(kernel, _Kernel):
        kernel.part._cache = _Cache(kernel.py_func, _PartFiles)


def source_hash(*files: str) -> str:
    """Eight hexadecimal digits that change when one of the source ``files`` (or the generator's) does."""
    digest = hashlib.sha256()
    for file in (*files, str(Path(__file__).with_name("rng.py"))):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()[:8]


class _Kernel(CPUDispatcher):
    """A compiled function: for Python machine code, for other compiled functions LLVM code, each made when needed."""

    _cache: Any

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        options = {**(targetoptions or {}), "no_cfunc_wrapper": True}
        super().__init__(py_func, locals, options)
        self._cache = _Cache(py_func)
        self.part = _Part(py_func, locals, {**options, "no_cpython_wrapper": True}, _PartCompiler)
        """What other compiled functions use; its ``signatures`` are those that they use."""

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():  # of the parts in it: Numba sets its own only
            cres.codegen.set_env(environment.env_name, environment)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)

    @property
    def is_compiling(self) -> Any:
        return super().is_compiling or self.part.is_compiling


class _Part(CPUDispatcher):
    """A function that compiled functions call and Python cannot."""

    _cache: Any

    def add_overload(self, cres: Any) -> None:
        # Numba finds the code by the function for Python. There is none: any other object does.
        cres = cres._replace(entry_point=object())
        self.targetctx.insert_user_function(cres.entry_point, cres.fndesc, [cres.library])
        self.overloads[tuple(cres.signature.args)] = cres


class _PartCompiler(Compiler):
    """Numba's compiler, as far as LLVM code."""

    def define_pipelines(self) -> Any:
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.flags.no_compile = True
        return super().define_pipelines()


class _PartLibrary(JITCodeLibrary):
    """LLVM code of a function and of all that it calls, to be optimized and compiled with its callers only."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._final_module.verify()
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        return self.name, self._get_module_for_linking().as_bitcode()

    @classmethod
    def rebuild(cls, codegen: Any, name: str, bitcode: bytes) -> _PartLibrary:
        library = cls(codegen, name)
        library._final_module = library._shared_module = llvm.parse_bitcode(bitcode)
        library._finalized = True
        return library


class _PartImpl(caching.CompileResultCacheImpl):
    def get_filename_base(self, fullname: str, abiflags: str) -> Any:
        return super().get_filename_base(f"part-{fullname}", abiflags)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        library, fndesc, environment, signature, objectmode, lifted, _, reload_init, environments = payload
        return compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=_PartLibrary.rebuild(target_context.codegen(), *library),
            fndesc=fndesc,
            environment=environment,
            signature=signature,
            objectmode=objectmode,
            lifted=lifted,
            reload_init=reload_init,
            referenced_envs=environments,
        )


class _PartFiles(caching.FunctionCache):
    _impl_class = _PartImpl


class _Cache(caching.NullCache):
    """What is on disk of one function: opened when it is first called, and never in the way."""

    def __init__(self, function: Callable[..., Any], kind: type = caching.FunctionCache) -> None:
        self._function, self._kind = function, kind

    @cached_property
    def files(self) -> Any:
        """Numba's own cache; one that does nothing where no folder can be written."""
        try:
            return self._kind(self._function)
        except RuntimeError:  # "no locator available"
            return caching.NullCache()

    @property
    def cache_path(self) -> Any:
        return self.files.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self.cache_path is None:
            return None
        # Numba's load_overload would first refresh the context. To compile, that is needed; to run, the allocator is.
        rtsys.initialize(target_context)
        try:
            return self.files._load_overload(sig, target_context)
        except OSError:  # may not be read
            return None
        except (EOFError, UnpicklingError):  # damaged: an empty index lets it be saved anew
            with suppress(OSError):
                self.files.flush()
            return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        try:
            self.files.save_overload(sig, cres)
        except OSError as error:
            _notice.not_saved(error)


class _Notice(event.Listener):
    """Says what is compiled; keeps Python's garbage collector from walking through the compiler's objects meanwhile."""

    def __init__(self) -> None:
        self._depth = 0  # compiles within compiles; Numba lets only one thread compile
        self._collecting = False
        self._explained: set[str] = set()

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        self._collecting = gc.isenabled()
        gc.disable()
        kernel = event.data["dispatcher"]
        if isinstance(kernel, (_Kernel, _Part)):
            module, name = kernel.py_func.__module__, kernel.py_func.__name__
            games = list(filter(None, map(_game, event.data["args"])))
            text = f"compiling {module.rpartition('.')[2]}.{name}" + (f" for {games[0]}" if games else "")
            if kernel._cache.cache_path is not None:
                self._say(text, "once: later processes load it from disk")
            else:
                self._say(text, "in each process: no folder for compiled code can be written, see NUMBA_CACHE_DIR")

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._collecting:
            gc.enable()

    def not_saved(self, error: OSError) -> None:
        """What was compiled could not be written to the disk."""
        self._say("compiled code is not kept, later processes compile it anew", str(error))

    def _say(self, text: str, why: str) -> None:
        """A line for ``text``, with the reason ``why`` the first time that it is one."""
        if os.environ.get("STARBOARD_QUIET", "") not in ("", "0"):
            return
        if why not in self._explained:
            self._explained.add(why)
            text = f"{text} ({why})"
        print(f"starboard: {text}", file=sys.stderr, flush=True)


def _game(kind: Any) -> str | None:
    """The game whose records have Numba's type ``kind``, or are in arrays of it."""
    record = kind.dtype if isinstance(kind, types.Array) else kind
    if not isinstance(record, types.Record):
        return None
    tag: str = next(iter(record.fields))
    return tag.rpartition("_")[0] or tag


_notice = _Notice()
event.register("numba:compile", _notice)
