"""No two things of a folder have one name."""

import pytest

from arenite.firmware import export
from arenite.firmware.network.names import Names, c_name, identifier
from arenite.model import Model, ModelBuilder
from arenite.ops.tflite.shape import ShapeOptions
from tests.firmware.streaming.chains import Folder, self_tests


def quantized_shape() -> Model:
    """float32 [2,3] -> its shape, behind a QUANTIZE: a routine and a constant called shape."""
    b = ModelBuilder()
    x = b.input("x", (2, 3), "float32")
    q = b.tensor("q", (2, 3), "int8", scale=0.1)
    b.operator("QUANTIZE", [x], [q])
    y = b.tensor("y", (2,), "int32")
    b.operator("SHAPE", [q], [y], ShapeOptions(out_type=2))
    b.output(y)
    return b.build()


def test_a_constant_is_not_called_like_a_function(tmp_path):
    made = export(quantized_shape(), tmp_path / "m", name="m", target=None, optimize=False)
    assert "PASS m:" in self_tests(tmp_path, [Folder(made.folder, made.name)])


def test_a_name_is_given_away_once():
    names = Names(["input0"])
    given = [names.take(one) for one in ("add_1", "add_1", "add_1", "init", "quantize_input0")]
    assert given == ["add_1", "add_1_2", "add_1_3", "init_2", "quantize_input0_2"]


@pytest.mark.parametrize("name", ["ar", "atomic", "mtx", "board"])
def test_a_model_is_not_called_what_other_names_begin_with(name):
    assert c_name(f"{name}.tflite", None) == identifier(name) == f"model_{name}"
    with pytest.raises(ValueError, match=f"such as 'model_{name}', got '{name}'"):
        c_name("", name)
