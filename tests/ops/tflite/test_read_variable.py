"""READ_VARIABLE equals TFLM in random models of subgraphs and variables."""

from tests.ops.differential import equals_tflm
from tests.ops.subgraphs import models

test_equals_tflm = equals_tflm(models("variable"), invokes=3, reset=True)
