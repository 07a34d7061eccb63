"""Every exported kernel gives the reference's results, on the models of the operator's own test.

All of them are compiled as one program, with sanitizers.
"""

from __future__ import annotations

import numpy as np
import pytest

from arenite.errors import UnsupportedOperatorError
from arenite.firmware import export
from arenite.firmware.portable import exported_names, portable_work
from arenite.firmware.program import program_of
from arenite.model import ModelBuilder
from arenite.ops import builtin_names, custom_names
from tests.firmware.bulk import compared, exported_of
from tests.firmware.models import chain
from tests.ops.differential import CASES

#: How many models of an operator are looked at, and how many of them are exported at most.
DRAWN, WANTED = (12, 1) if CASES <= 50 else (100, 20)


def test_random_layers_of_every_operator_give_the_reference_s_results(tmp_path):
    cases = [case for name in exported_names() for case in exported_of(name, DRAWN, WANTED)]
    assert {case.operator for case in cases} == set(exported_names())
    tally = compared(cases, tmp_path)
    assert tally.different == []
    assert tally.equal == len(cases)


def test_every_operator_but_mnn_s_can_be_exported():
    assert exported_names() == sorted([*builtin_names(), *custom_names()])


def test_all_layers_that_cannot_be_exported_are_named(tmp_path):
    b = ModelBuilder()
    x, axis = b.input("x", (2, 4), "int8", scale=1.0), b.input("axis", (1,), "int32")
    for number in range(2):
        y = b.tensor(f"y{number}", (2,), "int32")
        b.operator("ARG_MAX", [x, axis], [y])
        b.output(y)
    with pytest.raises(UnsupportedOperatorError) as error:
        export(b.build(), tmp_path / "no", target=None)
    assert str(error.value).splitlines() == [
        "the model cannot be exported",
        "  operator 0, ARG_MAX: the axis must be constant",
        "  operator 1, ARG_MAX: the axis must be constant",
    ]
    assert error.value.missing == ("ARG_MAX",)
    assert not (tmp_path / "no").exists()


def test_a_constant_that_c_has_no_number_for_is_refused():
    b = ModelBuilder()
    x = b.input("x", (1, 1), "float32")
    weights = b.constant("weights", np.full((1, 1), np.inf, np.float32))
    y = b.tensor("y", (1, 1), "float32")
    b.operator("FULLY_CONNECTED", [x, weights], [y])
    b.output(y)
    with pytest.raises(UnsupportedOperatorError, match=r"constant \(weights\) is infinite or NaN"):
        program_of(b.build(), portable_work)


def test_layers_of_one_shape_share_their_function(tmp_path):
    result = export(chain(), tmp_path / "m", target=None)
    assert [layer.function for layer in result.layers] == ["fully_connected_1"] * 3
