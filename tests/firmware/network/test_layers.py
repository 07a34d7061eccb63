"""A model as layers."""

from arenite.firmware.network.layers import network_of
from tests.firmware.models import residual


def test_a_layer_has_its_tensors_and_finished_parameters():
    network = network_of(residual())
    assert [layer.name for layer in network.layers] == ["FULLY_CONNECTED"] * 2 + ["ADD", "RELU"]
    first = network.layers[0]
    assert str(first) == "FULLY_CONNECTED 1x6 -> 1x6"
    assert first.params.input_offset == -3
    assert [value.is_constant for value in map(first.input, range(3))] == [False, True, True]
    assert first.input(1).data is not None
    assert first.output is network.layers[1].inputs[0]


def test_inputs_and_outputs_are_those_of_the_model():
    network = network_of(residual())
    assert [value.name for value in network.inputs] == ["x"]
    assert [(value.name, value.nbytes) for value in network.outputs] == [("out", 6)]
