"""Models with RESIZE_NEAREST_NEIGHBOR or RESIZE_BILINEAR, for their tests."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.resize_bilinear import ResizeBilinearOptions
from arenite.ops.tflite.resize_nearest_neighbor import ResizeNearestNeighborOptions
from tests.ops.differential import one_operator, run_arenite

OPTIONS = {
    "RESIZE_BILINEAR": ResizeBilinearOptions,
    "RESIZE_NEAREST_NEIGHBOR": ResizeNearestNeighborOptions,
}


def resize(
    name: str,
    kind: str,
    shape: tuple[int, ...],
    size: tuple[int, ...],
    *,
    corners: bool = False,
    centers: bool = False,
    **changes: Any,
) -> Model:
    """Resize an image of ``shape`` to ``(height, width)``."""
    b = ModelBuilder()
    x = b.input("x", shape, kind)
    fed = changes.get("feed_size", False)
    value = np.array(size, changes.get("size_type", np.int32))
    new = b.input("size", value.shape, "int32") if fed else b.constant("size", value)
    output = changes.get("output", (shape[0], *size, shape[-1]))
    y = b.tensor("y", output, changes.get("output_type", kind))
    return one_operator(b, name, [x, new], [y], OPTIONS[name](corners, centers))


@st.composite
def models(draw: st.DrawFn, name: str, kinds: tuple[str, ...]) -> Model:
    sizes = st.integers(1, 12) | st.sampled_from([1, 2, 40])
    height, width, new_height, new_width = (draw(sizes) for _ in range(4))
    corners = draw(st.booleans())
    return resize(
        name,
        draw(st.sampled_from(kinds)),
        (draw(st.integers(1, 2)), height, width, draw(st.integers(1, 4))),
        (new_height, new_width),
        corners=corners,
        centers=draw(st.booleans()) and (name != "RESIZE_BILINEAR" or not corners),
    )


def run_line(model: Model, values: list[float]) -> Any:
    """The output as a flat list."""
    x = model.inputs[0]
    value = np.array(values, x.type.dtype).reshape(x.shape)
    return run_arenite(model, [[value]])[0][0].ravel().tolist()


#: What both refuse: arguments of :func:`resize` behind the name, changes, message.
REFUSED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (("uint8", (1, 2, 2, 1), (3, 3)), {}, "Input 0 is one of: float32, int8"),
    (("int8", (1, 2, 2, 1), (3, 3)), {"size_type": np.int64}, "Input 1 is one of: int32"),
    (("int8", (1, 2, 2, 1), (3, 3)), {"output_type": "int16"}, "have the same type"),
    (("int8", (1, 2, 2, 1), (3, 3)), {"feed_size": True}, "Input 1 is a constant"),
    (("int8", (1, 2, 2), (3, 3)), {}, "Input 0 has 4 dimensions"),
    (("int8", (1, 0, 2, 1), (3, 3)), {}, "no dimension of 0"),
    (("int8", (1, 2, 2, 1), (3, 0)), {}, "at least 1 each"),
    (("int8", (1, 2, 2, 1), (3, 3, 3)), {}, "Input 1 is .height, width. of output 0"),
    (("int8", (1, 2, 2, 1), (3, 3)), {"output": (1, 3, 4, 1)}, "Input 1 is .height, width. of"),
    (("int8", (1, 2, 2, 1), (3, 3)), {"output": (3, 3, 1)}, "Input 1 is .height, width. of"),
]
