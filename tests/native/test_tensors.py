"""What C reads of tensors is what Python says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import TensorType
from arenite.native.tensors import ABSENT, BEHIND, NativeTensor, ffi, lib, row_of, rows_of

Array = np.ndarray[Any, Any]

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
