"""Every exported kernel gives the reference's results, on the models of the operator's own test.

All of them are compiled as one program, with sanitizers.
"""

from __future__ import annotations

import pytest

from arenite.errors import UnsupportedOperatorError
from arenite.firmware import export
from arenite.firmware.kernels.portable import exported_names
from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.plan.program import program_of
from arenite.model import ModelBuilder
from arenite.ops import builtin_names, custom_names
from arenite.ops.registry import mnn_names, traits_of
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


def test_every_operator_can_be_exported():
    names = [*builtin_names(), *custom_names(), *mnn_names()]
    # An NPU's layers are no C.
    assert exported_names() == sorted(n for n in names if not traits_of(n).operands_are_placed)


def test_all_layers_that_cannot_be_exported_are_named():
    def kernels(layer):
        raise UnsupportedError(f"no {layer.name} today")

    with pytest.raises(UnsupportedOperatorError) as error:
        program_of(chain(), kernels)
    assert str(error.value).splitlines() == [
        "the model cannot be exported",
        *(f"  operator {n}, FULLY_CONNECTED: no FULLY_CONNECTED today" for n in range(3)),
    ]
    assert error.value.missing == ("FULLY_CONNECTED",)


def test_nothing_is_written_of_a_model_that_cannot_be_exported(tmp_path):
    b = ModelBuilder()
    b.output(b.input("words", (2,), "string"))
    with pytest.raises(UnsupportedOperatorError, match="'words': inputs and outputs of string"):
        export(b.build(), tmp_path / "no", target=None)
    assert not (tmp_path / "no").exists()


def test_layers_of_one_shape_share_their_function(tmp_path):
    result = export(chain(), tmp_path / "m", target=None)
    assert [layer.function for layer in result.layers] == ["fully_connected_1"] * 3
