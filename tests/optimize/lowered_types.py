"""Random models of types that TFLM's kernels do not take, and of what sorts and goes deep."""

from typing import Any

import numpy as np

from arenite.model import Model
from arenite.ops.shared.reduction import ReducerOptions
from arenite.optimize._ranked import Conv3DOptions, TopKOptions
from tests.optimize.lowered import Kind, Net, Rng

INT32, INT64 = 2, 4
SCALES = {"int8": (0.1, 3), "int16": (0.001, 0), "uint8": (0.1, 120)}


def scaled(kind: str, factor: float = 1) -> dict[str, Any]:
    """Scale and zero point of a type that has them."""
    if kind not in SCALES:
        return {}
    scale, zero = SCALES[kind]
    return {"scale": scale * factor, "zero_point": zero}


# -- what sorts, and what goes deep -------------------------------------------------------


def top_k(kind: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        rows = () if kind == "int32" else (1, int(rng.integers(1, 4)))
        length = int(rng.integers(2, 40))
        count = int(rng.integers(1, length + 1))
        x = net.input("x", (*rows, length), kind, **scaled(kind))
        told, shape = net.constant("k", np.int32(count)), (*rows, count)
        values = net.tensor("values", shape, kind, **scaled(kind))
        places = net.tensor("places", shape, "int32")
        net.operator("TOPK_V2", [x, told], [values, places], TopKOptions())
        return net.ended(values, places)

    return made


def conv_3d(rng: Rng) -> Model:
    net = Net(rng)
    x = (1, *map(int, rng.integers(3, 7, 3)), int(rng.integers(1, 4)))
    size = tuple(map(int, rng.integers(1, 4, 3)))
    steps, padding = rng.integers(1, 3, 3), int(rng.integers(0, 2))
    filters = net.constant("w", net.floats(*size, x[4], 3))
    bias = net.constant("b", net.floats(3))
    lengths = [
        -(-n // s) if padding == 0 else (n - k) // s + 1
        for n, k, s in zip(x[1:4], size, steps, strict=True)
    ]
    options = dict(zip(("stride_d", "stride_h", "stride_w"), map(int, steps), strict=True))
    relu = {"fused_activation_function": int(rng.integers(0, 2)), "padding": padding}
    given = [net.input("x", x, "float32"), filters, bias]
    shape = (1, *map(int, lengths), 3)
    return net.ended(net.op("CONV_3D", given, shape, row=Conv3DOptions, **options, **relu))


def reduced_product(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.row()
    axis = int(rng.integers(0, len(shape)))
    told = net.constant("axis", np.array([axis], np.int32))
    keep = bool(rng.integers(0, 2))
    out = (*shape[:axis], *((1,) if keep else ()), *shape[axis + 1 :])
    options = {"row": ReducerOptions, "keep_dims": keep}
    return net.ended(net.op("REDUCE_PROD", [x, told], out, **options))


def places_of_a_mask(rng: Rng) -> Model:
    """Values at the places, counted with 64 bits, where a constant is true."""
    net = Net(rng)
    shape = tuple(map(int, rng.integers(2, 6, 2)))
    mask = rng.random(shape) < 0.5
    mask[0, 0] = True
    count = int(mask.sum())
    places = net.op("WHERE", [net.constant("mask", mask)], (count, 2), "int64")
    x = net.input("x", shape, "float32")
    return net.ended(net.op("GATHER_ND", [x, places], (count,)))


# -- int64 --------------------------------------------------------------------------------


def largest_place(rng: Rng) -> Model:
    net = Net(rng)
    kind = str(rng.choice(["float32", "int8"]))
    rows, classes = map(int, rng.integers(1, 9, 2))
    x = net.input("x", (rows, classes), kind, **scaled(kind))
    axis = net.constant("axis", np.int32(1))
    return net.ended(net.op("ARG_MAX", [x, axis], (rows,), "int64", output_type=INT64))


def embedding_of_int64(rng: Rng) -> Model:
    """Ids of 64 bits; below 0 they count from the end."""
    net = Net(rng)
    count, width = map(int, rng.integers(2, 9, 2))
    x = net.input("x", (1, count), "int64")
    zero, end = (net.constant("n", np.int64(n)) for n in (1, 4))
    below = net.op("LESS", [x, zero], (1, count), "bool")
    moved = net.op("ADD", [x, end], (1, count), "int64")
    ids = net.op("SELECT", [below, moved, x], (1, count), "int64")
    ids = net.op("CAST", [ids], (1, count), "int32", in_data_type=INT64, out_data_type=INT32)
    table = net.constant("table", net.floats(8, width))
    return net.ended(net.op("GATHER", [table, ids], (1, count, width), axis=0))


# -- values that are moved, chosen or counted ---------------------------------------------


def moved(kind: str) -> Kind:
    """One of the operators that move values, of a type that its kernel does not take."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        shape = (2, 6, 4, 4)
        x = net.input("x", shape, kind, **scaled(kind))
        name, told, out, options = MOVES[int(rng.integers(len(MOVES)))]
        given = [net.constant("n", np.array(one, np.int32)) for one in told]
        if kind == "int32":
            big = net.constant("big", np.int32(rng.integers(-(2**31), 2**31)))
            x = net.op("ADD", [x, big], shape, "int32")
        return net.ended(net.op(name, [x, *given], out, kind, **options, **scaled(kind)))

    return made


Move = tuple[str, list[Any], tuple[int, ...], dict[str, Any]]
MOVES: list[Move] = [
    ("GATHER", [[1, 0, 3]], (2, 3, 4, 4), {"axis": 1}),
    ("GATHER_ND", [[[1, 5], [0, 3]]], (2, 4, 4), {}),
    ("MIRROR_PAD", [[[0, 0], [2, 1], [0, 1], [0, 0]]], (2, 9, 5, 4), {"mode": 0}),
    ("RESIZE_NEAREST_NEIGHBOR", [[12, 8]], (2, 12, 8, 4), {}),
    ("SPACE_TO_DEPTH", [], (2, 3, 2, 16), {"block_size": 2}),
    ("DEPTH_TO_SPACE", [], (2, 12, 8, 1), {"block_size": 2}),
    ("TILE", [[1, 2, 1, 3]], (2, 12, 4, 12), {}),
]
#: What LiteRT moves too, of types that TFLM does not.
MOVES_OF_INT16 = MOVES[:3]


def moved_int16(rng: Rng) -> Model:
    net = Net(rng)
    x = net.input("x", (2, 6, 4, 4), "int16", **scaled("int16"))
    name, told, out, options = MOVES_OF_INT16[int(rng.integers(3))]
    given = [net.constant("n", np.array(one, np.int32)) for one in told]
    return net.ended(net.op(name, [x, *given], out, "int16", **options, **scaled("int16")))


def chosen(kind: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row(kind)
        y, c = net.input("y", shape, kind), net.input("c", shape, "bool")
        return net.ended(net.op("SELECT_V2", [c, x, y], shape, kind))

    return made


def compared_int16(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.row("int16", **scaled("int16"))
    y = net.input("y", shape, "int16", **scaled("int16"))
    name = str(rng.choice(["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER_EQUAL"]))
    return net.ended(net.op(name, [x, y], shape, "bool"))


def counted(name: str, kind: str) -> Kind:
    """A reduction or a running sum."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row(kind, **scaled(kind))
        axis = int(rng.integers(0, len(shape)))
        if name == "CUMSUM":
            told = net.constant("axis", np.int32(axis))
            return net.ended(net.op(name, [x, told], shape, kind))
        told = net.constant("axis", np.array([axis], np.int32))
        out = (*shape[:axis], 1, *shape[axis + 1 :])
        return net.ended(net.op(name, [x, told], out, kind, keep_dims=True, **scaled(kind)))

    return made


def of_int32(rng: Rng) -> Model:
    net = Net(rng)
    x, shape = net.row("int32")
    middle = net.constant("n", np.int32(1))
    x = net.op("SUB", [x, middle], shape, "int32")
    name = str(rng.choice(["ABS", "SIGN", "NEG"]))
    return net.ended(net.op(name, [x], shape, "int32"))


def bits_of(name: str, kind: str) -> Kind:
    """Two inputs, or an input and a constant, some of whose steps are beyond all bits."""

    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row(kind)
        y = net.input("y", shape, kind)
        if rng.integers(2):
            ends = (-2, 40) if name == "RIGHT_SHIFT" else (-128, 128)
            y = net.constant("n", rng.integers(*ends, shape).astype(kind))
        return net.ended(net.op(name, [x, y], shape, kind))

    return made


def angles(rng: Rng) -> Model:
    net = Net(rng)
    y, shape = net.row()
    return net.ended(net.op("ATAN2", [y, net.input("x2", shape, "float32")], shape))


def powers(rng: Rng) -> Model:
    """Of what is not negative, with an exponent that is an input or a constant."""
    net = Net(rng)
    x, shape = net.row()
    size = net.op("LOGISTIC", [x], shape)
    y = net.op("LOGISTIC", [net.input("y", shape, "float32")], shape)
    if rng.integers(2):
        y = net.constant("n", rng.uniform(0.1, 3, (1,)).astype(np.float32))
    return net.ended(net.op("POW", [size, y], shape))


# -- real values of other types -----------------------------------------------------------


def of_one(name: str, kind: str, **output: Any) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row(kind, **scaled(kind, 0.2))
        scale = {**scaled(kind), **output}
        return net.ended(net.op(name, [x], shape, kind, **scale))

    return made


def of_two(name: str, kind: str) -> Kind:
    def made(rng: Rng) -> Model:
        net = Net(rng)
        x, shape = net.row(kind, **scaled(kind))
        y = net.input("y", shape, kind, **scaled(kind, float(rng.uniform(0.5, 1))))
        return net.ended(net.op(name, [x, y], shape, kind, **scaled(kind, 2)))

    return made


def resized(rng: Rng) -> Model:
    net = Net(rng)
    kind = str(rng.choice(["int16", "uint8"]))
    x = net.input("x", (1, 3, 4, 2), kind, **scaled(kind))
    told = net.constant("n", np.array([6, 8], np.int32))
    return net.ended(net.op("RESIZE_BILINEAR", [x, told], (1, 6, 8, 2), kind, **scaled(kind)))


def network_of_uint8(rng: Rng) -> Model:
    """The quantisation of 2018: weights with a zero point, one scale for all channels."""
    net = Net(rng)
    side, depth = int(rng.integers(4, 8)), int(rng.integers(1, 4))
    x = net.input("x", (1, side, side, depth), "uint8", scale=1 / 128, zero_point=128)
    y, shape = _layer_of_uint8(net, "CONV_2D", x, (8, 3, 3, depth), (1, side, side, 8))
    y, _ = _layer_of_uint8(net, "DEPTHWISE_CONV_2D", y, (1, 3, 3, 8), shape)
    axes = net.constant("axes", np.array([1, 2], np.int32))
    y = net.op("MEAN", [y, axes], (1, 8), "uint8", scale=6 / 255, zero_point=0)
    y, _ = _layer_of_uint8(net, "FULLY_CONNECTED", y, (5, 8), (1, 5))
    return net.ended(net.op("SOFTMAX", [y], (1, 5), "uint8", scale=1 / 256, beta=1.0))


def _layer_of_uint8(net, name, x, size, shape):
    scale = 1.5 / np.sqrt(np.prod(size[1:]))
    weights = net.rng.integers(0, 256, size).astype(np.uint8)
    w = net.constant("w", weights, scale=scale / 128, zero_point=int(net.rng.integers(100, 156)))
    q = net._tensors[x].quantization
    bias = net.rng.integers(-500, 500, shape[-1]).astype(np.int32)
    b = net.constant("b", bias, scale=float(q.scale[0]) * scale / 128, zero_point=0)
    steps = {} if name == "FULLY_CONNECTED" else {"stride_h": 1, "stride_w": 1}
    more = {"depth_multiplier": 1} if name == "DEPTHWISE_CONV_2D" else {}
    out = {"scale": 6 / 255, "zero_point": 0} if steps else {"scale": 0.1, "zero_point": 128}
    relu = 3 if steps else 0
    made = net.op(
        name, [x, w, b], shape, "uint8", fused_activation_function=relu, **steps, **more, **out
    )
    return made, shape


def weight_only(rng: Rng) -> Model:
    """int8 weights, with a scale for each channel, behind DEQUANTIZE."""
    net = Net(rng)
    x, shape = net.image()
    filters = int(rng.integers(2, 9))
    values = rng.integers(-127, 128, (filters, 3, 3, shape[3])).astype(np.int8)
    scales = rng.uniform(0.001, 0.02, filters)
    small = net.constant("w", values, scale=scales, quantized_dimension=0)
    wide = net.op("DEQUANTIZE", [small], values.shape)
    bias = net.constant("b", net.floats(filters))
    out = (*shape[:3], filters)
    return net.ended(net.op("CONV_2D", [x, wide, bias], out, stride_h=1, stride_w=1))


def hybrid_svdf(rng: Rng) -> Model:
    net = Net(rng)
    units, depth, memory, rank = 4, int(rng.integers(3, 9)), int(rng.integers(2, 6)), 1
    x = net.input("x", (1, depth), "float32")
    scale = 0.01
    feature = net.constant("f", rng.integers(-127, 128, (units * rank, depth)).astype(np.int8),
                           scale=scale)  # fmt: skip
    times = net.constant("t", rng.integers(-127, 128, (units * rank, memory)).astype(np.int8),
                         scale=scale)  # fmt: skip
    bias = net.constant("b", net.floats(units))
    state = net.variable("state", (1, memory * units * rank), "float32")
    y = net.op("SVDF", [x, feature, times, bias, state], (1, units), rank=rank)
    return net.ended(y)


#: Kinds that today's TFLM does not run, by name.
TYPES: dict[str, Kind] = {
    "TOPK_V2": top_k("float32"),
    "TOPK_V2, int8": top_k("int8"),
    "TOPK_V2, int32": top_k("int32"),
    "CONV_3D": conv_3d,
    "REDUCE_PROD": reduced_product,
    "WHERE of a constant, int64": places_of_a_mask,
    "ARG_MAX to int64": largest_place,
    "int64 ids of an embedding": embedding_of_int64,
    "moved values, uint8": moved("uint8"),
    "moved values, int32": moved("int32"),
    "moved values, int16": moved_int16,
    "SELECT_V2, bool": chosen("bool"),
    "comparisons, int16": compared_int16,
    "REDUCE_MAX, int16": counted("REDUCE_MAX", "int16"),
    "SUM, int32": counted("SUM", "int32"),
    "CUMSUM, int32": counted("CUMSUM", "int32"),
    "ABS, NEG, SIGN, int32": of_int32,
    **{
        f"{name}, {kind}": bits_of(name, kind)
        for name in ("RIGHT_SHIFT", "BITWISE_XOR")
        for kind in ("int8", "int16", "int32")
    },
    "ATAN2": angles,
    "POW, any exponent": powers,
    "EXP, int16": of_one("EXP", "int16", scale=0.02),
    "LOG, int8": of_one("LOG", "int8"),
    "NEG, int8": of_one("NEG", "int8"),
    "NEG, int16": of_one("NEG", "int16"),
    "TANH, uint8": of_one("TANH", "uint8", scale=1 / 128, zero_point=128),
    "ADD, uint8": of_two("ADD", "uint8"),
    "MUL, uint8": of_two("MUL", "uint8"),
    "RESIZE_BILINEAR, int16, uint8": resized,
    "networks, uint8": network_of_uint8,
    "weights of a scale per channel behind DEQUANTIZE": weight_only,
    "SVDF, hybrid": hybrid_svdf,
}
