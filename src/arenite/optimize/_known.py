"""Rules for results that are known before anything runs; see :mod:`arenite.optimize.lowerings`."""

from __future__ import annotations

import numpy as np

from arenite.optimize.parts import Parts

#: The most integers of a constant that is made.
_MOST_INDICES = 1 << 20
#: The most elements of a constant that is made.
_MOST_FILLED = 1 << 12


def rank(parts: Parts) -> None:
    """The number of dimensions, which the file says."""
    parts.become_constant(np.array(len(parts.shape(0))))


def arange(parts: Parts) -> None:
    """A range between constants; equal bits."""
    start, limit, delta = (parts.integer(n) for n in range(3))
    parts.require(delta != 0, "it has no end")
    values = range(start, limit, delta)
    parts.require(len(values) <= _MOST_INDICES, "it is too long")
    parts.become_constant(np.array(values, parts.y.type.dtype))


def expand_dims(parts: Parts) -> None:
    """RESHAPE, which takes all types; equal bits."""
    parts.run("RESHAPE", parts.input(0), parts.told(parts.y.shape))


def fill(parts: Parts) -> None:
    """A constant of any type, where it is small; equal bits."""
    shape = tuple(parts.integers(0))
    value = parts.constant(1)
    parts.settle(shape)
    parts.require(value.size == 1 and parts.y.size <= _MOST_FILLED, "it is too large, or no value")
    parts.become_constant(np.full(shape, value.reshape(-1)[0]))


def where(parts: Parts) -> None:
    """The places of what is true in a constant; equal bits."""
    found = np.argwhere(parts.constant(0))
    parts.require(0 < len(found) <= _MOST_FILLED, "it has too many places, or none")
    parts.settle(found.shape)
    parts.become_constant(found)


def gather(parts: Parts) -> None:
    """Entries of a constant, as shapes have them; equal bits."""
    table, indices = parts.constant(0), parts.constant(1)
    batches = getattr(parts.operator.options, "batch_dims", 0)
    parts.require(table.ndim == 1 and not batches and table.dtype.kind == "i", "it is no shape")
    fits = indices.dtype.kind == "i" and ((indices >= 0) & (indices < table.size)).all()
    parts.require(bool(fits) and indices.size <= _MOST_FILLED, "its indices are outside")
    parts.become_constant(table[indices])


def product_of_all(parts: Parts) -> None:
    """The product of a constant's values, as shapes have it; equal bits."""
    value = parts.constant(0)
    parts.require(value.size <= _MOST_INDICES and value.dtype.kind == "i", "it is no shape")
    axes = parts.integers(1)
    parts.require(all(-value.ndim <= one < value.ndim for one in axes), "its axes are none")
    product = np.multiply.reduce(value, tuple({one % value.ndim for one in axes}))
    parts.require(product.size == parts.y.size, "the file says another shape")
    parts.become_constant(product.reshape(parts.y.shape))
