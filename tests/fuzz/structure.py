"""Ways to change a ``.tflite`` file by what it means: sound as a file, odd as a model."""

from collections.abc import Callable
from typing import Any

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.formats.tflite_schema import SCHEMA
from arenite.model import TensorType
from arenite.ops import builtin_names, custom_names
from tests.fuzz import flex
from tests.fuzz.calls import called, names_of_variables, operator_row, shifted_calls, wrapped
from tests.fuzz.rows import code_index, copied, operators, options_union, places, write
from tests.fuzz.values import Rng, change, choice, fitted, integer, number, vector

Change = Callable[[Row, Rng], None]
"""``change(root, rng)`` changes a file's root row."""

OPERATORS = [*builtin_names(), *custom_names()]
OFFLINE = "OfflineMemoryAllocation"


def mutant(root: Row, others: Callable[[Rng], Row], rng: Rng) -> bytes:
    """A file after one to eight changes; ``others`` gives another one to cross it with."""
    root = copied(root)
    if rng.random() < 0.15:
        root = crossed(root, copied(others(rng)), rng)
    for _ in range(int(choice(rng, (1, 1, 1, 2, 2, 3, 5, 8)))):
        choice(rng, CHANGES)(root, rng)
    return write(SCHEMA, root)


# -- places ---------------------------------------------------------------------------------


def some_subgraph(root: Row, rng: Rng) -> Row:
    subgraphs = root["subgraphs"] or [empty_subgraph()]
    subgraph = subgraphs[0] if rng.random() < 0.6 else choice(rng, subgraphs)
    for side in ("tensors", "operators"):
        subgraph[side] = subgraph[side] or []
    for side in ("inputs", "outputs"):
        subgraph[side] = subgraph[side] or ()
    return subgraph


def empty_subgraph() -> Row:
    return {"tensors": [], "operators": [], "inputs": (), "outputs": (), "name": ""}


def some_tensor(root: Row, rng: Rng) -> Row:
    return choice(rng, some_subgraph(root, rng)["tensors"] or [tensor_row()])


def tensor_row(**values: Any) -> Row:
    """A tensor's row."""
    names = [field.name for field in SCHEMA.tables["Tensor"]]
    defaults = {"type": 0, "buffer": 0, "is_variable": False, "has_rank": False}
    return dict.fromkeys(names) | {"shape": (1,), "external_buffer": 0} | defaults | values


def some_operator(root: Row, rng: Rng) -> Row | None:
    found = some_subgraph(root, rng)["operators"]
    return choice(rng, found) if found else None


# -- tensors ----------------------------------------------------------------------------------


def shape(root: Row, rng: Rng) -> None:
    """Another dimension, or another rank."""
    tensor = some_tensor(root, rng)
    tensor["shape"] = tuple(fitted("int32", n) for n in vector(rng, "int32", tensor["shape"]) or ())


def same_size(root: Row, rng: Rng) -> None:
    """Other dimensions with the same product: a factor moves, or a 1 comes or goes."""
    tensor = some_tensor(root, rng)
    dims = list(tensor["shape"] or ())
    if len(dims) > 1 and rng.random() < 0.7:
        source, target = (int(i) for i in rng.choice(len(dims), 2, replace=False))
        factors = [n for n in (2, 3, 5, 7, dims[source]) if n > 1 and dims[source] % n == 0]
        if factors:
            factor = choice(rng, factors)
            dims[source] //= factor
            dims[target] *= factor
    elif 1 in dims and rng.random() < 0.5:
        dims.remove(1)
    else:
        dims.insert(int(rng.integers(len(dims) + 1)), 1)
    tensor["shape"] = tuple(fitted("int32", n) for n in dims)


def same_shape(root: Row, rng: Rng) -> None:
    """A tensor gets the shape of another one."""
    first, second = some_tensor(root, rng), some_tensor(root, rng)
    first["shape"] = second["shape"]


def type_(root: Row, rng: Rng) -> None:
    tensor = some_tensor(root, rng)
    kinds = (0, 2, 9, 7, 6, 4, 3, 17, 1, 10, 12, int(rng.integers(len(TensorType))))
    tensor["type"] = int(choice(rng, kinds))


