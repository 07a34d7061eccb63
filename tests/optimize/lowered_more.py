"""Random models of what today's converters write: many inputs and dimensions, open batches ..."""

from dataclasses import replace

import numpy as np

from arenite.model import Model, OptionsTable, slot
from arenite.optimize._scattered import BucketizeOptions, LocalResponseNormalizationOptions
from tests.optimize.lowered import Kind, Net, Rng


class PixelOptions(OptionsTable, union=37):
    """``table CastOptions``."""

    in_data_type: int = slot(0, "int8")
    out_data_type: int = slot(1, "int8")


def ints(net: Net, *numbers: int, name: str = "n") -> int:
    return net.constant(name, np.array(numbers, np.int32))


# -- many inputs, many dimensions ---------------------------------------------------------


def joined(kind: str) -> Kind:
    """CONCATENATION of 11 to 130 tensors."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        count, axis = int(rng.choice([11, 20, 21, 130])), int(rng.integers(-2, 2))
        more = {"scale": 0.5, "zero_point": 3} if kind == "int8" else {}
        inputs = [net.input(f"x{n}", (2, 3), kind, **more) for n in range(count)]
        shape = [2, 3]
        shape[axis] *= count
        return net.ended(net.op("CONCATENATION", inputs, tuple(shape), kind, axis=axis, **more))

    return made


def slice_of_many(rng: Rng) -> Model:
    """One step of a sequence of images: STRIDED_SLICE of five dimensions, one of them shrunk."""
    net = Net(rng)
    shape = (4, 1, 5, 6, 2)
    x, at = net.input("x", shape, "float32"), int(rng.integers(-4, 4))
    ends = (ints(net, at, 0, 0, 0, 0), ints(net, at + 1, 1, 5, 6, 2), ints(net, 1, 1, 1, 1, 1))
    y = net.op("STRIDED_SLICE", [x, *ends], shape[1:], begin_mask=30, end_mask=30,
               shrink_axis_mask=1)  # fmt: skip
    return net.ended(y)


def slice_with_steps(rng: Rng) -> Model:
    """STRIDED_SLICE of six dimensions, two of them cut."""
    net = Net(rng)
    x = net.input("x", (2, 3, 7, 1, 4, 5), "float32")
    first, step = int(rng.integers(0, 3)), int(rng.integers(1, 3))
    ends = (
        ints(net, 0, 0, first, 0, 0, 1),
        ints(net, 2, 3, 7, 1, 4, -1),
        ints(net, 1, 1, step, 1, 1, 1),
    )
    shape = (2, 3, len(range(first, 7, step)), 1, 4, 3)
    return net.ended(net.op("STRIDED_SLICE", [x, *ends], shape))


def turned(kind: str, order: tuple[int, ...]) -> Kind:
    """TRANSPOSE of six dimensions, as a pixel shuffle has it."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        shape = (1, 2, 3, 2, 4, 3)
        more = {"scale": 0.5, "zero_point": 3} if kind == "int8" else {}
        x = net.input("x", shape, kind, **more)
        y = net.op(
            "TRANSPOSE", [x, ints(net, *order)], tuple(shape[n] for n in order), kind, **more
        )
        return net.ended(y)

    return made


def slice_of_six(rng: Rng) -> Model:
    net = Net(rng)
    x, at = net.input("x", (1, 2, 5, 2, 2, 4), "float32"), int(rng.integers(0, 3))
    begin, size = ints(net, 0, 0, at, 0, 0, 1), ints(net, 1, 2, 2, 2, -1, 2)
    return net.ended(net.op("SLICE", [x, begin, size], (1, 2, 2, 2, 2, 2)))


# -- integers -----------------------------------------------------------------------------


def divided(name: str) -> Kind:
    """Between integers of both signs, and constants of both."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        x = net.input("x", (3, 4), "int32")
        return net.ended(net.op(name, [x, ints(net, 3, -2, 5, -7)], (3, 4), "int32"))

    return made


def extreme(name: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x = net.input("x", (2, int(rng.integers(2, 8)), 3), "int32")
        axes, shape = [((1,), (2, 3)), ((0, -2), (3,))][int(rng.integers(0, 2))]
        return net.ended(net.op(name, [x, ints(net, *axes)], shape, "int32"))

    return made


def diagonal(name: str, kind: str) -> Kind:
    """A diagonal alone, or put into matrices that are higher or wider."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        more = {"scale": 0.05, "zero_point": 3} if kind == "int8" else {}
        if name == "MATRIX_DIAG":
            x = net.input("x", (2, 3), kind, **more)
            return net.ended(net.op(name, [x], (2, 3, 3), kind, **more))
        rows, columns = map(int, rng.permutation([3, 5]))
        x = net.input("x", (2, rows, columns), kind, **more)
        z = net.input("z", (2, 3), kind, **more)
        return net.ended(net.op(name, [x, z], (2, rows, columns), kind, **more))

    return made


