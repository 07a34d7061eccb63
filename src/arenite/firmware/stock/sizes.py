"""Demands of a user's kernel on a 32-bit arena: run there, on the emulated core.

The host's ``sizeof`` is not the device's where a struct has pointers. So TFLM's own interpreter
runs ``init`` and ``prepare`` of the one operator on the core, and what it is asked for counts.
"""

from __future__ import annotations

from arenite.firmware.stock.board import StockBoard
from arenite.kernels.build import Origin
from arenite.kernels.sizes import PERSISTENT, SCRATCH
from arenite.model import Model

#: Of the arena: what the kernel takes beyond its tensors is not known yet.
_ROOM = 2 << 20
#: The virtual functions that get every request, and which argument has the bytes (0: ``this``).
_FUNCTIONS = {
    "_ZN6tflite23MicroInterpreterContext24AllocatePersistentBufferEj": (PERSISTENT, 1),
    "_ZN6tflite23MicroInterpreterContext27RequestScratchBufferInArenaEjPi": (SCRATCH, 1),
}


def asked_on_core(model: Model, origin: Origin, processor: str) -> list[tuple[str, int]]:
    """Demands of the kernel of a model with one operator, in order.

    Raises:
        BoardError: It cannot be built for the core, or does not run there.
    """
    arena = _ROOM + 4 * sum(tensor.nbytes for tensor in model.main.tensors)
    own = {model.main.operators[0].name: origin}
    board = StockBoard(model, origin.request.tflm, processor, own, arena=arena)
    found = board.asks({name: argument for name, (_, argument) in _FUNCTIONS.items()})
    return [(_FUNCTIONS[name][0], size) for name, size in found]
