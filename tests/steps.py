"""What is done with a model; needs no package but NumPy."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

RESET = "reset"
#: Inputs of one inference, or a reset.
Step = Sequence[np.ndarray[Any, Any]] | Literal["reset"]