# -- pixels -------------------------------------------------------------------------------


def pixels(rng: Rng) -> Model:
    """uint8 images as floats between 0 and 1, and back."""
    net = Net(rng)
    shape = (1, 4, int(rng.integers(2, 6)), 3)
    x = net.input("x", shape, "uint8")
    cast = {"row": PixelOptions, "in_data_type": 3, "out_data_type": 0}
    y = net.op("CAST", [x], shape, **cast)
    y = net.op("MUL", [y, net.constant("scale", np.float32(1 / 300))], shape)
    z = net.op("MUL", [y, net.constant("back", np.float32(255))], shape)
    cast = {"row": PixelOptions, "in_data_type": 0, "out_data_type": 3}
    return net.ended(y, net.op("CAST", [z], shape, "uint8", **cast))


# -- spectra ------------------------------------------------------------------------------


def spectrum(name: str) -> Kind:
    """Frames of sound: RFFT2D of rows, then magnitudes or one part."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        count, size = int(rng.choice([8, 16, 32])), int(rng.integers(6, 20))
        x = net.input("x", (1, 3, 1, size), "float32")
        y = net.op("RFFT2D", [x, ints(net, 1, count)], (1, 3, 1, count // 2 + 1), "complex64")
        y = net.op(
            "RESHAPE", [y, ints(net, 1, 3, count // 2 + 1)], (1, 3, count // 2 + 1), "complex64"
        )
        return net.ended(net.op(name, [y], (1, 3, count // 2 + 1)))

    return made


# -- places -------------------------------------------------------------------------------


def scattered(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (3, 4), "float32")
    places = net.constant("i", np.array([[0, 1], [1, 2], [0, 1]], np.int32))
    return net.ended(net.op("SCATTER_ND", [places, x, ints(net, 2, 3, 4)], (2, 3, 4)))


def segments(name: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x = net.input("x", (6, 3), "float32")
        numbers = np.sort(rng.integers(0, 4, 6)).astype(np.int32)
        inputs, count = [x, net.constant("s", numbers)], int(numbers[-1]) + 1
        if name.startswith("UNSORTED"):
            inputs[1] = net.constant("s", rng.permutation(numbers))
            inputs.append(net.constant("count", np.int32(5)))
            count = 5
        return net.ended(net.op(name, inputs, (count, 3)))

    return made


def buckets(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (2, 5), "float32")
    ends = tuple(map(float, np.sort(rng.normal(0, 1, 4)).astype(np.float32)))
    y = net.op("BUCKETIZE", [x], (2, 5), "int32", row=BucketizeOptions, boundaries=ends)
    return net.ended(y)


def local_response(beta: float) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        shape = (1, 3, 4, 6)
        x = net.input("x", shape, "float32")
        row = {"radius": 2, "bias": 1.5, "alpha": 0.25, "beta": beta}
        y = net.op("LOCAL_RESPONSE_NORMALIZATION", [x], shape,
                   row=LocalResponseNormalizationOptions, **row)  # fmt: skip
        return net.ended(y)

    return made


# -- open batches -------------------------------------------------------------------------


def dilated(kind: str) -> Kind:
    """A dilated causal convolution in one dimension, of an open batch: the file says 1 for 2."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        steps, filters = int(rng.integers(6, 14)) * 2, int(rng.integers(2, 6))
        more = (
            {"scale": 0.05, "zero_point": 0 if kind == "int16" else 3} if kind != "float32" else {}
        )
        half, left = steps // 2 + 1, steps // 2 - 1
        x = net.input("x", (1, steps + 2, 4), kind, **more)
        block, crops = ints(net, 2), net.constant("crops", np.zeros((1, 2), np.int32))
        y = net.op("SPACE_TO_BATCH_ND", [x, block, crops], (1, half, 4), kind, **more)
        y = net.op(
            "EXPAND_DIMS", [y, net.constant("axis", np.int32(-3))], (1, 1, half, 4), kind, **more
        )
        if kind == "float32":
            weights = net.constant("w", net.floats(filters, 1, 3, 4))
            bias = net.constant("b", net.floats(filters))
        else:
            values = rng.integers(-127, 128, (filters, 1, 3, 4)).astype(np.int8)
            weights = net.constant("w", values, scale=0.01)
            bias = net.constant(
                "b", np.zeros(filters, np.int32 if kind == "int8" else np.int64), scale=0.0005
            )
        y = net.op("CONV_2D", [y, weights, bias], (1, 1, left, filters), kind, padding=1,
                   stride_h=1, stride_w=1, **more)  # fmt: skip
        y = net.op("RESHAPE", [y, ints(net, -1, left, filters)], (1, left, filters), kind, **more)
        y = net.op("BATCH_TO_SPACE_ND", [y, block, crops], (1, 2 * left, filters), kind, **more)
        return opened(net.ended(y))

    return made


