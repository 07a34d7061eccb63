"""Images in other sizes, transposed convolutions, normalisations.

Facts: MNN 3.6.1 ``shape/ShapeInterp.cpp``, ``geometry/ConvertUtils.hpp``,
``backend/cpu/CPUInterp.cpp``, ``CPUResize.hpp``, ``shape/ShapeDeconvolution.cpp``,
``geometry/GeometryLRN.cpp``, ``GeometryLayernorm.cpp``.
"""

from __future__ import annotations

from math import isfinite, prod

import numpy as np
import numpy.typing as npt

from arenite.formats.flatbuffer import Row
from arenite.mnn.file.enums import Format, OpType
from arenite.mnn.file.net import Op, Shape
from arenite.mnn.lowering.graph_builder import GraphBuilder, Key, Layout
from arenite.mnn.lowering.placed import (
    PlacedResizeBilinearOptions,
    PlacedResizeNearestNeighborOptions,
)
from arenite.mnn.lowering.quantization import computes_in_int8
from arenite.mnn.lowering.values import Steps
from arenite.mnn.lowering.windows import Images, Pair
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from arenite.mnn.operators.int8_to_float import MnnInt8ToFloatOptions
from arenite.mnn.operators.layer_norm import MnnLayerNormOptions
from arenite.mnn.operators.lrn import MnnLrnOptions
from arenite.mnn.operators.resize_bilinear_int8 import MnnResizeBilinearInt8Options
from arenite.mnn.operators.resize_cubic import MnnResizeCubicOptions
from arenite.model import OptionsTable, TensorType
from arenite.ops.shared.reduction import ReducerOptions
from arenite.ops.tflite.add import AddOptions
from arenite.ops.tflite.mul import MulOptions

#: ``Interp.resizeType``
NEAREST, BILINEAR, CUBIC, NEAREST_ROUND = 1, 2, 3, 4
#: ``enum CoordinateTransformationMode``
NOT_SET, ALIGN_CORNERS, HALF_PIXELS, PYTORCH_HALF_PIXELS, ASYMMETRIC, TF_HALF_PIXELS = range(6)
#: Rows or columns at most: the position of each is computed while loading, and takes 32 bytes.
_LARGEST = 1 << 13
_AT_MOST = f": expected 1 to {_LARGEST} rows and columns, and a known mode"


def interp(g: GraphBuilder, op: Op) -> None:
    """Interp: nearest, bilinear or cubic, in one of MNN's coordinate systems."""
    row, kind = op.main, op.main["resizeType"]
    images = Images.of(g, op, g.input(op))
    fixed = fixed_size(g, op, images)
    size, factors = output_size(g, op, row, images) if fixed is None else (fixed, (None, None))
    sizes = (*size, *images.size)
    modes = (NEAREST, BILINEAR, CUBIC, NEAREST_ROUND)
    if kind not in modes or min(sizes) < 1 or max(sizes) > _LARGEST:
        g.fail(op, f"cannot resize {images.size} to {size} in mode {kind}{_AT_MOST}")
    if fixed is not None:
        lines = [(row[f"{side}Scale"], row[f"{side}Offset"]) for side in ("height", "width")]
        resized(g, op, images, size, lines)
        return
    axes = [
        coordinates(g, op, row, axis, factor)
        for axis, factor in zip(zip(images.size, size, strict=True), factors, strict=True)
    ]
    resized(g, op, images, size, axes)


def resize(g: GraphBuilder, op: Op) -> None:
    """Resize: bilinear by two factors.

    Of NHWC MNN enlarges width and channels (``shape/ShapeResize.cpp``), and reads channels that
    are not there.
    """
    images = Images.of(g, op, g.input(op))
    if images.value.format is Format.NHWC:
        shape = list(images.value.shape)
        g.fail(op, f"its input is NHWC {shape}; expected NC4HW4, as from a ConvertTensor before it")
    factors = (op.main["yScale"], op.main["xScale"])
    height, width = (scaled(n, f) for n, f in zip(images.size, factors, strict=True))
    if min(height, width, *images.size) < 1 or max(height, width) > _LARGEST:
        g.fail(op, f"cannot resize {images.size} to {(height, width)}{_AT_MOST}")
    axes = [(n / m, 0.0) for n, m in zip(images.size, (height, width), strict=True)]
    resized(g, op, images, (height, width), axes)


