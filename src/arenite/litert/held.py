"""Arrays over an interpreter's memory that its callers still hold."""

from __future__ import annotations

from weakref import WeakSet

import numpy as np

from arenite.model.details import copied
from arenite.model.model import Array

#: LiteRT's sentence (``interpreter.py``, ``_ensure_safe``).
_HELD = """There is at least 1 reference to internal data
      in the interpreter in the form of a numpy array or slice. Be sure to
      only hold the function returned from tensor() if you are using raw
      data access."""


class _Owner:
    """Base that an array and all its slices keep alive."""

    def __init__(self, data: Array) -> None:
        self._data = data  # which the address below belongs to
        self.__array_interface__ = data.__array_interface__


class HeldArrays:
    """Makes arrays over an interpreter's tensors, and knows whether one is still there."""

    def __init__(self) -> None:
        self._owners: WeakSet[_Owner] = WeakSet()

    def view(self, data: Array) -> Array:
        """An array over the same memory, writable where ``data`` is; without dimensions a copy."""
        if not data.ndim:
            return copied(data)
        owner = _Owner(data)
        self._owners.add(owner)
        found: Array = np.asarray(owner)
        return found

    @property
    def are_gone(self) -> bool:
        """Whether nobody holds one of the arrays, or a slice of one."""
        return not len(self._owners)

    def check(self) -> None:
        """Refuse to go on while memory may change under somebody's array.

        Raises:
            RuntimeError: An array, or a slice of one, is held.
        """
        if not self.are_gone:
            raise RuntimeError(_HELD)
