"""Damaged files are refused or run: never a crash, a read outside, a write to constants."""

from itertools import islice

import numpy as np
import pytest

from tests.npu.damage import damaged, outcome, parts_of, pieces_of
from tests.npu.vela import KEPT
from tests.ops.differential import CASES


@pytest.mark.parametrize("name", KEPT)
def test_a_damaged_stream_is_refused_or_runs(name: str) -> None:
    parts = parts_of(KEPT[name])
    assert outcome(parts) == "ran"
    cases = (damaged(parts, np.random.default_rng([3, i])) for i in range(30 + 3 * CASES))
    outcomes = {outcome(one) for one in cases}
    assert outcomes >= {"ran", "refused"}


@pytest.mark.parametrize("name", KEPT)
def test_operations_out_of_a_stream_run_alone_and_damaged(name: str) -> None:
    pieces = list(islice(pieces_of(parts_of(KEPT[name])), 12))
    assert {outcome(one) for one in pieces} == {"ran"}
    rngs = (np.random.default_rng([4, i]) for i in range(30 + 3 * CASES))
    outcomes = {outcome(damaged(pieces[i % 12], rng)) for i, rng in enumerate(rngs)}
    assert outcomes >= {"ran", "refused"}


@pytest.mark.parametrize("name", KEPT)
def test_a_stream_that_is_cut_off_is_refused(name: str) -> None:
    parts = parts_of(KEPT[name])
    places = range(0, len(parts.stream), max(len(parts.stream) // 40, 1))
    assert {outcome(parts._replace(stream=parts.stream[:end])) for end in places} == {"refused"}


@pytest.mark.parametrize("name", KEPT)
def test_memory_that_is_too_small_is_refused(name: str) -> None:
    parts = parts_of(KEPT[name])
    assert outcome(parts._replace(work=16, fast=parts.fast and 16)) == "refused"