def types(root: Row, rng: Rng) -> None:
    """All tensors of one type get another one: sound again, for another kernel."""
    subgraph = some_subgraph(root, rng)
    old, new = some_tensor(root, rng)["type"], int(choice(rng, (0, 9, 7, 2, 4)))
    for tensor in subgraph["tensors"]:
        if tensor["type"] == old:
            tensor["type"] = new


def quantization(root: Row, rng: Rng) -> None:
    tensor = some_tensor(root, rng)
    row = tensor["quantization"]
    if row is None or rng.random() < 0.1:
        low = 2.0 ** int(rng.integers(-12, 3))
        row = dict.fromkeys(field.name for field in SCHEMA.tables["QuantizationParameters"])
        row |= {"scale": (low,), "zero_point": (int(rng.integers(-3, 4)),)}
        tensor["quantization"] = row | {"quantized_dimension": 0}
        return
    part = int(rng.integers(5))
    if part == 0:
        tensor["quantization"] = None
    elif part == 1:
        row["quantized_dimension"] = fitted("int32", integer(rng))
    elif part == 2:
        row["zero_point"] = vector(rng, "int64", row["zero_point"])
    elif part == 3:
        count = len(row["scale"]) if row["scale"] is not None else 1
        scales = [number(rng) for _ in range(int(choice(rng, (count, count, 0, 1, count + 1))))]
        row["scale"] = np.array(scales, np.float32)
    else:
        row["scale"] = vector(rng, "float32", row["scale"])


def role(root: Row, rng: Rng) -> None:
    """A constant is computed, a computed one constant or variable."""
    tensor = some_tensor(root, rng)
    part = int(rng.integers(3))
    if part == 0:
        tensor["is_variable"] = not tensor["is_variable"]
    elif part == 1:
        tensor["buffer"] = 0
    else:
        tensor["buffer"] = int(rng.integers(len(root["buffers"] or []) + 1))


