"""Every parameter struct in C is the twin of a Python record."""

import dataclasses
import importlib
import pkgutil
import re
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

import arenite.kernels
import arenite.libraries.cmsis_nn.arithmetic
import arenite.mnn.operators
import arenite.ops
from arenite.native.program import ffi
from arenite.native.record import ARRAYS, to_struct
from arenite.ops.shared.lstm import GateParams, LstmParams, ProductParams
from arenite.ops.shared.window import Window
from arenite.ops.tflite.cast import CastParams
from arenite.ops.tflite.conv_2d import Conv2DParams
from arenite.ops.tflite.transpose import TransposeParams

PRIMITIVES = {"int32_t": int, "int64_t": int, "double": float, "_Bool": bool}

#: The structs of the headers that are no part of the engine's own interface.
STRUCTS = sorted(
    name
    for name in ffi.list_types()[0]
    if not name.startswith(("ar_", "ak_")) and ffi.typeof(name).kind == "struct"
)


def records() -> dict[str, type]:
    """All dataclasses of the operators and of CMSIS-NN's arithmetic, by name."""
    found: dict[str, type] = {}
    for package in (
        arenite.ops,
        arenite.mnn.operators,
        arenite.kernels,
        arenite.libraries.cmsis_nn.arithmetic,
    ):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            members = vars(importlib.import_module(module.name))
            found |= {n: m for n, m in members.items() if dataclasses.is_dataclass(m)}
    return found


RECORDS = records()


def holds(ctype: Any, hint: Any) -> bool:
    """Whether values of a Python type can be carried over to a C type."""
    arguments = typing.get_args(hint)
    match ctype.kind:
        case "primitive":
            return PRIMITIVES.get(ctype.cname) is hint
        case "struct" if ctype.cname in ARRAYS:
            item = ctype.fields[0][1].type.item
            # NDArray[scalar] is an alias of its own since NumPy 2.5, ndarray[shape, dtype] before
            (scalar,) = arguments if len(arguments) == 1 else typing.get_args(arguments[1])
            return scalar is Any or np.dtype(scalar) == dtype_of(item)
        case "struct":
            return dataclasses.is_dataclass(hint) and ctype.cname == hint.__name__
        case "array" if typing.get_origin(hint) is tuple:
            items = [item for item in arguments if item is not ...]
            fits = ... in arguments or len(items) == ctype.length
            return fits and all(holds(ctype.item, item) for item in items)
        case _:
            return False


def dtype_of(ctype: Any) -> np.dtype[Any]:
    """The NumPy type of a C number."""
    return np.dtype({"float": "float32"}.get(ctype.cname, ctype.cname.removesuffix("_t")))


def test_there_are_structs() -> None:
    assert {"Conv2DParams", "Window", "LstmParams", "SoftmaxParams"} <= set(STRUCTS)


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_has_the_fields_of_the_record_of_its_name(name: str) -> None:
    assert name in RECORDS, "no operator has a record of this name"
    fields = ffi.typeof(name).fields
    hints = typing.get_type_hints(RECORDS[name])
    assert [field for field, _ in fields] == [f.name for f in dataclasses.fields(RECORDS[name])]
    wrong = {field: (t.type.cname, hints[field]) for field, t in fields}
    wrong = {
        field: pair for field, pair in wrong.items() if not holds(ffi.typeof(pair[0]), pair[1])
    }
    assert not wrong


# -- headers ------------------------------------------------------------------------------

CSRC = Path(__file__).resolve().parents[2] / "csrc"
RECORD_HEADERS = CSRC / "include" / "records"


def header_of(record: type) -> str:
    """The header of the module that defines a record: other namespaces than TFLM's are named."""
    *_, namespace, module = record.__module__.split(".")
    plain = namespace in ("tflite", "shared") or module.startswith(f"{namespace}_")
    namespace = {"operators": "mnn"}.get(namespace, namespace)
    return f"{module}.h" if plain else f"{namespace}_{module}.h"


def structs_of(header: Path) -> set[str]:
    return set(re.findall(r"^} (\w+);$", header.read_text("utf-8"), re.MULTILINE))


@pytest.mark.skipif(not CSRC.is_dir(), reason="a wheel brings no C sources")
def test_a_record_header_is_named_like_the_module_that_defines_the_records() -> None:
    found = {name: path.name for path in RECORD_HEADERS.iterdir() for name in structs_of(path)}
    assert found == {name: header_of(RECORDS[name]) for name in STRUCTS}


# -- values -------------------------------------------------------------------------------


def lstm() -> LstmParams:
    """A record with everything that records have, other than arrays."""
    gates = tuple(GateParams(*range(6 * g, 6 * g + 6)) for g in range(4))
    products = tuple(ProductParams(*range(100 + 5 * n, 105 + 5 * n)) for n in range(3))
    sizes = (1, 2, 3, 4, -5, 6)
    return LstmParams(True, *sizes[:4], *sizes[4:], gates, *products, False, True, -9, 0.5, 7, (1,))


def struct_of(record: Any, keep: list[Any]) -> Any:
    return ffi.from_buffer(f"{type(record).__name__}[]", to_struct(record, keep))[0]


def test_numbers_records_and_arrays_of_records_are_carried_over() -> None:
    keep: list[Any] = []
    struct = struct_of(lstm(), keep)
    assert (struct.time_major, struct.units, struct.input_offset) == (True, 4, -5)
    assert [gate.recurrent_shift for gate in struct.gates] == [5, 11, 17, 23]
    assert struct.tanh_times_output.output_max == 114
    assert (struct.cell_scale_power, struct.cell_clip) == (-9, 0.5)


def test_a_tuple_may_be_shorter_than_the_array() -> None:
    struct = struct_of(TransposeParams((1, 0), (7, 8)), [])
    assert list(struct.perm) == [1, 0, 0, 0, 0]


def test_a_number_that_does_not_fit_is_an_overflow_error() -> None:
    pair = (1, 1)
    with pytest.raises(OverflowError):
        struct_of(Window(pair, pair, pair, pair, (2**31, 0)), [])
    assert struct_of(CastParams(0, 2**32 - 1), []).output_max == 2**32 - 1


def test_more_numbers_than_an_array_has_are_refused() -> None:
    pair = (1, 1)
    with pytest.raises(ValueError, match="stride: expected 2 elements, got 3"):
        struct_of(Window(pair, pair, (1, 1, 1), pair, pair), [])  # type: ignore[arg-type]


def rescaling(multiplier: Any) -> Conv2DParams:
    pair = (1, 1)
    window = Window(pair, pair, pair, pair, pair)
    return Conv2DParams(1, 2, multiplier, np.zeros(2, np.int32), -1.0, 1.0, False, window, 1, 0)


@pytest.mark.parametrize("values", [np.arange(8, dtype=np.int32)[::4], np.int32([0, 4])])
def test_arrays_come_with_their_lengths(values: Any) -> None:
    keep: list[Any] = []
    struct = struct_of(rescaling(values), keep)
    assert list(struct.multiplier.data[0 : struct.multiplier.count]) == [0, 4]
    assert (struct.shift.count, struct.activation_max, struct.window.stride[1]) == (2, 1.0, 1)


def test_an_array_of_other_numbers_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected elements of 4 bytes, got int64"):
        struct_of(rescaling(np.zeros(2, np.int64)), [])


def test_a_record_without_a_struct_is_a_key_error() -> None:
    @dataclasses.dataclass
    class Nothing:
        pass

    with pytest.raises(KeyError, match="Nothing"):
        struct_of(Nothing(), [])
