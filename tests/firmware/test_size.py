"""What an export would take, beside TFLM's figures."""

import pytest

import arenite as ar
from arenite.firmware.size import FirmwareSize, firmware_size
from tests.runtime.models import custom_chain
from tests.shared import DIGITS


def test_it_is_what_an_export_says(tmp_path):
    size = firmware_size(DIGITS)
    made = ar.export(DIGITS, tmp_path / "out", emulate=True)
    assert made.figures is not None
    assert (size.arena_bytes, size.constant_bytes) == (made.arena_bytes, made.constant_bytes)
    assert size.code_bytes == made.figures.code_bytes
    assert size.cycles == made.figures.cycles
    assert size.flash_bytes == made.constant_bytes + made.figures.code_bytes


def test_plain_c_is_built_and_not_run():
    size = firmware_size(DIGITS, "cortex-m3")
    assert size.flash_bytes > size.constant_bytes > 0
    assert (size.stack_bytes, size.cycles) == (None, None)


def test_a_processor_that_nothing_is_built_for_has_its_constants():
    size = firmware_size(DIGITS, "esp32s3")
    assert size.arena_bytes > 0 < size.constant_bytes
    assert size.flash_bytes is None


def test_a_model_that_cannot_be_exported_has_the_reason():
    assert "STEP" in firmware_size(custom_chain()).reason


@pytest.mark.parametrize(("clock", "ms"), [(None, None), (2.0, 0.5)])
def test_milliseconds_take_a_clock(clock, ms):
    assert FirmwareSize("cortex-m4", cycles=1000).milliseconds(clock) == ms
