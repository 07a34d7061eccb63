"""Releases that firmware is built with: found by name, and what a target takes from them."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.cores import CORES
from arenite.errors import UnsupportedOperatorError
from arenite.library_facts import facts_of
from arenite.memory.abi import ABIS, abi_of
from arenite.memory.structs import NODE_AND_REGISTRATION, TENSOR
from arenite.ops import builtin
from arenite.revisions.known import revision_of
from arenite.sdks import find, left_out, releases, sdks
from arenite.sdks.release import SdkFileError, parsed

MODELS = Path(__file__).parents[3] / "shared" / "models"

# -- names ----------------------------------------------------------------------------------


def test_a_name_alone_is_its_last_release():
    assert find("chirale").name == "chirale@2.0.0"
    assert find("Chirale_TensorFlowLite") is find("chirale@2.0.0")
    assert find("zephyr-4.2") is find("zephyr@4.2")


def test_any_day_is_a_release_of_tflm():
    release = find("tflm@2024-06")
    assert (release.tflm, release.library, release.cmsis_nn) == ("2024-06", "cmsis_nn", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("chiral", "is it chirale"),
        ("esphome@2019.1", r"expected a release of ESPHome: 2024.6, .*; got 'esphome@2019.1'"),
        ("tflm@x", "or a day such as 2024-06"),
        ("helia-rt", "helia-rt is not known: its kernels are AmbiqAI/ns-cmsis-nn"),
        ("stm32cube-ai", "stm32cube-ai is not known: X-CUBE-AI's TFLM runtime is not public"),
        ("zephyr@4.4", "zephyr@4.4 is not known"),
        ("", "expected an SDK of arduino-tflm, chirale"),
    ],
)
def test_a_name_that_there_is_not_says_what_there_is(name, message):
    with pytest.raises(ValueError, match=message):
        find(name)


# -- the rows ---------------------------------------------------------------------------------


@pytest.mark.parametrize("release", releases().values(), ids=lambda one: one.name)
def test_a_row_is_a_target_and_says_who_says_so(release):
    assert len(release.source) > 20
    assert find_spec(f"arenite.libraries.{release.library}") is not None
    assert all(name in CORES for name in release.processors)
    assert all(builtin(name) for name in release.operators | release.also)
    assert release.optimize in ("", "Os", "O2", "O3")
    target = ar.Target(sdk=release.name)
    assert target.sdk == release.name
    assert target.library == release.library
    assert revision_of(target.tflm).date <= "2026-08-20"
    assert ar.Target(sdk=target.sdk) == target
    assert release.called in str(target)


def test_what_is_left_out_has_a_reason_and_is_no_release():
    for one in left_out():
        assert one.why
        assert one.name not in releases()


def test_rows_are_in_the_order_of_their_days():
    for sdk in sdks().values():
        days = [revision_of(row.revision).date for row in sdk.releases]
        assert days == sorted(days), sdk.name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[releases]]\nrelease = '1'\nsource = 's'", "expected tflm"),
        ("[[releases]]\nrelease = '1'\ntflm = '2024'\nsource='s'\nx = 1", "got 'x'"),
        ("[", "expected TOML"),
    ],
)
def test_a_file_that_describes_no_sdk_is_refused(text, message):
    with pytest.raises(SdkFileError, match=message):
        parsed(text, "mine")


# -- what a target takes ------------------------------------------------------------------------


def test_a_release_says_what_is_not_given():
    target = ar.Target(sdk="esphome@2026.4")
    assert (target.processor, target.library_version, target.glue_version) == (
        *("esp32s3", "1.1.2"),
        "1.3.3~1",
    )
    assert (target.variables_arena, target.abi) == (1024, "ilp32_int_enums")


def test_what_is_given_deviates_from_it():
    target = ar.Target("cortex-m7", sdk="chirale", cmsis_nn="7.0.0", optimize="O2")
    assert (target.processor, target.cmsis_nn, target.optimize) == ("cortex-m7", "7.0.0", "O2")
    assert revision_of(target.tflm).date == "2023-01-13"
    assert ar.Target(sdk="chirale").optimize == "Os"
    own = ar.Target(sdk="esp-tflite-micro@1.3.1", library="tflm")
    assert (own.library_version, own.glue_version, own.abi) == ("", "", "ilp32_int_enums")


def test_a_release_for_other_processors_is_refused():
    with pytest.raises(ValueError, match="CMSIS-NN is for Cortex-M processors, not for ESP32"):
        ar.Target("esp32", sdk="chirale")
    with pytest.raises(ValueError, match="expected an SDK of"):
        ar.Target(sdk="x")


def test_without_static_memory_nodes_and_tensors_are_larger():
    """TFLM ``core/c/common.h``: three words more for a node, twice the size of a tensor."""
    then = abi_of(ar.Target(sdk="chirale"))
    assert (TENSOR.size(then), TENSOR.size(ABIS["ilp32"])) == (64, 32)
    assert NODE_AND_REGISTRATION.size(then) - NODE_AND_REGISTRATION.size(ABIS["ilp32"]) == 12


def test_operators_are_those_that_the_program_registers():
    b = ar.ModelBuilder()
    x = b.input("x", (2,), "float32")
    y = b.tensor("y", (2,), "float32")
    b.operator("ABS", [x], [y])
    b.output(y)
    model = b.build("m")
    ar.Interpreter(model, target=ar.Target(sdk="esp-tflite-micro"))
    with pytest.raises(UnsupportedOperatorError, match=r"ESPHome 2026\.4 registers no ABS"):
        ar.Interpreter(model, target=ar.Target(sdk="esphome"))


def test_an_sdk_may_have_operators_beyond_its_day():
    b = ar.ModelBuilder()
    x, w = b.input("x", (2, 3), "float32"), b.constant("w", np.ones((3, 2), np.float32))
    y = b.tensor("y", (2, 2), "float32")
    b.operator("BATCH_MATMUL", [x, w], [y])
    b.output(y)
    target = ar.Target(sdk="edge-impulse")
    assert ar.Interpreter(b.build("p"), target=target)(np.ones((2, 3), np.float32)).sum() == 12


@pytest.mark.parametrize(
    ("model", "sdk", "processor", "used"),
    [
        ("tflm_examples/person_detect", "chirale@2.0.0", "cortex-m4", 82_740),
        ("mlperf_tiny/ad_int8", "chirale@2.0.0", "cortex-m4", 2_596),
        ("tflm_examples/person_detect", "esp-tflite-micro", "esp32", 82_300),
        ("mlperf_tiny/ad_int8", "esp-tflite-micro", "esp32", 2_380),
    ],
)
def test_arenas_are_those_of_boards(model, sdk, processor, used):
    """``arena_used_bytes()`` on a nano33ble and an ESP32 (avionicharshit-byte/mcufit-bench)."""
    file = MODELS / f"{model}.tflite"
    if not file.exists():
        pytest.skip(f"{file} is not there")
    target = ar.Target(processor, sdk=sdk)
    assert ar.Interpreter(ar.load(file), target=target).arena.used == used


def test_a_library_of_a_release_is_one_that_is_known():
    assert {facts_of(row.library).name for row in releases().values()} == {"cmsis_nn", "esp_nn"}
