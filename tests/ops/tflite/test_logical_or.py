"""LOGICAL_OR equals TFLM on random shapes."""

from tests.ops.binary import binary_models
from tests.ops.differential import equals_tflm

test_equals_tflm = equals_tflm(binary_models("LOGICAL_OR", "bool"), invokes=3)
