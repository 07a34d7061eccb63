"""TRANSPOSE: TFLM ``micro/kernels/cmsis_nn/transpose.cc``.

``arm_transpose_s8`` looks at the order of three dimensions or four. Two it always exchanges
(``TransposeFunctions/arm_transpose_s8.c``): asked for their own order, it writes the exchanged
values into the output's memory.
"""

from __future__ import annotations

from dataclasses import replace

from arenite.libraries.cmsis_nn.operators._constraints import int8_within_4_dimensions
from arenite.libraries.cmsis_nn.operators._int8 import int8_glue
from arenite.libraries.glue import OwnBits
from arenite.libraries.path import Path
from arenite.ops.constraints import NodeView
from arenite.ops.tflite.transpose import TransposeParams


def own(view: NodeView, params: TransposeParams, path: Path) -> TransposeParams:
    """Two dimensions are exchanged."""
    if not path.is_library or len(params.perm) != 2:
        return params
    rows, columns = view.input(0).shape
    return TransposeParams(perm=(1, 0), output_shape=(columns, rows))


GLUE = replace(
    int8_glue("arm_transpose_s8", "Transpose", int8_within_4_dimensions("arm_transpose_s8")),
    bits=OwnBits(TransposeParams, own),
)
