"""int4 weights: four channels at a time, odd columns apart."""

from arenite.libraries.cmsis_nn.cost.loops import narrow
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.target import Target
from tests.libraries.cmsis_nn.cost.loops.views import passes, view

DSP = Target("cortex-m4")


def dense(depth):
    inputs = [((1, depth), "int8"), ((5, depth), "int4")]
    return view("FULLY_CONNECTED", inputs, [((1, 5), "int8")], FullyConnectedOptions())


def test_four_units_at_a_time():
    found = passes(narrow.fully_connected(dense(11), DSP))
    assert (found["row, 4 channels"], found["row, channel"]) == (1, 1)
    assert found["row, 4 channels, 4 columns"] == 2
    assert (found["row, 4 channels, 2 columns"], found["row, 4 channels, odd column"]) == (1, 1)


def test_rows_that_share_a_byte_have_loops_of_their_own():
    (odd,) = {loop.function for loop in narrow.fully_connected(dense(11), DSP)}
    (even,) = {loop.function for loop in narrow.fully_connected(dense(12), DSP)}
    assert (odd, even) == ("FULLY_CONNECTED, int4, odd depth", "FULLY_CONNECTED, int4")
