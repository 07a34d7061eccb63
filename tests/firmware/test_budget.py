"""How much memory a firmware may take, and what it does about it."""

from __future__ import annotations

import os
import re

import pytest

from arenite.firmware import export
from arenite.runtime.allocation import smallest_arena
from tests.firmware.kernels.cortex_m.held_out import held_out
from tests.firmware.models import residual
from tests.firmware.networks import wild
from tests.firmware.pictures import picture
from tests.firmware.streaming.chains import Folder, self_tests
from tests.firmware.streaming.models import tower
from tests.optimize.layers import Layers
from tests.runtime.wake_word import wake_word

HOST = {"target": None, "emulate": False}
ASSEMBLED = {"target": "cortex-m4", "emulate": False}


def test_a_limit_of_memory_is_kept_with_layers_that_go_row_by_row(tmp_path):
    plain = export(tower(), tmp_path / "plain", **HOST)
    assert all(layer.rows == 0 for layer in plain.layers)
    small = export(tower(), tmp_path / "small", ram=plain.arena_bytes - 200, **HOST)
    assert small.arena_bytes <= plain.arena_bytes - 200
    assert any(layer.rows for layer in small.layers)


def test_a_limit_that_everything_fits_in_changes_nothing(tmp_path):
    plain = export(tower(), tmp_path / "plain", **HOST)
    roomy = export(tower(), tmp_path / "roomy", ram=100_000, **HOST)
    assert roomy.layers == plain.layers


def test_a_limit_that_cannot_be_kept_is_refused_with_the_least_there_is(tmp_path):
    with pytest.raises(ValueError, match=r"ram: expected at least \d+ bytes, got 64") as error:
        export(tower(), tmp_path / "m", ram=64, **HOST)
    least = int(re.findall(r"at least (\d+)", str(error.value))[0])
    assert "times the cycles of the fastest" in str(error.value)
    assert export(tower(), tmp_path / "m", ram=least, **HOST).arena_bytes == least
    with pytest.raises(ValueError, match=f"at least {least} bytes"):
        export(tower(), tmp_path / "m", ram=least - 1, **HOST)


#: Of what export is asked for, all but speed, which may cost memory; and what promises more of
#: inputs than TFLM does.
ASKED = {"nothing": {}, "ram": {"least": "ram"}, "flash": {"least": "flash"}}
PROMISED = {"kept": {"inputs": "kept"}, "apart": {"inputs": "apart"}}
SEEDS = range(int(os.environ.get("ARENITE_CASES", "8")))


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_arena_is_no_larger_than_tflms(asked, seed, tmp_path):
    model, processor = picture(seed), ("cortex-m4", "cortex-m0plus", "cortex-m55")[seed % 3]
    made = export(model, tmp_path / "m", target=processor, emulate=False, **ASKED[asked])
    assert made.arena_bytes <= smallest_arena(model, target=processor) == made.tflm_arena_bytes


@pytest.mark.parametrize("promised", PROMISED)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_promise_about_inputs_takes_more_only_where_there_is_no_other_way(
    promised, seed, tmp_path
):
    how = {**ASSEMBLED, **PROMISED[promised]}
    made = export(picture(seed), tmp_path / "m", **how)
    if made.arena_bytes > made.tflm_arena_bytes:
        with pytest.raises(ValueError, match="ram: expected at least"):
            export(picture(seed), tmp_path / "small", ram=made.tflm_arena_bytes, **how)


def test_a_network_that_takes_more_than_tflm_layer_by_layer_goes_row_by_row(tmp_path):
    """96 x 96 pixels, wide layers beside their inputs: with their scratch memory 154,976 bytes."""
    model = held_out("fomo")
    usual = export(model, tmp_path / "usual", **ASSEMBLED)
    fast = export(model, tmp_path / "fast", least="time", **ASSEMBLED)
    assert usual.arena_bytes <= usual.tflm_arena_bytes < fast.arena_bytes
    assert any(layer.rows for layer in usual.layers)


def test_a_layer_with_more_scratch_memory_than_tflm_spares_has_another_kernel(tmp_path):
    """Four units of 4,000 inputs: in assembly the inputs lie in scratch memory again, widened."""
    net = Layers(0)
    net.output(net.dense(net.input(1, 4000), 4))
    model = net.build()
    usual = export(model, tmp_path / "usual", **ASSEMBLED)
    fast = export(model, tmp_path / "fast", least="time", **ASSEMBLED)
    assert usual.arena_bytes <= usual.tflm_arena_bytes < fast.arena_bytes
    assert usual.layers[0].reason == "its other kernels take 8,000 bytes of scratch memory more"