Line = tuple[float, float]
"""``position = scale * index + offset``, with numbers of float32."""


def scaled(n: int, factor: float) -> int:
    """``n`` times a factor, cut off; 0 if that is no number."""
    product = n * float(factor)
    return int(product) if isfinite(product) else 0


def fixed_size(g: GraphBuilder, op: Op, images: Images) -> Pair | None:
    """Height and width of the output in a model of fixed shapes, or None in others.

    The rows of such models have the scales and offsets with which the kernel computes.
    """
    row = g.net.described.get(op.outputs[0]) if g.net.is_static and op.outputs else None
    if row is None or row["blob"] is None or row["blob"]["dims"] is None:
        return None
    dims = row["blob"]["dims"].tolist()
    if len(dims) != images.value.rank:
        g.fail(op, f"expected an output of {images.value.rank} dimensions, got {dims}")
    first = 1 if images.value.format is Format.NHWC and len(dims) == 4 else 2
    height, width = (*dims[first:], 1, 1)[:2]
    return height, width


def output_size(
    g: GraphBuilder, op: Op, row: Row, images: Images
) -> tuple[Pair, tuple[float | None, float | None]]:
    """Height and width, and the factors if the second input gives factors."""
    if len(op.inputs) < 2:
        size = (row["outputHeight"], row["outputWidth"])
        if not all(size):
            factors = (row["heightScale"], row["widthScale"])
            size = (scaled(images.size[0], factors[0]), scaled(images.size[1], factors[1]))
        return size, (None, None)
    numbers = g.known(op, 1).reshape(-1)
    is_factor = numbers.dtype.kind == "f"
    x = images.value
    if len(numbers) != x.rank:
        if len(numbers) != 2:
            g.fail(op, f"expected 2 or {x.rank} numbers for the size, got {len(numbers)}")
        return (int(numbers[0]), int(numbers[1])), (None, None)
    shape = [scaled(s, n) if is_factor else int(n) for n, s in zip(numbers, x.shape, strict=True)]
    first = 1 if x.format is Format.NHWC and x.rank == 4 else 2
    others = [axis for axis in range(x.rank) if axis not in (first, first + 1)]
    if any(shape[axis] != x.shape[axis] for axis in others):
        g.fail(op, f"only height and width can be resized, not {list(x.shape)} to {shape}")
    height, width = (*shape[first:], 1)[:2]
    if not is_factor:
        return (height, width), (None, None)
    down, right = (*(float(n) for n in numbers[first:]), 1.0)[:2]
    return (height, width), (down, right)


def coordinates(g: GraphBuilder, op: Op, row: Row, sizes: Pair, factor: float | None) -> Line:
    """The mapping of an axis of ``(input, output)`` elements, in float32 as MNN computes it."""
    f = np.float32
    n, m = sizes
    mode = row["ctm"]
    given = f(1) / f(factor) if factor else None
    ratio = f(n) / f(m) if given is None else given
    corners = f(0) if m == 1 else f(n - 1) / f(m - 1)
    if mode == NOT_SET:
        if row["halfPixelCenters"] and row["resizeType"] != NEAREST:
            mode = HALF_PIXELS
        elif row["alignCorners"]:
            return float(corners if given is None else given), 0.0
        else:
            mode = ASYMMETRIC
    if mode == ALIGN_CORNERS:
        return float(corners), 0.0
    if mode == PYTORCH_HALF_PIXELS and m == 1:
        return float(f(0) if given is None else given), 0.0
    if mode in (HALF_PIXELS, PYTORCH_HALF_PIXELS):
        return float(ratio), float(f(0.5) * ratio - f(0.5))
    if mode == TF_HALF_PIXELS:
        return float(ratio), float(f(0.5) * ratio)
    if mode != ASYMMETRIC:
        g.fail(op, f"coordinate mode {mode} is not supported", ".main.ctm")
    return float(ratio), 0.0