def contents(root: Row, rng: Rng) -> None:
    """Other constants, mostly the small ones: shapes, axes, indices."""
    rows = [
        row for row in root["buffers"] or [] if row.get("data") is not None and len(row["data"])
    ]
    if not rows:
        return
    row = min((choice(rng, rows) for _ in range(2)), key=lambda row: len(row["data"]))
    data = np.array(row["data"], np.uint8)
    if rng.random() < 0.15:
        row["data"] = choice(rng, (data[: len(data) // 2], np.append(data, data), data[:0]))
        return
    kind = choice(rng, ("int32", "int32", "int8", "float32", "int64"))
    size = np.dtype(kind).itemsize
    if len(data) < size:
        return
    values = data[: len(data) // size * size].view(kind)
    place = int(rng.integers(len(values)))
    new = number(rng) if kind == "float32" else integer(rng, int(values[place]))
    values[place] = fitted(kind, new)
    row["data"] = data


def new_constant(root: Row, rng: Rng) -> None:
    """What was computed or fed becomes a constant of random bytes of the right number."""
    tensor = some_tensor(root, rng)
    known = tensor["type"] in TensorType._value2member_map_
    count = int(np.prod([abs(n) for n in tensor["shape"] or ()], dtype=object))
    size = TensorType(tensor["type"]).nbytes(count) if known else count
    if size > 4096:
        return
    root["buffers"] = (root["buffers"] or [{}]) + [{"data": rng.integers(0, 256, size, np.uint8)}]
    tensor["buffer"] = len(root["buffers"]) - 1


# -- operators --------------------------------------------------------------------------------


def wiring(root: Row, rng: Rng) -> None:
    """Another tensor, one less, one more, or none, on one side of an operator."""
    operator = some_operator(root, rng)
    if operator is None:
        return
    count = len(some_subgraph(root, rng)["tensors"])
    side = choice(rng, ("inputs", "inputs", "outputs", "intermediates"))
    indices = list(operator[side] or ())
    new = int(choice(rng, (-1, count, int(rng.integers(count + 1)), int(rng.integers(count + 1)))))
    part = int(rng.integers(6))
    if not indices or part == 0:
        indices.append(new)
    elif part == 1:
        indices.pop()
    elif part == 2:
        indices = [indices[i] for i in rng.permutation(len(indices))]
    else:
        indices[int(rng.integers(len(indices)))] = new
    operator[side] = tuple(indices)


def in_place(root: Row, rng: Rng) -> None:
    """An operator writes what it reads."""
    operator = some_operator(root, rng)
    if operator is None or not operator["inputs"] or not operator["outputs"]:
        return
    operator["outputs"] = (choice(rng, operator["inputs"]), *operator["outputs"][1:])


def options(root: Row, rng: Rng) -> None:
    operator = some_operator(root, rng)
    union = operator and operator["builtin_options"]
    if union and union.fields:
        field = choice(rng, union.fields)
        places_ = [p for p in places(SCHEMA, operator, "Operator") if p.name == field.name]
        change(rng, places_[-1])


def another_operator(root: Row, rng: Rng) -> None:
    """The same tensors for another operator."""
    operator = some_operator(root, rng)
    if operator is None:
        return
    name = str(choice(rng, (*OPERATORS, "MNN_RASTER", "MNN_CONV_INT8", "Mine")))
    operator["opcode_index"] = code_index(root, name)
    if rng.random() < 0.8:
        operator["builtin_options"] = options_union(name)


def order(root: Row, rng: Rng) -> None:
    """An operator is left out, comes twice, or at another time."""
    subgraph = some_subgraph(root, rng)
    if not subgraph["operators"]:
        return
    found = subgraph["operators"]
    first, second = int(rng.integers(len(found))), int(rng.integers(len(found)))
    part = int(rng.integers(3))
    if part == 0 and len(found) > 1:
        del found[first]
    elif part == 1:
        found.insert(second, copied(found[first]))
    else:
        found[first], found[second] = found[second], found[first]


def more(root: Row, rng: Rng) -> None:
    """One more operator between tensors that there are, with a new output that is read again."""
    subgraph = some_subgraph(root, rng)
    tensors = subgraph["tensors"]
    if not tensors:
        return
    name = str(choice(rng, OPERATORS))
    sources = [int(rng.integers(len(tensors))) for _ in range(int(choice(rng, (1, 1, 2, 3))))]
    if rng.random() < 0.7:
        tensors.append(copied(tensors[sources[0]]) | {"buffer": 0})
        target = len(tensors) - 1
    else:
        target = int(rng.integers(len(tensors)))
    operator = operator_row(code_index(root, name), name, tuple(sources), (target,))
    subgraph["operators"].insert(int(rng.integers(len(subgraph["operators"]) + 1)), operator)
    if rng.random() < 0.5:
        subgraph["outputs"] = (*subgraph["outputs"], target)
    elif reader := some_operator(root, rng):
        old = choice(rng, reader["inputs"] or (0,))
        reader["inputs"] = tuple(target if i == old else i for i in reader["inputs"] or ())


def ports(root: Row, rng: Rng) -> None:
    """Inputs and outputs of the model: others, twice, none."""
    subgraph = some_subgraph(root, rng)
    side, count = choice(rng, ("inputs", "outputs")), len(subgraph["tensors"])
    values = list(subgraph[side])
    part = int(rng.integers(4))
    if part == 0 and values:
        values.pop(int(rng.integers(len(values))))
    elif part == 1 and values:
        values.append(choice(rng, values))
    else:
        values.append(int(rng.integers(-1, count + 1)))
    subgraph[side] = tuple(values)


def anything(root: Row, rng: Rng) -> None:
    """Any field of the file."""
    change(rng, choice(rng, list(places(SCHEMA, root))))


# -- the whole model --------------------------------------------------------------------------


def offline_plan(root: Row, rng: Rng) -> None:
    """Places of tensors in the arena: at random, one over the other, odd, or far away."""
    count = sum(len(subgraph["tensors"] or []) for subgraph in root["subgraphs"] or [])
    style = int(rng.integers(5))
    if style == 0:
        offsets = np.zeros(count, np.int32)
    elif style == 1:
        offsets = rng.integers(0, 64, count).astype(np.int32)
    elif style == 2:
        offsets = rng.choice([-1, -1, 0, 1, 16, 17, 64, 1024], count).astype(np.int32)
    elif style == 3:
        offsets = (rng.integers(0, 40, count) * 16).astype(np.int32)
    else:
        offsets = np.full(count, -1, np.int32)
        offsets[: count // 2] = [fitted("int32", integer(rng)) for _ in range(count // 2)]
    header = [1, 0, count] if rng.random() < 0.9 else [integer(rng) for _ in range(3)]
    words = np.array([fitted("int32", n) for n in (*header, *offsets.tolist())], "<i4")
    root["buffers"] = (root["buffers"] or [{}]) + [{"data": words.view(np.uint8)}]
    entry = {"name": OFFLINE, "buffer": len(root["buffers"]) - 1}
    kept = [row for row in root["metadata"] or [] if row["name"] != OFFLINE]
    root["metadata"] = [*kept, entry]


def another_subgraph(root: Row, rng: Rng) -> None:
    """A subgraph more, or another order of them."""
    subgraphs = root["subgraphs"] = root["subgraphs"] or []
    subgraphs.insert(
        int(rng.integers(len(subgraphs) + 1)),
        copied(choice(rng, subgraphs)) if subgraphs else empty_subgraph(),
    )


def crossed(root: Row, other: Row, rng: Rng) -> Row:
    """Both models in one, the second one behind the first; an output may be an input there."""
    if not root["subgraphs"] or not other["subgraphs"]:
        return root
    shifted_calls(other, len(root["subgraphs"]) - 1)
    main, guest = root["subgraphs"][0], other["subgraphs"][0]
    buffers, tensors = len(root["buffers"] or []), len(main["tensors"] or [])
    for subgraph in other["subgraphs"]:
        for tensor in subgraph["tensors"] or []:
            tensor["buffer"] = tensor["buffer"] and tensor["buffer"] + buffers
    codes = root["operator_codes"] or []
    for operator in operators(other):
        operator["opcode_index"] += len(codes)
    for operator in guest["operators"] or []:
        for side in ("inputs", "outputs", "intermediates"):
            operator[side] = tuple(i + tensors if i >= 0 else i for i in operator[side] or ())
    root["subgraphs"] += other["subgraphs"][1:]
    root["operator_codes"] = codes + (other["operator_codes"] or [])
    root["buffers"] = (root["buffers"] or []) + (other["buffers"] or [])
    main["tensors"] = (main["tensors"] or []) + (guest["tensors"] or [])
    outputs = main["outputs"] or ()
    fed = tuple(i + tensors for i in guest["inputs"] or ())
    main["operators"] = (main["operators"] or []) + (guest["operators"] or [])
    main["outputs"] = outputs + tuple(i + tensors for i in guest["outputs"] or ())
    if fed and outputs and rng.random() < 0.8:
        _join(main, int(choice(rng, outputs)), int(fed[0]), rng)
        fed = fed[1:]
    main["inputs"] = (main["inputs"] or ()) + fed
    return root


def _join(subgraph: Row, source: int, target: int, rng: Rng) -> None:
    """What reads ``target`` reads ``source`` instead."""
    tensors = subgraph["tensors"]
    if not (0 <= source < len(tensors) and 0 <= target < len(tensors)):
        return
    if rng.random() < 0.5:
        tensors[source].update({key: tensors[target][key] for key in ("type", "quantization")})
    if rng.random() < 0.5:
        tensors[source]["shape"] = tensors[target]["shape"]
    for operator in subgraph["operators"]:
        operator["inputs"] = tuple(source if i == target else i for i in operator["inputs"] or ())


CHANGES: tuple[Change, ...] = (
    *(shape, shape, same_size, same_size, same_shape, type_, types, quantization, quantization),
    *(role, contents, contents, contents, new_constant, wiring, wiring, in_place, options, options),
    *(another_operator, order, more, ports, anything, anything, offline_plan, offline_plan),
    *(another_subgraph, called, called, wrapped, wrapped, names_of_variables),
    *(flex.options, flex.options),
)