def test_an_input_that_is_kept_takes_its_bytes_more(tmp_path):
    over = export(tower(), tmp_path / "over", least="ram", **HOST)
    kept = export(tower(), tmp_path / "kept", least="ram", inputs="kept", **HOST)
    assert kept.arena_bytes >= over.arena_bytes
    assert "leave them as they are" in (tmp_path / "kept" / "src" / "model.h").read_text("utf-8")


def test_rows_cannot_be_delivered_to_a_layer_that_needs_all(tmp_path):
    with pytest.raises(ValueError, match="layer 0, FULLY_CONNECTED: "):
        export(residual(), tmp_path / "m", inputs="rows", **HOST)


def test_every_way_gives_the_references_rows(tmp_path):
    ways = {
        "least": {"least": "ram"},
        "kept": {"least": "ram", "inputs": "kept"},
        "rows": {"inputs": "rows"},
        "both": {"least": "ram", "inputs": "rows"},
    }
    folders = []
    for name, way in ways.items():
        model = tower(residual=name == "both")
        made = export(model, tmp_path / name, name=f"m_{name}", **HOST, **way)
        folders.append(Folder(made.folder, made.name))
    assert self_tests(tmp_path, folders).count("PASS") == len(ways)
    assert "row_fn" in (tmp_path / "rows" / "src" / "model.h").read_text("utf-8")


def test_an_input_in_rows_is_nowhere_as_a_whole(tmp_path):
    rows = export(tower(), tmp_path / "rows", least="ram", inputs="rows", **HOST)
    assert rows.arena_bytes < 16 * 8 * 8


def test_a_model_with_resource_variables_has_limits_as_well(tmp_path):
    small = export(wake_word(), tmp_path / "small", name="small", least="ram", **HOST)
    with pytest.raises(ValueError, match=r"ram: expected at least \d+ bytes, got 64"):
        export(wake_word(), tmp_path / "least", ram=64, **HOST)
    roomy = export(wake_word(), tmp_path / "roomy", name="roomy", ram=small.arena_bytes, **HOST)
    folders = [Folder(one.folder, one.name) for one in (small, roomy)]
    assert self_tests(tmp_path, folders).count("PASS") == 2


def test_both_limits_are_kept_together(tmp_path):
    plain = export(tower(), tmp_path / "plain", **ASSEMBLED)
    ram, flash = plain.arena_bytes - 100, plain.constant_bytes - 100
    small = export(tower(), tmp_path / "small", ram=ram, flash=flash, **ASSEMBLED)
    assert small.arena_bytes <= ram
    assert small.constant_bytes <= flash
    assert {"c", "s"} <= {layer.language for layer in small.layers}


def test_time_takes_any_constants_and_flash_the_fewest(tmp_path):
    by = {
        least: export(tower(), tmp_path / str(least), least=least, **ASSEMBLED)
        for least in (None, "time", "flash")
    }
    assert by["flash"].constant_bytes < by[None].constant_bytes < by["time"].constant_bytes
    assert any(layer.function.startswith("winograd") for layer in by["time"].layers)


def test_a_limit_of_flash_that_cannot_be_kept_names_the_least_and_its_time(tmp_path):
    with pytest.raises(ValueError, match=r"flash: expected at least \d+ bytes, got 64") as error:
        export(tower(), tmp_path / "m", flash=64, **ASSEMBLED)
    least = int(re.findall(r"at least (\d+)", str(error.value))[0])
    assert "times the cycles of the usual one" in str(error.value)
    made = export(tower(), tmp_path / "m", flash=least, **ASSEMBLED)
    assert made.constant_bytes == least
    with pytest.raises(ValueError, match=f"at least {least} bytes"):
        export(tower(), tmp_path / "m", flash=least - 1, **ASSEMBLED)


def test_the_least_memory_is_that_within_the_limit_of_flash(tmp_path):
    flash = export(tower(), tmp_path / "plain", **ASSEMBLED).constant_bytes - 100
    with pytest.raises(ValueError, match=r"ram: expected at least \d+ bytes") as error:
        export(tower(), tmp_path / "m", ram=64, flash=flash, **ASSEMBLED)
    least = int(re.findall(r"at least (\d+)", str(error.value))[0])
    made = export(tower(), tmp_path / "m", ram=least, flash=flash, **ASSEMBLED)
    assert (made.arena_bytes, made.constant_bytes <= flash) == (least, True)


def test_rows_that_no_layers_take_together_are_refused(tmp_path):
    with pytest.raises(ValueError, match="the layers that take them do not go together"):
        export(wild(1170), tmp_path / "m", inputs="rows", **HOST)