def resized(g: GraphBuilder, op: Op, images: Images, size: Pair, axes: list[Line]) -> None:
    """Emit the resizing."""
    if not all(isfinite(number) for line in axes for number in line):
        g.fail(op, f"expected finite scales and offsets, got {axes}")
    y = g.output(op, images.logical(size, images.channels), images.value)
    shape = (images.batches, *size, images.channels)
    kind = op.main["resizeType"] if op.type is OpType.Interp else BILINEAR
    if computes_in_int8(op, g.steps):
        x, steps, out = images.value, g.steps[op.inputs[0]], g.steps[op.outputs[0]]
        source = g.shaped(g.bytes(x, Key(Layout.LAST, steps)), images.shape, x.name)
        resized_int8(g, source, g.new(y, Layout.LAST, shape, steps=out), (kind, axes, steps, out))
        return
    source, target = images.tensor(g), g.new(y, Layout.LAST, shape)
    if kind == CUBIC:
        options: OptionsTable = MnnResizeCubicOptions(size, axes[0], axes[1])
        g.emit("MNN_RESIZE_CUBIC", [source], [target], options)
    elif kind == BILINEAR:
        rows, columns = (floats(positions(m, *line)) for m, line in zip(size, axes, strict=True))
        inputs = [source, g.constant(np.array(size, np.int32), "size")]
        options = PlacedResizeBilinearOptions(placement=(rows, columns))
        g.emit("RESIZE_BILINEAR", inputs, [target], options)
    else:
        nearest(g, source, target, kind, axes)


def resized_int8(
    g: GraphBuilder, source: int, target: int, row: tuple[int, list[Line], Steps, Steps]
) -> None:
    """The same of int8, whose scale MNN takes for that of the output."""
    kind, axes, steps, out = row
    size = (g.shapes[target][1], g.shapes[target][2])
    if kind in (NEAREST, NEAREST_ROUND):
        nearest(g, source, target, kind, axes)
    elif kind == BILINEAR:
        options: OptionsTable = MnnResizeBilinearInt8Options(size, axes[0], axes[1])
        g.emit("MNN_RESIZE_BILINEAR_INT8", [source], [target], options)
    else:
        whole = g.temporary(g.shapes[source], TensorType.FLOAT32, "whole numbers")
        g.emit("MNN_INT8_TO_FLOAT", [source], [whole], MnnInt8ToFloatOptions((1.0,), steps.zero))
        real = g.temporary(g.shapes[target], TensorType.FLOAT32, "resized")
        options = MnnResizeCubicOptions(size, axes[0], axes[1])
        g.emit("MNN_RESIZE_CUBIC", [whole], [real], options)
        options = MnnFloatToInt8Options((1.0,), out.zero, out.low, out.high)
        g.emit("MNN_FLOAT_TO_INT8", [real], [target], options)


def nearest(g: GraphBuilder, source: int, target: int, kind: int, axes: list[Line]) -> None:
    """The elements at the nearest positions."""
    before, size = g.shapes[source][1:3], g.shapes[target][1:3]
    shift = np.float32(0.499 if kind == NEAREST_ROUND else 0)
    down, right = (
        tuple(int(i) for i in np.clip(np.floor(positions(m, *line) + shift), 0, n - 1))
        for m, line, n in zip(size, axes, before, strict=True)
    )
    inputs = [source, g.constant(np.array(size, np.int32), "size")]
    options = PlacedResizeNearestNeighborOptions(placement=(down, right))
    g.emit("RESIZE_NEAREST_NEIGHBOR", inputs, [target], options)


def positions(count: int, scale: float, offset: float) -> npt.NDArray[np.float32]:
    """Where the output's pixels lie in the input."""
    exact = np.arange(count, dtype=np.float32) * np.float32(scale) + np.float32(offset)
    return np.asarray(exact, np.float32)


def floats(numbers: npt.NDArray[np.float32]) -> tuple[float, ...]:
    """An array as a tuple."""
    return tuple(float(number) for number in numbers)


# -- normalisations -----------------------------------------------------------------------


