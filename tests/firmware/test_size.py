"""What an export would take, beside TFLM's figures."""

import arenite as ar
from arenite.analysis.fit import outcome_of
from arenite.firmware.size import FirmwareSize, firmware_size, size_facts
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


def test_an_export_has_its_own_verdict_next_to_a_fit_s_limits():
    """TFLM's kernels miss a deadline that the export's keep."""
    fit = ar.fit(DIGITS, board="nano33ble", deadline="4ms")
    size = FirmwareSize("cortex-m4", 1920, 8000, 3570, 152, cycles=100_000)
    assert fit.outcome != "fits"
    assert outcome_of(size.needs(fit)) == "fits"
    assert size_facts(size, fit)["outcome"] == "fits"
    late = FirmwareSize("cortex-m4", 1920, 8000, 3570, 152, cycles=1_000_000)
    assert outcome_of(late.needs(fit)) == "does not fit"


def test_a_time_is_not_known_without_a_clock_or_where_nothing_ran():
    fit = ar.fit(DIGITS, ram="8k")
    size = FirmwareSize("cortex-m4", cycles=1000)
    assert size.needs(fit)[-1].amount == "not known"
    nothing = FirmwareSize("cortex-m4")
    assert nothing.needs(ar.fit(DIGITS, board="nano33ble"))[-1].amount == "not known"
