"""Kernels of MNN's operators in exported firmware, as plain C loops."""

from itertools import chain

from arenite.mnn.kernels import elementwise, images, moves

KERNELS = dict(
    chain.from_iterable(module.KERNELS.items() for module in (elementwise, images, moves))
)