def opened(model: Model) -> Model:
    """The model with the first dimension of all that is computed left open."""
    tensors = tuple(
        one if one.is_constant or not one.shape
        else replace(one, shape_signature=(-1, *one.shape[1:]))
        for one in model.main.tensors
    )  # fmt: skip
    return replace(model, subgraphs=(replace(model.main, tensors=tensors), *model.subgraphs[1:]))


def unsaid(rng: Rng) -> Model:
    """The same, where a tool has put tensors in between that do not say that they are open."""
    model = dilated("float32")(rng)
    silent = {index for one in model.main.operators[2:4] for index in one.outputs}
    tensors = tuple(
        replace(one, shape_signature=None) if index in silent else one
        for index, one in enumerate(model.main.tensors)
    )
    return replace(model, subgraphs=(replace(model.main, tensors=tensors),))


MORE: dict[str, Kind] = {
    "CONCATENATION of many": joined("float32"),
    "CONCATENATION of many, int8": joined("int8"),
    "STRIDED_SLICE of five dimensions": slice_of_many,
    "STRIDED_SLICE of six dimensions": slice_with_steps,
    "TRANSPOSE of six dimensions": turned("float32", (0, 1, 4, 2, 5, 3)),
    "TRANSPOSE of six dimensions, int8": turned("int8", (1, 0, 3, 2, 4, 5)),
    "SLICE of six dimensions": slice_of_six,
    "FLOOR_DIV, int32": divided("FLOOR_DIV"),
    "FLOOR_MOD, int32": divided("FLOOR_MOD"),
    "REDUCE_MAX, int32": extreme("REDUCE_MAX"),
    "REDUCE_MIN, int32": extreme("REDUCE_MIN"),
    "MATRIX_DIAG": diagonal("MATRIX_DIAG", "float32"),
    "MATRIX_DIAG, int8": diagonal("MATRIX_DIAG", "int8"),
    "MATRIX_DIAG, int32": diagonal("MATRIX_DIAG", "int32"),
    "MATRIX_SET_DIAG": diagonal("MATRIX_SET_DIAG", "float32"),
    "MATRIX_SET_DIAG, int32": diagonal("MATRIX_SET_DIAG", "int32"),
    "CAST of uint8": pixels,
    "COMPLEX_ABS": spectrum("COMPLEX_ABS"),
    "REAL": spectrum("REAL"),
    "IMAG": spectrum("IMAG"),
    "SCATTER_ND": scattered,
    "SEGMENT_SUM": segments("SEGMENT_SUM"),
    "UNSORTED_SEGMENT_SUM": segments("UNSORTED_SEGMENT_SUM"),
    "UNSORTED_SEGMENT_PROD": segments("UNSORTED_SEGMENT_PROD"),
    "UNSORTED_SEGMENT_MAX": segments("UNSORTED_SEGMENT_MAX"),
    "UNSORTED_SEGMENT_MIN": segments("UNSORTED_SEGMENT_MIN"),
    "BUCKETIZE": buckets,
    "LOCAL_RESPONSE_NORMALIZATION": local_response(0.5),
    "LOCAL_RESPONSE_NORMALIZATION, any power": local_response(0.75),
    "a dilated convolution of an open batch": dilated("float32"),
    "a dilated convolution of an open batch, int8": dilated("int8"),
    "a dilated convolution of an open batch, unsaid": unsaid,
    "a dilated convolution of an open batch, int16": dilated("int16"),
}
