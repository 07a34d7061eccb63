"""What C reads of tensors is what Python says of them."""

import sys
from operator import attrgetter

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array, Tensor, TensorType
from arenite.native.tensors import (
    ABSENT,
    BEHIND,
    NativeTensor,
    eval_tensors,
    ffi,
    lib,
    row_of,
    rows_of,
)
from arenite.ops import EvalTensor

INT16, STRING = int(TensorType.INT16), int(TensorType.STRING)
VALUES = np.arange(24, dtype=np.int16)


def tensor(data: Array, shape: tuple[int, ...] | None = None, type_: int = INT16) -> NativeTensor:
    return NativeTensor(data, type_, data.shape if shape is None else shape)


def constant() -> NativeTensor:
    data = VALUES.copy()
    data.flags.writeable = False
    return tensor(data)


def misaligned() -> Array:
    return np.zeros(9, np.uint8)[1:].view(np.int16)


READ = {
    "a matrix": tensor(VALUES.reshape(4, 6)),
    "a constant": constant(),
    "a number": tensor(np.array(5, np.int16)),
    "six dimensions": tensor(VALUES.reshape(1, 2, 3, 1, 4, 1)),
    "none of an axis": tensor(np.zeros((3, 0), np.int16)),
    "more than its shape": tensor(VALUES, (5,)),
    "larger elements": tensor(VALUES.astype(np.int32)),
    "a class of its own": tensor(VALUES.view(np.recarray)),
    "no size known": tensor(VALUES, type_=STRING),
    "absent": ABSENT,
}
REFUSED = {
    "not in a row": tensor(VALUES[::2]),
    "not aligned": tensor(misaligned()),
    "less than its shape": tensor(VALUES, (25,)),
    "smaller elements": tensor(VALUES.astype(np.int8)),
    "seven dimensions": tensor(VALUES.reshape(1, 1, 1, 1, 1, 4, 6)),
    "no data": NativeTensor(None, INT16, (1,)),
}


@pytest.mark.parametrize("one", READ.values(), ids=list(READ))
def test_a_row_is_what_python_makes_of_it(one: NativeTensor) -> None:
    rows, expected = rows_of((one, ABSENT), []), row_of(one)
    assert rows is not None
    assert expected is not None
    assert [row[: len(whole)] for row, whole in zip(rows, expected, strict=True)] == [*expected]


@pytest.mark.parametrize("one", REFUSED.values(), ids=list(REFUSED))
def test_what_c_may_not_read_is_none(one: NativeTensor) -> None:
    assert row_of(one) is None
    assert rows_of((tensor(VALUES), one), []) is None


def test_only_constants_have_data_when_kernels_are_measured() -> None:
    both = tensor(VALUES), constant()
    rows = rows_of(both, [])
    assert rows is not None
    measured, present = (ffi.from_buffer("ar_tensor[]", row) for row in rows)
    assert [bool(one.data) for one in measured[0:2]] == [False, True]
    addresses = [int(ffi.cast("intptr_t", one.data)) for one in present[0:2]]
    assert addresses == [one.data.ctypes.data for one in both]  # type: ignore[union-attr]


def test_arrays_are_kept_as_long_as_c_reads_them() -> None:
    one, packed, keep = tensor(VALUES.copy()), tensor(VALUES.view(np.recarray)), []
    assert rows_of((one, packed, ABSENT), keep) is not None
    assert keep[0] is one.data
    assert keep[1] is packed.data


def test_behind_them_nothing_is_read() -> None:
    rows = rows_of((tensor(VALUES),), [])
    assert rows is not None
    for row in rows:
        types = [one.type for one in ffi.from_buffer("ar_tensor[]", row)]
        assert types[1:] == [lib.AR_ABSENT] * (BEHIND - 1) + [lib.AR_END]


# -- tensors that kernels run on


def read_only(data: Array) -> Array:
    data.flags.writeable = False
    return data


def model_tensor(type_: str, shape: tuple[int, ...], data: Array | None) -> Tensor:
    return Tensor("x", TensorType[type_], shape, data)


BYTES = read_only(np.arange(96, dtype=np.uint8))
MODEL = {
    **{f"{one.name.lower()}": model_tensor(one.name, (2, 3), BYTES) for one in TensorType},
    "no constant": model_tensor("INT8", (2, 3), None),
    "an open dimension": model_tensor("INT8", (2, -1), None),
    "a number": model_tensor("INT32", (), BYTES[:4]),
    "all bytes": model_tensor("INT32", (24,), BYTES),
    "seven dimensions": model_tensor("INT16", (1, 1, 1, 1, 1, 2, 3), BYTES),
    "no elements": model_tensor("INT16", (3, 0), BYTES),
    "not aligned": model_tensor("INT32", (2, 3), BYTES[1:]),
    "to be written to": model_tensor("INT32", (2, 3), np.zeros(24, np.uint8)),
    "not in a row": model_tensor("STRING", (2,), BYTES[::2]),
    "a class of its own": model_tensor("INT8", (2, 3), BYTES.view(np.recarray)),
}


@pytest.mark.parametrize("one", MODEL.values(), ids=list(MODEL))
def test_a_tensor_to_run_on_has_its_value(one: Tensor) -> None:
    (found,) = eval_tensors((one,), EvalTensor)
    assert type(found) is EvalTensor
    assert found.type is one.type
    assert found.shape is one.shape
    expected = one.value
    if expected is None:
        assert found.data is None
        return
    assert found.data is not None
    assert np.array_equal(found.data, expected)
    for name in ("dtype", "shape", "strides", "ctypes.data", "flags.num"):
        get = attrgetter(name)
        assert get(found.data) == get(expected)
    assert np.shares_memory(found.data, BYTES) == np.shares_memory(expected, BYTES)


@pytest.mark.parametrize("shape", [(97,), (2**62, 4), (2**63,), (-1, 3)])
def test_a_constant_without_enough_bytes_is_refused_by_numpy(shape: tuple[int, ...]) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        eval_tensors((model_tensor("INT8", shape, BYTES),), EvalTensor)


def test_values_keep_their_file() -> None:
    data = read_only(np.arange(4096, dtype=np.uint8))
    before = sys.getrefcount(data)
    tensors = eval_tensors((model_tensor("INT32", (1024,), data),) * 3, EvalTensor)
    assert sys.getrefcount(data) == before + 3
    assert all(one.data is not None and one.data.base is data for one in tensors)
    del tensors
    assert sys.getrefcount(data) == before
