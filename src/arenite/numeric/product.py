"""Matrix products, without what some BLAS libraries say besides the right result."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def matrix_product(
    x: npt.NDArray[Any], y: npt.NDArray[Any], out: npt.NDArray[Any] | None = None
) -> npt.NDArray[Any]:
    """``np.matmul`` of floats, which here are integers or a file's numbers, with no warnings.

    Vector kernels compute with what lies behind a row too, and leave the processor's flags of
    that behind: NumPy on Apple's processors (numpy #28687) and OpenBLAS with Arm's SME then
    warn of invalid values and divisions by zero where the products are finite.
    """
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(x, y, out=out))
