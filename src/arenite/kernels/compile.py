"""A user's C++ kernels as registrations: :func:`compile_kernels`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from arenite import native
from arenite.errors import KernelBuildError
from arenite.kernels.build import Built, Origin, Progress, Request, build
from arenite.kernels.copies import begins_anew, in_copy
from arenite.kernels.instance import CompiledKernel
from arenite.model import BuiltinOperator, Model
from arenite.ops import NativeKernel, Registration, builtin

AnyPath = str | os.PathLike[str]


class Kernels(dict[str, Registration]):
    """Registrations of compiled kernels by their operators' names.

    Attributes:
        request: What they were compiled from.
        built: The library that they are in, and their functions.
    """

    def __init__(
        self, registrations: Mapping[str, Registration], request: Request, built: Built
    ) -> None:
        super().__init__(registrations)
        self.request, self.built = request, built

    def __reduce__(self) -> tuple[object, ...]:
        return Kernels, (dict(self), self.request, self.built)


def compile_kernels(
    *files: AnyPath,
    tflm: AnyPath,
    names: Mapping[str, str] | None = None,
    sources: Sequence[AnyPath] = (),
    include: Sequence[AnyPath] = (),
    define: Mapping[str, str | None] | None = None,
    flags: Sequence[str] = (),
    sanitize: bool = False,
    guard: bool = False,
    progress: Progress | None = None,
) -> Kernels:
    """Compile TFLM kernels as they are, for this machine.

    They run in the arena as Arenite's own operators do: ``ar.load(model, operators=kernels)``,
    or one by one with :meth:`MutableOpResolver.add_custom`. The compiler is zig's clang (extra
    ``board``). What was compiled before comes from a cache, unless a source, a header that it
    includes, or an argument has changed.

    This runs the kernels' code with the caller's rights (SECURITY.md).

    Args:
        files: C++ sources with functions such as ``TFLMRegistration* Register_MY_OP()``.
        tflm: The folder of TFLM's sources that they are written for, see
            :mod:`arenite.kernels.tree`.
        names: Which function is for which operator, ``{"MY_OP": "Register_X"}``: for names that
            differ. By default every function is for the operator whose name is behind
            ``Register_``.
        sources: More sources that they need.
        include: More folders for ``#include``.
        define: Macros, ``{"NAME": "1"}``; None undefines one of Arenite's.
        flags: More arguments of the compiler.
        sanitize: Let undefined behaviour (UBSan) end the process with a report of file and line:
            for a process of its own, as ``--sanitize`` makes one.
        guard: Run every inference on copies of tensors that end at pages nobody may touch, so
            that reads and writes behind them are found: slow.
        progress: Called with how many files are compiled, and of how many as far as is known.

    Returns:
        Registrations by the names of their operators.

    Raises:
        KernelBuildError: No tree, no compiler, no such function, or a source does not compile; with
            the compiler's first error.
    """
    if not files:
        raise KernelBuildError("expected a C++ source with a kernel, got none")
    if not native.available():
        raise KernelBuildError(f"compiled kernels need the native engine: {native.absence()}")
    request = Request(
        files=_paths(files),
        tflm=_path(tflm),
        sources=_paths(sources),
        include=_paths(include),
        define=dict(define or {}),
        flags=tuple(flags),
        names=dict(names or {}),
        sanitize=sanitize,
    )
    built = build(request, progress)
    found = {
        name: registration_of(CompiledKernel(built.path, name, request, built.functions, guard))
        for name in built.functions
    }
    return Kernels(found, request, built)


def compiled_operators(model: Model) -> dict[str, CompiledKernel]:
    """The user's C++ kernels that run a model's operators, by these."""
    names = {one.name for subgraph in model.subgraphs for one in subgraph.operators}
    kernels = {
        name: getattr(registration.invoke, "__self__", None)
        for name, registration in model.registrations.items()
        if name in names
    }
    return {name: one for name, one in kernels.items() if isinstance(one, CompiledKernel)}


def origins_of(model: Model) -> dict[str, Origin]:
    """Where the C++ kernels are from that run a model's operators."""
    return {name: kernel.origin for name, kernel in compiled_operators(model).items()}


def registration_of(kernel: CompiledKernel) -> Registration:
    """A compiled kernel's registration.

    Raises:
        KernelBuildError: Its function gives none that can run.
    """
    functions, name = kernel.functions, kernel.name
    if not functions["invoke"]:
        function = kernel.declared[name].name
        raise KernelBuildError(f"expected a registration with invoke from {function}(), got none")
    own = builtin(name) if name in BuiltinOperator.__members__ else None
    init, prepare, invoke = kernel.init, kernel.prepare, kernel.invoke
    return Registration(
        invoke=invoke,
        prepare=prepare,
        init=init,
        reset=kernel.reset if functions["reset"] else None,
        free=kernel.free if functions["free"] else None,
        name=name,
        options=None if own is None else own.options,
        native=NativeKernel(invoke, kernel.step, prepare, init, in_copy, begins_anew),
    )


def _path(path: AnyPath) -> Path:
    return Path(os.fspath(path)).absolute()


def _paths(paths: Sequence[AnyPath]) -> tuple[Path, ...]:
    return tuple(map(_path, paths))