def lrn(g: GraphBuilder, op: Op) -> None:
    """LRN: across channels, or within a channel."""
    x, row = g.input(op), op.main
    if x.format is Format.NHWC or x.rank < 3 or row.get("localSize", 0) < 1:
        g.fail(op, f"expected images with the channels second, got {list(x.shape)}")
    order = x.order(x.layout(Layout.LAST))
    within = tuple(order.index(axis) for axis in range(2, x.rank))
    axes = within if row["regionType"] else (order.index(1),)
    y = g.output(op, x.shape, x)
    source = g.tensor(x, Layout.LAST)
    options = MnnLrnOptions(row["localSize"], row["alpha"], row["beta"], row["bias"], axes)
    g.emit("MNN_LRN", [source], [g.new(y, Layout.LAST)], options)


def normalize(g: GraphBuilder, op: Op) -> None:
    """Normalize: pixels over the length of their channels, times a scale per channel.

    Facts: MNN 3.6.1 ``geometry/GeometryLRN.cpp`` (``computeForNormalize``).
    """
    x, row = g.input(op), op.main
    if x.format is Format.NHWC or x.rank != 4 or x.type is not TensorType.FLOAT32:
        g.fail(op, f"expected images with the channels second, got {list(x.shape)}")
    given = row.get("scale")
    if given is None or len(given) != x.shape[1]:
        g.fail(op, f"expected {x.shape[1]} scales", ".main.scale")
    y = g.output(op, x.shape, x)
    source = g.tensor(x, Layout.LAST)
    shape = g.shapes[source]
    axes = (1, 2, 3) if row["acrossSpatial"] else (3,)
    short = tuple(1 if axis in axes else n for axis, n in enumerate(shape))

    def step(name: str, inputs: list[int], shape: Shape, options: OptionsTable | None) -> int:
        made = g.temporary(shape, TensorType.FLOAT32, f"{y.name} ({name.lower()})")
        g.emit(name, inputs, [made], options)
        return made

    squares = step("MUL", [source, source], shape, MulOptions())
    listed = g.constant(np.array(axes, np.int32), "axes")
    length = step("SUM", [squares, listed], short, ReducerOptions(keep_dims=True))
    length = step("ADD", [length, g.constant(np.float32(row["eps"]), "eps")], short, AddOptions())
    length = step("RSQRT", [length], short, None)
    unit = step("MUL", [source, length], shape, MulOptions())
    factors = g.constant(np.asarray(given, np.float32), f"{op.name} scale")
    g.emit("MUL", [unit, factors], [g.new(y, Layout.LAST)], MulOptions())


def layer_norm(g: GraphBuilder, op: Op) -> None:
    """LayerNorm over the last axes."""
    x, row = g.input(op), op.main
    if row.get("external") is not None:
        g.fail(op, "its numbers are in another file; put them into the model", ".main.external")
    given = row.get("axis")
    axes = [] if given is None else sorted(int(a) + x.rank if a < 0 else int(a) for a in given)
    wanted = list(range(max(x.rank - len(axes), 0), x.rank))
    if axes != wanted or not axes or len(op.outputs) > 1 or op.format is Format.NC4HW4:
        g.fail(op, f"only the last axes can be normalised over, not {axes} of {list(x.shape)}")
    inner = prod(x.shape[axis] for axis in axes)
    inputs = [g.tensor(x)]
    for name in ("gamma", "beta"):
        numbers = row.get(name)
        if numbers is None:
            break
        if len(numbers) != inner:
            g.fail(op, f"expected {inner} numbers, got {len(numbers)}", f".main.{name}")
        inputs.append(g.constant(numbers, f"{op.name} {name}"))
    y = g.output(op, x.shape, x)
    options = MnnLayerNormOptions(len(axes), row["epsilon"], row["useRMSNorm"])
    g.emit("MNN_LAYER_NORM", inputs, [g.new(y)], options)


MAPPINGS = {
    OpType.Interp: interp,
    OpType.Resize: resize,
    OpType.LRN: lrn,
    OpType.Normalize: normalize,
    OpType.LayerNorm: layer_norm,
}
