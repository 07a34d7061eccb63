"""A resolver whose operators are TFLM's CMSIS-NN kernels where TFLM has some."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.operators import glue_for
from arenite.libraries.cmsis_nn.tflm_kernels import registration
from arenite.ops import OpResolver, Registration, builtin
from arenite.target import Target


class CmsisNnResolver:
    """Finds what ``resolver`` finds, with CMSIS-NN in place of Arenite's own kernels.

    A registration that is not Arenite's own stays as it is, whole: with another ``init`` or
    ``prepare`` it is a kernel of the user's, as with another ``invoke``.
    """

    def __init__(self, resolver: OpResolver, target: Target) -> None:
        self._resolver = resolver
        self._target = target

    def find(self, name: str) -> Registration | None:
        """The registration of a builtin or custom name, or None."""
        found = self._resolver.find(name)
        glue = glue_for(name)
        if found is None or glue is None or found != builtin(name):
            return found
        return registration(found, glue, self._target)

    def __repr__(self) -> str:
        return repr(self._resolver)
