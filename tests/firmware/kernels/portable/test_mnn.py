"""MNN's operators as C: every function of every type that they have."""

from __future__ import annotations

import pytest

from arenite.c_text import header
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.plan.program import program_of
from arenite.firmware.text.arithmetic import FUNCTIONS, functions_of
from arenite.ops.registry import mnn_names
from tests.firmware.bulk import cases_of, compared
from tests.firmware.mnn_cases import variants
from tests.mnn.operator_models import LEGAL
from tests.ops.differential import CASES

DOUBLE_FUNCTIONS = header("arenite.firmware.text.arithmetic", "double_functions.h")
SEED = None if CASES <= 50 else 5


def test_all_functions_give_the_reference_s_results(tmp_path):
    counts = {name: max(len(variants(name)), CASES if CASES > 50 else 1) for name in mnn_names()}
    cases = [case for name, count in counts.items() for case in cases_of(name, count, SEED)]
    assert {case.operator for case in cases} == set(mnn_names())
    tally = compared(cases, tmp_path)
    assert (tally.refused, tally.different) == ({}, [])
    assert tally.equal == len(cases)


def test_functions_of_int8_whose_last_bits_may_differ_are_tables():
    one = LEGAL["MNN_BINARY_INT8"]
    sizes = [
        [
            constant.values.size
            for constant in program_of(one.but(kind=kind).model(), portable_work, "m")
            .works[0]
            .constants
        ]
        for kind in ("ADD", "ATAN2")
    ]
    assert sizes == [[], [1 << 16]]


@pytest.mark.parametrize("name", sorted(functions_of(DOUBLE_FUNCTIONS)))
def test_no_function_has_the_name_of_another(name):
    assert FUNCTIONS[name] in DOUBLE_FUNCTIONS
