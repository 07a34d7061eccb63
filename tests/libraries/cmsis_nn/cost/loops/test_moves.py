"""What is moved, and in how many pieces."""

import pytest

from arenite.libraries.cmsis_nn.cost.loops.moves import KERNELS
from arenite.ops.tflite.gather import GatherOptions
from arenite.ops.tflite.pack import PackOptions
from arenite.ops.tflite.split import SplitOptions
from tests.libraries.cmsis_nn.cost.loops.views import passes, view


def loops(name, inputs, outputs, options=None, kind="int8"):
    ports = [
        [port if isinstance(port, list) else (port, kind) for port in side]
        for side in (inputs, outputs)
    ]
    return KERNELS[name](view(name, *ports, options))


def test_pieces_are_moved_row_by_row():
    found = passes(loops("PACK", [(2, 3)] * 4, [(2, 4, 3)], PackOptions(4, 1)))
    assert (found["piece"], found["row"], found["value"]) == (4, 8, 24)
    split = passes(loops("SPLIT", [[1], (2, 6)], [(2, 3), (2, 3)], SplitOptions(2)))
    assert (split["piece"], split["row"], split["value"]) == (2, 4, 12)


def test_lines_and_planes_of_nested_loops():
    found = passes(loops("SLICE", [(9, 9, 9), [0, 0, 0], [2, 3, 4]], [(2, 3, 4)]))
    assert (found["plane"], found["line"], found["value"]) == (2, 6, 24)


def test_padding_asks_of_every_value_whether_it_lies_inside():
    found = passes(loops("PAD", [(2, 3), [[1, 1], [0, 0]]], [(4, 3)], kind="float32"))
    assert (found["value"], found["value inside"]) == (12, 6)


def test_a_strided_slice_copies_lines_whose_step_is_one():
    bounds = [[0, 0], [4, 8]]
    copied = loops("STRIDED_SLICE", [(4, 8), *bounds, [2, 1]], [(2, 8)])
    assert passes(copied, "memcpy")["aligned"] == 2
    stepped = loops("STRIDED_SLICE", [(4, 8), *bounds, [1, 2]], [(4, 4)])
    assert passes(stepped)["value"] == 16


@pytest.mark.parametrize(
    ("name", "inputs", "output", "options", "copied"),
    [
        ("GATHER", [(5, 8), [1, 2, 2]], (3, 8), GatherOptions(0, 0), 3),
        ("GATHER_ND", [(5, 8), [[1], [2]]], (2, 8), None, 2),
        ("RESIZE_NEAREST_NEIGHBOR", [(1, 2, 2, 8), [4, 4]], (1, 4, 4, 8), None, 16),
        ("BROADCAST_TO", [(1, 8), [5, 8]], (5, 8), None, 5),
    ],
)
def test_copies_of_eight_bytes(name, inputs, output, options, copied):
    assert passes(loops(name, inputs, [output], options), "memcpy")["aligned"] == copied


def test_variables_are_copied_as_a_whole():
    found = loops("READ_VARIABLE", [], [(64,)])
    assert passes(found, "memcpy") == {"aligned": 1, "64 bytes": 1}


def test_padding_between_batches_is_filled():
    found = loops("SPACE_TO_BATCH_ND", [(1, 3, 2, 8), [2, 1], [[0, 1], [0, 0]]], [(2, 2, 2, 8)])
    assert passes(found, "memcpy")["aligned"] == 6
    assert passes(found, "memset")["aligned"] == 2
