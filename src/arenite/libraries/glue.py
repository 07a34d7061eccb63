"""TFLM's kernels on top of a library: what they allocate, and which function they call.

A file in a library's ``operators/`` describes one operator with a :class:`Glue`. From that and the
reference kernel's registration :func:`registration` makes one that allocates as TFLM's kernel on
top of the library does; parameters are the reference's, and so are the results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from arenite.libraries.path import Path
from arenite.library_facts import facts_of
from arenite.memory.abi import Struct
from arenite.ops import Context, NativeKernel, Node, Registration, TfLiteTensor
from arenite.ops.constraints import Constraint, NodeView, view_of
from arenite.ops.kernel_util import allocate_struct
from arenite.ops.overlap import Clearance
from arenite.target import Target


@dataclass
class OpData:
    """Record that ``prepare`` leaves for ``invoke`` in ``node.user_data``.

    Attributes:
        path: The function that the operator's work goes to.
        buffers: Handles of the scratch buffers, in the order of the requests.
    """

    path: Path
    buffers: tuple[int, ...]


@dataclass(frozen=True)
class OwnBits:
    """Results that are a library's and not those of TFLM's reference.

    Attributes:
        record: The parameters of a node that has such results.
        prepare: ``prepare(view, params, path)`` makes them of the reference's ``params``, or
            gives these back where the results are the same.
        invoke: ``invoke(context, node)`` computes the library's, from such a record; None where the
            reference's kernels do it, with these parameters.
        kernel: The native kernel that does the same as ``invoke``; empty where there is none.
    """

    record: type
    prepare: Callable[[NodeView, Any, Path], Any]
    invoke: Callable[[Context, Node], None] | None = None
    kernel: str = ""


#: As :data:`arenite.ops.overlap.Overlap`, for the function that was decided on.
PathOverlap = Callable[[NodeView, int, Path, Target], Clearance | None]


@dataclass(frozen=True)
class Glue:
    """One operator in a folder of TFLM's ``micro/kernels``.

    Attributes:
        decide: ``decide(view, target)`` is the function that the operator's work goes to, with
            its memory.
        op_data: The struct that ``init`` allocates; None where it is the reference's.
        allocate: ``allocate(context, node, path)`` takes temporary tensors and persistent
            buffers as ``prepare`` does, in order; None where it is the reference's, with what the
            path says to be persistent behind it.
        constraints: What is demanded beyond the reference's constraints.
        bits: Where the library's results differ; None where the reference's are right for all.
        overlap: ``overlap(view, position, path, target)``: how near above its output an input may
            begin where a function of the library does the work; None where none may.
        undefined: ``undefined(view, path, target)`` says what the library reads that is no part of
            the model, and what to do about it; empty where it reads nothing else. Results are
            the reference's there, with a warning.
    """

    decide: Callable[[NodeView, Target], Path]
    op_data: Struct | None = None
    allocate: Callable[[Context, Node, Path], None] | None = None
    constraints: tuple[Constraint, ...] = ()
    bits: OwnBits | None = None
    overlap: PathOverlap | None = None
    undefined: Callable[[NodeView, Path, Target], str] | None = None


def registration(reference: Registration, glue: Glue, target: Target) -> Registration:
    """The reference's registration with the glue's allocations."""

    def prepare(context: Context, node: Node) -> Any:
        accounted = context if glue.allocate is None else Unaccounted(context).seen()
        params = None if reference.prepare is None else reference.prepare(accounted, node)
        view = view_of(context, node)
        path = glue.decide(view, target)
        if glue.allocate is not None:
            glue.allocate(context, node, path)
        else:
            for kept in path.persistent:
                context.reserve_persistent_buffer(kept.size, kept.purpose)
        buffers = tuple(
            context.request_scratch_buffer_in_arena(request.size, request.purpose)
            for request in path.scratch
        )
        node.user_data = OpData(path, buffers)
        unknown = glue.undefined(view, path, target) if glue.undefined is not None else ""
        if unknown:
            context.warn_undefined(f"{unknown}; {_instead(target)}")
            return params
        return params if glue.bits is None else glue.bits.prepare(view, params, path)

    def overlap(view: NodeView, position: int) -> Clearance | None:
        path = glue.decide(view, target)
        if not path.is_library:
            return None if reference.overlap is None else reference.overlap(view, position)
        return None if glue.overlap is None else glue.overlap(view, position, path, target)

    init = reference.init if glue.op_data is None else allocate_struct(glue.op_data)
    constraints = (*reference.constraints, *glue.constraints)
    native = NativeKernel(reference.invoke, reference.kernel_for, prepare, init)
    found = replace(reference, init=init, prepare=prepare, native=native)
    found = replace(found, constraints=constraints, overlap=overlap)
    return found if glue.bits is None else _with_bits(found, glue.bits)


def _instead(target: Target) -> str:
    """End of a sentence about an undefined result."""
    title = facts_of(target.library).title
    return f"results here are those of TFLM's own kernel, which a firmware without {title} has"


def _with_bits(reference: Registration, bits: OwnBits) -> Registration:
    """The registration with the library's results for nodes whose parameters say so."""
    own = bits.invoke
    if own is None:
        return reference

    def invoke(context: Context, node: Node) -> None:
        run = own if isinstance(node.params, bits.record) else reference.invoke
        run(context, node)

    def kernel(node: Node) -> str:
        return bits.kernel if isinstance(node.params, bits.record) else reference.kernel_for(node)

    native = NativeKernel(invoke, kernel, reference.prepare, reference.init)
    return replace(reference, invoke=invoke, native=native)


class Unaccounted:
    """A context whose memory does not come from the arena, for the reference's ``prepare``.

    All else is the host's: the state, the model's subgraphs, errors and warnings.
    """

    def __init__(self, host: Context) -> None:
        self._host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    def get_tensor(self, index: int) -> TfLiteTensor:
        """A full tensor that takes no temporary memory."""
        return self._host.view_tensor(index)

    def allocate_persistent_buffer(self, size: int, purpose: str = "") -> npt.NDArray[np.uint8]:
        """Bytes outside of the arena."""
        return np.zeros(size, np.uint8)

    def reserve_persistent_buffer(self, size: int, purpose: str = "") -> None:
        """Nothing."""

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """No handle: reference kernels have memory of their own."""
        return -1

    def seen(self) -> Context:
        """Itself as what a kernel takes it for."""
        return cast("Context", self)
