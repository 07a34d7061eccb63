"""Changes of who calls whom: subgraphs, branches, loops and variables of a ``.tflite`` file."""

import numpy as np

from arenite.formats.flatbuffer import Row
from arenite.formats.tflite_schema import SCHEMA
from tests.fuzz.rows import code_index, copied, name_of, operators, options_union
from tests.fuzz.values import Rng, choice

#: Options that hold the number of a subgraph, by operator.
CALLS = {
    "IF": ("then_subgraph_index", "else_subgraph_index"),
    "WHILE": ("cond_subgraph_index", "body_subgraph_index"),
    "CALL_ONCE": ("init_subgraph_index",),
}


def operator_row(code: int, name: str, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> Row:
    """An operator with its default options."""
    row: Row = dict.fromkeys(field.name for field in SCHEMA.tables["Operator"])
    row |= {"opcode_index": code, "inputs": inputs, "outputs": outputs}
    row |= {"large_custom_options_offset": 0, "large_custom_options_size": 0}
    return row | {"builtin_options": options_union(name)}


def name_in(root: Row, operator: Row) -> str:
    """An operator's name, empty where its code is none of the file's."""
    codes = root["operator_codes"] or []
    index = operator["opcode_index"]
    return name_of(codes[index]) if 0 <= index < len(codes) else ""


def callers(root: Row) -> list[tuple[Row, str]]:
    """Operators that call subgraphs, with their names."""
    named = ((operator, name_in(root, operator)) for operator in operators(root))
    return [(operator, name) for operator, name in named if name in CALLS]


def called(root: Row, rng: Rng) -> None:
    """An operator calls another subgraph: mostly one that there is."""
    found = callers(root)
    if not found:
        return
    operator, name = choice(rng, found)
    count = len(root["subgraphs"])
    number = int(rng.integers(-1, count + 1) if rng.random() < 0.2 else rng.integers(count))
    union = operator["builtin_options"]
    values = dict(union.value) if union and union.fields else {}
    values[str(choice(rng, CALLS[name]))] = number
    operator["builtin_options"] = options_union(name, **values)


def wrapped(root: Row, rng: Rng) -> None:
    """What a subgraph does becomes a subgraph that it calls: a branch, a loop, or once."""
    subgraphs = root["subgraphs"]
    if not subgraphs:
        return
    outer = choice(rng, subgraphs)
    inner, number = copied(outer), len(subgraphs)
    inputs, outputs = tuple(outer["inputs"] or ()), tuple(outer["outputs"] or ())
    name = str(choice(rng, tuple(CALLS)))
    if name == "IF":
        flags = [i for i, t in enumerate(outer["tensors"] or []) if t["type"] == 6]
        flag = int(choice(rng, flags)) if flags else 0
        inputs = (flag, *inputs)
    elif name == "CALL_ONCE":
        inputs = outputs = ()
    options = dict.fromkeys(CALLS[name], number)
    if name == "WHILE" and rng.random() < 0.8:
        options["cond_subgraph_index"] = number + 1
        subgraphs.append(condition_of(inner, rng))
        subgraphs.insert(number, inner)
    else:
        subgraphs.append(inner)
    call = operator_row(code_index(root, name), name, inputs, outputs)
    call["builtin_options"] = options_union(name, **options)
    keeps = name == "CALL_ONCE" or rng.random() < 0.2
    outer["operators"] = [call, *(outer["operators"] or [])] if keeps else [call]


def condition_of(body: Row, rng: Rng) -> Row:
    """A subgraph with a body's inputs, the first byte of one of which says how long."""
    condition = copied(body)
    condition["operators"] = []
    inputs = condition["inputs"] or (0,)
    condition["outputs"] = (int(choice(rng, inputs)),)
    return condition


def names_of_variables(root: Row, rng: Rng) -> None:
    """A variable gets another name, or another container."""
    found = [one for one in operators(root) if name_in(root, one) == "VAR_HANDLE"]
    if found:
        names = {"container": (None, "", "c"), "shared_name": (None, "", "u", "v", "w", "\0")}
        values = {field: choice(rng, np.array(some, object)) for field, some in names.items()}
        choice(rng, found)["builtin_options"] = options_union("VAR_HANDLE", **values)


def shifted_calls(root: Row, by: int) -> None:
    """All numbers of called subgraphs are so much higher, but for those of the first one."""
    for operator, name in callers(root):
        union = operator["builtin_options"]
        if union and union.fields:
            moved = {field: union.value.get(field, 0) for field in CALLS[name]}
            values = {**union.value, **{f: n + by if n > 0 else n for f, n in moved.items()}}
            operator["builtin_options"] = options_union(name, **values)
