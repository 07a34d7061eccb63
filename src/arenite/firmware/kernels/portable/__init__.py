"""Kernels as plain C loops, which any processor runs: one module per kind of layer.

A module's ``KERNELS`` says by operator name which function makes a layer's work. The bits are
those of TensorFlow Lite Micro's reference kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from arenite.firmware.kernels.portable import (
    activation,
    add_mul,
    axis_ops,
    batch_matmul,
    compared,
    control,
    conversion,
    convolution,
    custom,
    depthwise,
    div_prelu,
    fourier,
    index_maps,
    indexing,
    lstm,
    normalization,
    pooling,
    reduction,
    reshape_pad_concat,
    resizing,
    resources,
    signal,
    slice_transpose,
    softmax,
    streams,
    svdf,
    unary,
)
from arenite.firmware.kernels.portable.plain_loops import plain_loops
from arenite.firmware.network.kernel import Routine, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Layer
from arenite.wings import WINGS, wing_of

_MODULES = (
    *(activation, axis_ops, div_prelu, batch_matmul, add_mul, compared, conversion),
    *(convolution, custom, depthwise, fourier, indexing, lstm, reshape_pad_concat, index_maps),
    *(normalization, slice_transpose, pooling, reduction, resizing, resources, signal, softmax),
    *(streams, svdf, unary),
)
KERNELS: dict[str, Callable[[Layer[Any]], Work]] = dict(
    chain.from_iterable(module.KERNELS.items() for module in _MODULES)
)
#: Those that only move bytes, and take who writes a move as well.
MOVERS: dict[str, Callable[..., Work]] = {
    **reshape_pad_concat.MOVERS,
    **slice_transpose.MOVERS,
    **index_maps.MOVERS,
    **resources.MOVERS,
}


def portable_work(layer: AnyLayer) -> Work:
    """A layer as plain C."""
    if layer.kernel is not None:
        raise UnsupportedError("a kernel of yours in C++ runs in the main subgraph alone")
    wing = wing_of(layer.name)
    kernels = wing.module("kernels").KERNELS if wing else KERNELS
    kernel: Callable[[AnyLayer], Work] | None = kernels.get(layer.name)
    if kernel is None:
        raise UnsupportedError("the operator has no exported kernel yet")
    if layer.outputs and layer.name not in CALLERS and not any(y.size for y in layer.outputs):
        return _nothing(layer)
    return _readable(kernel(layer))


def _readable(work: Work) -> Work:
    return replace(work, routine=_plain(work.routine)) if work.routine else work


def _plain(routine: Routine) -> Routine:
    """A routine and what it calls in C that people read; assembly as it is."""
    parts = tuple((word, _plain(part)) for word, part in routine.parts)
    body = plain_loops(routine.body) if routine.language == "c" else routine.body
    return replace(routine, body=body, parts=parts)


def work_with(kernels: Mapping[str, Callable[[Layer[Any]], Work]], layer: AnyLayer) -> Work:
    """A layer by a processor's own kernel, or as plain C with the reason why."""
    kernel = kernels.get(layer.name)
    if kernel is None:
        return portable_work(layer)
    try:
        return _readable(kernel(layer))
    except UnsupportedError as error:
        return replace(portable_work(layer), reason=str(error))


def _nothing(layer: AnyLayer) -> Work:
    """The kernel of a layer whose outputs have no elements."""
    parameters = tuple(f"uint8_t *y{number}" for number in range(len(layer.outputs)))
    text = "\n".join(f"(void)y{number};" for number in range(len(layer.outputs)))
    return Work(Routine("nothing", parameters, text, about=str(layer)), layer.outputs)


CALLERS = control.control(portable_work)
KERNELS |= CALLERS


def exported_names() -> list[str]:
    """Names of all operators with a kernel, sorted."""
    return sorted(chain(KERNELS, *(wing.module("kernels").KERNELS for wing in WINGS)))
