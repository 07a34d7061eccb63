"""All of a firmware before it is text."""

import pytest

from arenite.errors import UnsupportedOperatorError
from arenite.firmware.kernels.portable import portable_work
from arenite.firmware.network.kernel import UnsupportedError
from arenite.firmware.plan.program import program_of
from tests.firmware.models import chain, residual, running_maximum


def test_equal_constants_are_in_flash_once():
    program = program_of(chain(), portable_work, "m")
    assert list(program.constants) == [
        *("m_weights_0", "m_bias_0", "m_multiplier_0", "m_shift_0"),
        *("m_weights_1", "m_weights_2"),
    ]


def test_all_refusals_are_told_at_once():
    def refuse(layer):
        raise UnsupportedError(f"no {layer.name}")

    with pytest.raises(UnsupportedOperatorError) as error:
        program_of(residual(), refuse)
    assert len(str(error.value).splitlines()) == 5
    assert error.value.missing == ("FULLY_CONNECTED", "ADD", "RELU")


def test_names_are_c_s():
    with pytest.raises(ValueError, match="such as 'my_model', got 'My Model'"):
        program_of(residual(), portable_work, "My Model")


def test_what_inferences_remember_is_known_with_its_first_bytes():
    program = program_of(running_maximum(), portable_work)
    (kept,) = program.kept
    assert (kept.bytes, kept.fill, kept.is_reset) == (4, 256 - 100, True)
