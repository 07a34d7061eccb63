"""What an inference gave, as facts."""

import numpy as np
import pytest

from arenite.analysis.engines.ranking import top
from arenite.analysis.outcome import inference_facts, summary
from tests.analysis.outcomes import SCORES, VALUES, inference, tensor


def test_the_largest_values_come_first_and_equal_ones_by_index():
    ranked = top(VALUES, SCORES, (), 3)
    assert [(r.index, r.value, r.raw) for r in ranked] == [(1, 4.0, 7), (3, 4.0, 7), (0, 2.0, 3)]


def test_nan_comes_last():
    values = np.array([np.nan, 1.0, np.inf], np.float32)
    assert [r.index for r in top(values, tensor((3,), "FLOAT32"), (), 3)] == [2, 1, 0]


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (0,), ()])
def test_only_vectors_are_ranked(shape):
    assert top(np.zeros(shape, np.float32), tensor(shape, "FLOAT32"), (), 5) == []


def test_facts_hold_the_values_and_the_ranking():
    facts = inference_facts(inference(SCORES, VALUES, labels=("a", "b", "c", "d")), 1)
    assert facts["outputs"][0]["values"] == [[3, 7, -1, 7]]
    assert facts["outputs"][0]["top"] == [{"index": 1, "label": "b", "value": 4.0, "raw": 7}]
    assert facts["seconds"] == {"median": 0.002, "min": 0.002, "max": 0.002}


def test_a_summary_is_of_real_numbers():
    assert summary(VALUES, SCORES) == (0.0, 2.5, 4.0)
