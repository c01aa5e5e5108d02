"""Numba's compiler, changed where it is slow: all that reaches into its inner parts, which differ between its versions.

Numba compiles each function by itself, wrappers for Python included, and again within each of its callers. Here a
function that another one calls stays LLVM code, a :class:`_Part`, which is optimised and compiled within its callers
only. And before Numba looks into its cache, it imports all that a compile could need, SciPy included; here a process
that finds everything in the cache does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pickle import UnpicklingError
from typing import Any

import llvmlite.binding as llvm
from numba.core import caching
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, compile_result
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature

from starboard.notice import NOT_SAVED, say


class Kernel(CPUDispatcher):
    """A compiled function: for Python machine code, for other compiled functions LLVM code, each made when needed."""

    _cache: Any

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        options = {**(targetoptions or {}), "no_cfunc_wrapper": True}
        super().__init__(py_func, locals or {}, options)
        self._cache = _Cache(py_func)
        self.part = _Part(py_func, locals or {}, {**options, "no_cpython_wrapper": True}, _PartCompiler)
        """What other compiled functions use; its ``signatures`` are those that they use."""

    def compile(self, sig: Any) -> Any:
        try:
            return super().compile(sig)
        except NumbaError as error:
            error.add_note(
                "A kernel that makes arrays, or calls what does, such as array.max(), needs jit's allocates=True."
            )
            raise

    def add_overload(self, cres: Any) -> None:
        super().add_overload(cres)
        for environment in cres._find_referenced_environments():  # of the parts in it: Numba sets its own only
            cres.codegen.set_env(environment.env_name, environment)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)

    def keep(self) -> None:
        """Cache the part on disk, and what it calls with it."""
        self.part._cache = _Cache(self.py_func, _PartFiles)

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


def _stamp(file: str) -> tuple[float, int] | None:
    """When ``file`` was changed, and its size."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_mtime, found.st_size


_stamp_at_import = cache(_stamp)


class _Cache(caching.NullCache):
    """What is on disk of one function: opened when it is first called, and never in the way."""

    def __init__(self, function: Callable[..., Any], kind: type = caching.FunctionCache) -> None:
        self._function, self._kind = function, kind
        self._stamp = _stamp_at_import(function.__code__.co_filename)

    @cached_property
    def files(self) -> Any:
        """Numba's own cache; one that does nothing where no folder can be written."""
        if _stamp(self._function.__code__.co_filename) != self._stamp:
            return caching.NullCache()  # Numba would keep what was imported as the code of the edited file
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
            found = self.files._load_overload(sig, target_context)
            if found is not None and tuple(found.signature.args) != tuple(normalize_signature(sig)[0]):
                self.files.flush()  # two processes saved at once: Numba gave both the same file
                return None
            return found
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
            say(NOT_SAVED, str(error))
