"""The header of a command stream, and the words behind it."""

import numpy as np
import pytest

import arenite as ar
from arenite.accelerators import ACCELERATORS, accelerator_name, configured
from arenite.npu.stream import StreamError, read_stream
from tests.npu.streams import U55_128, U65_512, U85_256, payload, stream_of
from tests.npu.vela import KEPT


@pytest.mark.parametrize("name", KEPT)
def test_the_header_of_a_file_says_its_npu(name: str) -> None:
    model = ar.load(KEPT[name])
    data = model.main.tensors[model.main.operators[0].inputs[0]].data
    assert data is not None
    stream = read_stream(data)
    version = "2.0.0" if "u85" in name else "1.0.6"
    assert (stream.accelerator_text, stream.version) == (name, version)


@pytest.mark.parametrize(
    ("word", "name"),
    [(U55_128, "ethos-u55-128"), (U65_512, "ethos-u65-512"), (U85_256, "ethos-u85-256")],
)
def test_a_configuration_word_names_an_npu(word: int, name: str) -> None:
    assert configured(word) is ACCELERATORS[name]


def test_a_configuration_that_nobody_knows_is_shown() -> None:
    assert stream_of([], 0xF0000007).accelerator_text == "configuration 0xf0000007"


@pytest.mark.parametrize("name", ["u55-128", "Ethos_U55_128", " ethos-u55-128"])
def test_short_names_of_npus_are_understood(name: str) -> None:
    assert accelerator_name(name) == "ethos-u55-128"


def test_commands_have_one_word_or_two() -> None:
    commands = list(stream_of([0x0007_0105, 0x0001_4010, 0x1234, 0xFFFF_0000]).commands())
    assert [tuple(one) for one in commands] == [
        (0, 0x105, 7, None),
        (1, 0x010, 1, 0x1234),
        (3, 0x000, 0xFFFF, None),
    ]
    assert [one.is_operation for one in commands] == [False, False, True]


def test_a_command_without_its_second_word_is_refused() -> None:
    with pytest.raises(StreamError, match="word 0: expected a second word"):
        list(stream_of([0x4010]).commands())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros(0, np.uint8), "begins with COP1, got 0 bytes"),
        (np.zeros(16, np.uint8), "begins with COP1, got 16 bytes"),
        (payload([1, 2])[:8], "word 1 of the header: expected .* got 1"),
        (payload([1, 2])[:24], "expected commands behind the header, got 6 words"),
        (payload([1, 2])[:36], "expected 2 words of commands, got 1"),
    ],
)
def test_a_damaged_header_is_refused(data: np.ndarray, message: str) -> None:
    with pytest.raises(StreamError, match=message):
        read_stream(data)
