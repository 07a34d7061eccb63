"""Options as a kernel gets them: the file's bytes, or a model for the tree's own parser."""

from __future__ import annotations

import numpy as np

from arenite.formats.tflite_write import write
from arenite.model import Model, Operator, OptionsTable, Subgraph
from arenite.native.kernel import address
from arenite.ops.context import Array

_OPTIONS_ALIGNMENT = 16


def options_alone(name: str, options: OptionsTable) -> bytes:
    """A model of a builtin operator's options, for the tree's own parser."""
    operator = Operator(name, (), (), options=options)
    return write(Model((Subgraph((), (operator,), (), ()),)))


def aligned_options(content: bytes) -> Array:
    """Bytes at an address that the file's alignment would give them, as kernels keep pointers."""
    memory = np.empty(len(content) + _OPTIONS_ALIGNMENT, np.uint8)
    begin = -address(memory) % _OPTIONS_ALIGNMENT
    memory[begin : begin + len(content)] = np.frombuffer(content, np.uint8)
    return memory[begin : begin + len(content)]
