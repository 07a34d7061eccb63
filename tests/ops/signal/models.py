"""Models with one operator of the signal library."""

from typing import Any

import numpy as np
from flatbuffers import flexbuffers

from arenite.model import Model, ModelBuilder, flexbuffer
from tests.ops.differential import one_operator

Array = np.ndarray[Any, Any]
#: A tensor that is fed: shape and type; or a constant.
Port = tuple[tuple[int, ...], str] | Array
#: Of transforms: even lengths whose halves are products of 2, 3 and 5.
LENGTHS = [4, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 36, 40, 48, 50, 54, 60, 64, 72, 80, 90, 96]
LENGTHS += [100, 108, 120, 128, 144, 150, 160, 162, 180, 200, 240, 250, 256, 300, 360, 400, 512]
#: Types of transforms.
KINDS = ["int16", "int32", "float32"]


def signal_model(
    name: str, options: dict[str, int], inputs: list[Port], outputs: list[tuple[Any, str]]
) -> Model:
    """An operator between inputs, constants and outputs."""
    b = ModelBuilder()
    ids = [
        b.input(f"x{i}", *port) if isinstance(port, tuple) else b.constant(f"x{i}", port)
        for i, port in enumerate(inputs)
    ]
    ends = [b.tensor(f"y{i}", shape, kind) for i, (shape, kind) in enumerate(outputs)]
    return one_operator(b, name, ids, ends, custom_options=bytes(flexbuffers.Dumps(options)))


def options_of(model: Model) -> dict[str, int]:
    """The operator's options."""
    found: dict[str, int] = flexbuffer.read(model.main.operators[0].custom_options)
    return found
