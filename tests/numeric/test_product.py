"""Matrix products: NumPy's, without warnings."""

import numpy as np
import pytest

from arenite.numeric.product import matrix_product


def test_what_the_processor_was_left_with_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of BLAS libraries that compute with what lies behind a row: right, and flags are set."""
    matmul = np.matmul

    def flagging(x: object, y: object, out: object = None) -> object:
        np.divide(np.zeros(1), np.zeros(1))
        np.divide(np.ones(1), np.zeros(1))
        return matmul(x, y, out=out)  # type: ignore[call-overload]

    monkeypatch.setattr(np, "matmul", flagging)
    out = np.empty((1, 1))
    assert matrix_product(np.ones((1, 3)), np.ones((3, 1)), out=out) is out
    assert out.tolist() == [[3.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_without_an_out_are_new(dtype: type) -> None:
    product = matrix_product(np.eye(2, dtype=dtype), np.full((2, 2), 7, dtype))
    assert (product.dtype, product.tolist()) == (dtype, [[7, 7], [7, 7]])
