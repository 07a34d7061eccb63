"""The self-test of a folder finds what went wrong."""

import re

import pytest

from arenite.firmware import export
from arenite.model import ModelBuilder
from tests.firmware.built import TESTED, compile_files, run
from tests.firmware.models import floats, residual, running_maximum


@pytest.fixture
def folder(tmp_path):
    export(residual(), tmp_path / "m", name="m", target=None)
    return tmp_path / "m"


def printed(folder):
    files = [folder / name for name in (*TESTED, "test/main.c")]
    compile_files(files, folder / "tested", f"-I{folder / 'src'}")
    return run(folder / "tested")


def test_all_is_well(folder):
    assert printed(folder) == "PASS m: 4 inferences, 4 layers each\n"


def test_inputs_that_are_places_are_such_as_the_reference_takes(tmp_path):
    b = ModelBuilder()
    x, places = b.input("x", (3,), "int8"), b.input("places", (2,), "int32")
    y = b.tensor("y", (2,), "int8")
    b.operator("GATHER", [x, places], [y])
    b.output(y)
    export(b.build(), tmp_path / "m", name="m", target=None)
    assert printed(tmp_path / "m") == "PASS m: 4 inferences, 1 layers each\n"


def test_samples_that_the_reference_refuses_are_left_out(tmp_path):
    b = ModelBuilder()
    x = b.input("x", (4,), "int16", scale=1.0)  # roots of numbers under 0 are refused
    y = b.tensor("y", (4,), "int16", scale=0.01)
    b.operator("RSQRT", [x], [y])
    b.output(y)
    export(b.build(), tmp_path / "m", name="m", target=None)
    assert printed(tmp_path / "m") == "PASS m: 0 inferences, 1 layers each\n"


STREAM = """
#include "src/model.h"
#include "src/selftest.h"
#include <stdio.h>
static void show(void) {
  for (int i = 0; i < 4; ++i) ((int8_t *)m_input(0))[i] = -50;
  m_invoke();
  printf("%d\\n", ((const int8_t *)m_output(0))[0]);
}
int main(void) {
  m_init();
  show();
  if (m_selftest(NULL)) return 1;
  show();
  return 0;
}
"""


def test_nothing_of_its_inferences_is_remembered_and_nobody_needs_to_listen(tmp_path):
    export(running_maximum(), tmp_path / "m", name="m", target=None)
    folder = tmp_path / "m"
    (folder / "stream.c").write_text(STREAM)
    compile_files([folder / name for name in (*TESTED, "stream.c")], folder / "stream")
    assert run(folder / "stream") == "-50\n-50\n"


def test_an_inference_that_ends_early_is_a_failure(folder):
    path = folder / "src" / "model.c"
    text = path.read_text()
    path.write_text(
        text.replace(
            "  return M_OK;\n}\n\nM_CODE int m_invoke", "  return -7;\n}\n\nM_CODE int m_invoke"
        )
    )
    assert "FAIL sample 0, an inference that ended behind result 4" in printed(folder)


def test_a_weight_that_differs_is_found(folder):
    path = folder / "src" / "weights.c"
    text = path.read_text()
    start = text.index("m_weights_1[36] = {") + 20
    found = re.compile(r"-?\d+").search(text, start)
    value = int(found[0])
    path.write_text(f"{text[: found.start()]}{value ^ 1}{text[found.end() :]}")
    assert "constant 4" in printed(folder)


def test_a_kernel_that_differs_is_found_with_its_layer(folder):
    path = folder / "src" / "kernels.c"
    path.write_text(path.read_text().replace("y[i] = table", "y[i] = -table"))
    lines = printed(folder).splitlines()
    assert lines[-1] == "FAIL m"
    assert lines[0] == "FAIL sample 0, RELU 3"
    assert "FAIL sample 0, output 0" in lines


def test_a_plan_that_differs_is_found(folder):
    path = folder / "src" / "model.c"
    text = path.read_text()
    call = re.search(r"m_fully_connected_1\(AT\(const int8_t, (\d+)\)", text)
    path.write_text(text.replace(call[0], call[0].replace(call[1], str(int(call[1]) + 4))))
    assert "FULLY_CONNECTED 0" in printed(folder)


def test_floats_that_are_nearly_right_pass_and_others_are_found(tmp_path):
    export(floats(), tmp_path / "m", name="m", target=None)
    folder = tmp_path / "m"
    path = folder / "src" / "kernels.c"
    text = path.read_text()
    path.write_text(text.replace("y[i] /= sum;", "y[i] = y[i] / sum * 1.000001f;"))
    assert printed(folder).startswith("PASS m")
    path.write_text(text.replace("y[i] /= sum;", "y[i] = y[i] / sum * 1.001f;"))
    assert "FAIL sample 0, SOFTMAX 1" in printed(folder)
