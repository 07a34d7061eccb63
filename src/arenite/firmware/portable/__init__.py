"""Kernels as plain C loops, which any processor runs: one module per kind of layer.

A module's ``KERNELS`` says by operator name which function makes a layer's work. The bits are
those of TensorFlow Lite Micro's reference kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from arenite.firmware.layers import Layer
from arenite.firmware.portable import (
    activation,
    along,
    arithmetic,
    batch_matmul,
    binary,
    compared,
    control,
    conversion,
    convolution,
    custom,
    fourier,
    indexing,
    lstm,
    movement,
    moves,
    normalization,
    picking,
    pooling,
    reduction,
    resizing,
    resources,
    signal,
    softmax,
    streams,
    svdf,
    unary,
)
from arenite.firmware.work import UnsupportedError, Work

_MODULES = (
    *(activation, along, arithmetic, batch_matmul, binary, compared, conversion),
    *(convolution, custom, fourier, indexing, lstm, movement, moves, normalization),
    *(picking, pooling, reduction, resizing, resources, signal, softmax),
    *(streams, svdf, unary),
)
_KERNELS: dict[str, Callable[[Layer], Work]] = dict(
    chain.from_iterable(module.KERNELS.items() for module in _MODULES)
)


def portable_work(layer: Layer) -> Work:
    """A layer as plain C.

    Raises:
        UnsupportedError: There is no such kernel yet; says for what.
    """
    kernel = _KERNELS.get(layer.name)
    if kernel is None:
        raise UnsupportedError("the operator has no exported kernel yet")
    return kernel(layer)


_KERNELS |= control.control(portable_work)


def exported_names() -> list[str]:
    """Names of all operators with a kernel, sorted."""
    return sorted(_KERNELS)
