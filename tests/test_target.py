"""Which firmware is meant: names, defaults, what is refused."""

import pickle

import pytest

from arenite.cores import CORES
from arenite.memory.abi import ABIS, abi_of
from arenite.target import ABI_NAMES, HOST, Target, find_target


def test_nothing_named_is_tflms_own_package() -> None:
    assert find_target(None) is HOST
    assert (HOST.library, HOST.abi, HOST.compiler, HOST.rounding) == (
        "tflm",
        "lp64",
        "gcc",
        "double",
    )


@pytest.mark.parametrize(
    "name", ["m4", "cortex-m4", "cortex-m4f", "Cortex-M4F", " M4 ", "cortex_m4"]
)
def test_a_processor_is_tflm_with_cmsis_nn_however_it_is_spelled(name: str) -> None:
    assert find_target(name) == Target("cortex-m4", "cmsis_nn", "gcc", "double", "ilp32")


@pytest.mark.parametrize("name", sorted(CORES))
def test_every_processor_is_a_target(name: str) -> None:
    assert find_target(name).processor == name


def test_a_target_is_found_as_it_is() -> None:
    target = Target("cortex-m55", compiler="armclang")
    assert find_target(target) is target


@pytest.mark.parametrize("name", ["", "m99", "cortex-a9", "z80", "m4x", "lp64"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected a target of host, cortex-m0, .*, got '"):
        find_target(name)


def test_only_text_and_targets_are_names() -> None:
    with pytest.raises(TypeError, match="expected a target's name or a Target, got int"):
        find_target(4)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("processor", "m4", "expected a processor of host, cortex-m0"),
        ("library", "xnnpack", "expected a library of tflm, cmsis_nn, esp_nn, got 'xnnpack'"),
        ("compiler", "clang", "expected a compiler of gcc, armclang, got 'clang'"),
        ("rounding", "up", "expected a rounding of double, single, got 'up'"),
        ("abi", "x", "expected an abi of lp64, lp64_public, .* got 'x'"),
        ("variables_arena", -1, "expected a variables_arena from 0, got -1"),
        ("library_version", "1.0", "expected no library_version for CMSIS-NN, got '1.0'"),
        ("arena_address", -1, "expected an arena_address from 0, got -1"),
    ],
)
def test_a_part_that_there_is_not_is_refused(field: str, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Target(**{field: value})  # type: ignore[arg-type]


def test_cmsis_nn_is_not_for_the_host() -> None:
    with pytest.raises(ValueError, match="CMSIS-NN is for Cortex-M processors"):
        Target("host", "cmsis_nn")


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (HOST, "host, TFLM's reference kernels, structs of lp64"),
        (Target("cortex-m4"), "cortex-m4, TFLM with CMSIS-NN, GCC, structs of ilp32"),
        (
            Target("cortex-m55", "tflm", "armclang", "single", arena_address=4),
            "cortex-m55, TFLM's reference kernels, Arm Compiler 6, structs of ilp32, rounded once, "
            "arena at 0x4",
        ),
    ],
)
def test_the_assumptions_are_one_line(target: Target, text: str) -> None:
    assert str(target) == text


def test_every_abi_has_sizes() -> None:
    assert set(ABI_NAMES) == set(ABIS)
    assert abi_of(Target("cortex-m4")).pointer == 4


def test_it_is_plain_data() -> None:
    target = Target("cortex-m7", "tflm")
    assert pickle.loads(pickle.dumps(target)) == target
    assert len({target, Target("cortex-m7", "tflm")}) == 1


def test_a_release_that_is_not_known_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match=r"expected a library_version of 1\.1\.0, .*1\.2\.6 for ESP-NN"
    ):
        Target("esp32s3", library_version="1.5.0")


@pytest.mark.parametrize("version", ["1.2.4", "1.2.5", "1.3.0", "1.4.0", "1.5.0"])
def test_releases_of_esp_nn_that_nobody_looked_at_are_refused(version: str) -> None:
    with pytest.raises(ValueError, match="expected a library_version of"):
        Target("esp32s3", library_version=version)


def test_a_chip_has_its_library_with_the_last_known_releases() -> None:
    target = Target("esp32s3")
    assert (target.library, target.library_version, target.abi) == (
        "esp_nn",
        "1.2.6",
        "ilp32_int_enums",
    )
    assert str(target).startswith("esp32s3, TFLM with ESP-NN 1.2.6 (esp-tflite-micro 1.4.0)")


def test_a_library_may_be_spelled_with_a_hyphen() -> None:
    assert Target("esp32c3", library="esp-nn") == Target("esp32c3")


@pytest.mark.parametrize("name", ["m55+u55-128", "cortex-m55+ethos-u55-128", "M55 + Ethos_U55_128"])
def test_an_npu_is_named_behind_the_processor(name: str) -> None:
    target = find_target(name)
    assert (target.processor, target.npu) == ("cortex-m55", "ethos-u55-128")
    assert str(target).startswith("cortex-m55 with ethos-u55-128, ")


@pytest.mark.parametrize("name", ["m55+u55-127", "host+u55-128"])
def test_an_npu_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected an NPU of eth|not beside the host"):
        find_target(name)


def test_a_plus_that_belongs_to_a_processor_names_no_npu() -> None:
    assert find_target("m0+") == Target("cortex-m0plus")


def test_a_level_of_optimisation_is_named_as_gcc_names_it() -> None:
    assert Target("cortex-m4").optimize == "O2"
    assert Target("cortex-m4", optimize="-Os") == Target("cortex-m4", optimize="Os")
    assert "GCC -Os" in str(Target("cortex-m4", optimize="Os"))
    assert "-O" not in str(Target("cortex-m4"))
    with pytest.raises(ValueError, match="of Os, O2, O3, Og, got 'O9'"):
        Target("cortex-m4", optimize="O9")
