"""Arenas of streaming models by release, manifests, several models on one board."""

import json
from pathlib import Path
from typing import Any

import pytest

import arenite as ar
from arenite.analysis.runtimes import ESPHOME
from arenite.analysis.wake_words import (
    Manifest,
    ManifestError,
    UnlistedOperatorError,
    WakeWord,
    WakeWords,
    is_streaming,
    read_manifest,
    wake_words,
)
from arenite.boards import Bank, Board, find_board
from arenite.errors import AreniteError
from arenite.ops.registry import builtin_names
from arenite.target import Target
from tests.shared import DIGITS, shared_wake_word

S3 = Target(
    "esp32s3",
    library_version=ESPHOME.library_version,
    glue_version=ESPHOME.glue_version,
    variables_arena=ESPHOME.variables_arena,
)
WORDS = ["alexa", "hey_jarvis", "hey_mycroft", "okay_nabu", "vad"]


def manifest(folder: Path, *, size: Any = 30_000, model: Any = "m.tflite", **more: Any) -> Path:
    path = folder / "m.json"
    said = {"type": "micro", "model": model, "micro": {"tensor_arena_size": size}, **more}
    path.write_text(json.dumps(said), "utf-8")
    return path


def word(size: int, **smallest: int) -> WakeWord:
    """A manifest of so many bytes, next to arenas by release."""
    arenas = {name.replace("_", "."): arena for name, arena in smallest.items()}
    there = None if size == 0 else Manifest("m.json", Path("m.tflite"), size)
    return WakeWord("m", S3, {"1.1.2": 100, **arenas}, 116, there)


def test_esphome_has_twenty_operators_of_tflm() -> None:
    assert len(ESPHOME.operators) == 20
    assert set(builtin_names()) >= ESPHOME.operators


def test_an_arena_has_16_bytes_more_than_its_smallest_for_where_it_may_begin() -> None:
    assert ESPHOME.arena_for(25_808) == 25_824


@pytest.mark.parametrize("name", WORDS)
def test_the_manifests_of_five_wake_words_are_right_until_1_2_1(name: str) -> None:
    path = shared_wake_word(name).with_suffix(".json")
    (one,) = wake_words([read_manifest(path)], S3, ESPHOME, None).words
    assert one.fits
    assert one.wrong_since == "1.2.1"


def test_several_models_add_up_and_have_an_arena_for_variables_each() -> None:
    models = [ar.load(shared_wake_word(name)) for name in ("vad", "okay_nabu")]
    found = wake_words(models, S3, ESPHOME, find_board("voice-pe"))
    assert found.ram == 16_640 + 25_824 + 2 * 1_024
    assert (found.in_internal, found.in_psram) == (True, True)
    assert found


@pytest.mark.parametrize(
    ("pieces", "holds"),
    [((2_000, 2_000), True), ((4_000, 0), True), ((1_500, 2_500), False), ((800, 3_200), False)],
)
def test_every_arena_lies_in_one_piece_of_ram(pieces: tuple[int, int], holds: bool) -> None:
    """Two of 884 bytes, and 1,024 for variables of each."""
    banks = tuple(Bank(f"B{n}", size, n << 20) for n, size in enumerate(pieces))
    board = Board("mine", "chip", "esp32s3", 240, banks, 1 << 20)
    found = WakeWords((word(884), word(884)), ESPHOME, board)
    assert found.ram == 2 * 884 + 2 * 1_024 <= sum(pieces)
    assert found.in_internal is holds


def test_a_board_without_psram_has_no_verdict_on_it() -> None:
    model = ar.load(shared_wake_word("vad"))
    assert wake_words([model], S3, ESPHOME, find_board("esp32-c3-devkitm")).in_psram is None


def test_known_faults_are_said_once_each() -> None:
    (one,) = wake_words([ar.load(shared_wake_word("vad"))], S3, ESPHOME, None).words
    assert len(one.faults) == 1
    assert one.faults[0].startswith("ESP-NN before 1.2.3")


def test_an_operator_that_the_program_lacks_is_refused() -> None:
    with pytest.raises(UnlistedOperatorError, match="ESPHome has no SOFTMAX; it has ADD, "):
        wake_words([ar.load(DIGITS)], S3, ESPHOME, None)


def test_the_first_release_of_which_a_manifest_stays_wrong_is_named() -> None:
    assert word(120, **{"1_2_0": 105, "1_2_1": 90, "1_2_2": 200}).wrong_since == "1.2.2"
    assert word(120, **{"1_2_0": 80}).wrong_since == ""
    assert word(0, **{"1_2_0": 80}).wrong_since == ""


def test_an_arena_that_alignment_may_make_too_small_does_not_fit() -> None:
    assert not word(115).fits
    assert word(116).fits


def test_a_model_with_variables_streams() -> None:
    assert is_streaming(ar.load(shared_wake_word("vad")))
    assert not is_streaming(ar.load(DIGITS))


@pytest.mark.parametrize("model", ["../m.tflite", "/m.tflite", "a/m.tflite", "..\\m", "", 3, None])
def test_a_manifest_names_a_model_beside_it(tmp_path: Path, model: Any) -> None:
    with pytest.raises(ManifestError, match="expected the name of a model beside it"):
        read_manifest(manifest(tmp_path, model=model))


@pytest.mark.parametrize("size", ["1", None, -1, True, 1.5])
def test_a_manifest_has_a_size_in_bytes(tmp_path: Path, size: Any) -> None:
    with pytest.raises(ManifestError, match=r"expected micro.tensor_arena_size in bytes"):
        read_manifest(manifest(tmp_path, size=size))


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 10_000, '{"micro": 3}', "\xff"])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(text, "latin-1")
    with pytest.raises(AreniteError):
        read_manifest(path)
