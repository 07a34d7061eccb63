"""Methods that take the shortest way to an inference: see ``csrc/python/fast_call.c``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from arenite.model import Array
from arenite.native.engine import extension, ffi, lib
from arenite.native.tensors import numpy_functions

#: The methods, in the order of C's ``kind``.
METHODS = ("__call__", "invoke", "predict")
_lock = Lock()
_owners: list[type] = []


def shorten(owner: type) -> bool:
    """Let the class's methods take the ``_shortcut`` of an object where a call fits it.

    They keep their names, signatures and documentation. Only one class can have it. The first
    object asks for it, not the class's definition: that would load the engine with ``arenite``. A
    method of the class's own that looks for a shortcut would be one more call in Python, where the
    whole way takes 0.2 microseconds.

    Returns:
        Whether they do; not without a global interpreter lock, which Python may be built without.
    """
    if owner in _owners:
        return True
    with _lock:
        if not _owners and lib.ar_add_fast_call():
            _owners.append(owner)
            for kind, name in enumerate(METHODS):
                function = vars(owner)[name]
                method = extension.shortened(owner, kind, _documented(name, function), function)
                setattr(owner, name, method)
        return owner in _owners


def _documented(name: str, function: Callable[..., Any]) -> str:
    """A signature and a text as functions in C have them."""
    signature = inspect.signature(function)
    bare = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    text = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    text = text.replace("(self, /", "(self", 1).replace("(self", "($self, /", 1)
    return f"{name}{text}\n--\n\n{function.__doc__}"


def shortcut(
    program: Any,
    sources: Sequence[Array],
    outputs: Sequence[Array],
    turn: list[None],
    rest: Callable[[int, bool], bool],
    *,
    keep: Any,
    predicts: bool,
) -> Any:
    """Arguments of calls, or None where they cannot be taken.

    Args:
        program: The ``ar_program``.
        sources: The inputs' memory: arrays like them are copied there.
        outputs: The outputs' memory, copied from.
        turn: Holds a token while nobody works in the arena.
        rest: ``rest(status, is_predict)`` brings an inference to its end that has returned early.
        keep: Lives as long as the shortcut.
        predicts: Whether ``predict`` of one sample does what a call does.
    """
    functions = numpy_functions()
    if functions is None:
        return None
    address = int(ffi.cast("intptr_t", program))
    ports = (tuple(map(_known, arrays)) for arrays in (sources, outputs))
    try:
        return extension.Shortcut(
            *(address, *ports, turn, rest, keep),
            *(functions, predicts),
        )
    except ValueError:  # more than it has room for, or not aligned: any arena is legal
        return None


def _known(array: Array) -> tuple[Array, int, int, int]:
    """An array and what it says of itself, with which C compares what it sees."""
    address = int(ffi.cast("intptr_t", ffi.from_buffer(array)))
    return array, address, array.nbytes, array.flags.num
