"""Arrays that C leaves to Python where it wants float32 in a row."""

import numpy as np
import pytest

every_other = pytest.mark.parametrize(
    "array",
    [
        np.ones(2, np.float64),
        np.ones((1, 2), np.float32),
        np.ones(4, np.float32)[::2],
        np.ones(2, ">f4"),
        [1.0],
    ],
)
