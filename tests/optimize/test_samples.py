"""Inputs that show differences."""

import numpy as np
import pytest

from arenite.model import ModelBuilder, TensorType
from arenite.optimize.samples import limits_of, sequence
from arenite.runtime.heap_host import HeapInterpreter
from tests.runtime.models import conv_model

#: What an input can be: a resource has no value, others no size.
KINDS = [kind for kind in TensorType if kind.bits and kind is not TensorType.RESOURCE]


def test_a_sequence_has_extremes_random_inputs_a_reset_and_some_again():
    steps = sequence(conv_model(), 5)
    assert len(steps) == 4 + 5 + 1 + 3
    assert steps[9] is None
    for before, after in zip(steps[6:9], steps[10:], strict=True):
        assert before is not None
        assert after is not None
        np.testing.assert_array_equal(before[0], after[0])


def test_a_seed_says_everything():
    for one, other in zip(sequence(conv_model(), 3), sequence(conv_model(), 3), strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            np.testing.assert_array_equal(one[0], other[0])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_inputs_of_every_type_can_be_set(kind):
    b = ModelBuilder()
    b.output(b.input("x", (3, 3), kind))
    model = b.build()
    interpreter = HeapInterpreter(model)
    interpreter.allocate_tensors()
    for step in sequence(model, 2):
        if step is not None:
            interpreter.input(0)[...] = step[0]
            assert step[0].dtype == kind.dtype


def test_a_range_beyond_the_type_is_the_type_s():
    tensor = conv_model().inputs[0]
    assert limits_of(tensor, (-1e9, 1e9)) == (-128, 127)
    assert limits_of(tensor, None) == (-128, 127)


def test_a_range_that_holds_no_value_is_the_nearest_one():
    tensor = conv_model().inputs[0]
    low, high = limits_of(tensor, (0.01, 0.02))
    assert low == high
