"""What boards send: archives, and logs with tensors in them."""

import subprocess

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.engines.dumps import read_dump, snippet
from arenite.formats.tflite import write
from tests.compiler import compiler
from tests.firmware.models import chain

MODEL = chain()
X = np.array([[1, -2, 3, -4]], np.int8)
OUT = MODEL.main.outputs[0]


def logged(tmp_path, text: str):
    path = tmp_path / "board.log"
    path.write_text(text)
    return path


def test_a_log_is_read_past_all_else_that_it_says(tmp_path):
    path = logged(
        tmp_path,
        "boot\n[00:01] arenite tensor 0 4\n01fe\n03 fc\ndone in 5 ms\nff\n"
        f"arenite tensor {OUT} 4\n00010203",
    )
    found = read_dump(path, MODEL)
    assert found[0].tolist() == X.tolist()
    assert found[OUT].tolist() == [[0, 1, 2, 3]]


def test_an_archive_has_members_by_index_or_name(tmp_path):
    path = tmp_path / "board.npz"
    np.savez(path, **{"0": X, MODEL.main.tensors[OUT].name: X})
    found = read_dump(path, MODEL)
    assert sorted(found) == [0, OUT]
    assert found[0].dtype == np.int8


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing\n", "no line 'arenite tensor"),
        ("arenite tensor 0 4\n0102\n", "expected 4 bytes, got 2"),
        ("arenite tensor 0 3\n010203\n", "expected 4 bytes, got 3"),
        ("arenite tensor 99 1\n01\n", "no tensor 99"),
    ],
)
def test_a_broken_log_says_what_is_wrong(text, words, tmp_path):
    with pytest.raises(ar.CompareError, match=words):
        read_dump(logged(tmp_path, text), MODEL)


def test_a_broken_archive_is_refused(tmp_path):
    path = tmp_path / "board.npz"
    path.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(ar.CompareError, match="not a readable"):
        read_dump(path, MODEL)


def test_a_member_that_no_tensor_is_called_is_refused(tmp_path):
    path = tmp_path / "board.npz"
    np.savez(path, other=X)
    with pytest.raises(ar.CompareError, match="no tensor 'other'"):
        read_dump(path, MODEL)


def test_a_dump_is_compared_with_what_the_model_makes_of_the_same_input(tmp_path):
    interp = ar.Interpreter(MODEL)
    y = interp(X)
    good = logged(tmp_path, f"arenite tensor {OUT} 4\n{y.tobytes().hex()}\n")
    path = tmp_path / "model.tflite"
    path.write_bytes(write(MODEL))
    assert ar.compare(str(path), str(good), [X])
    bad = logged(tmp_path, f"arenite tensor {OUT} 4\n{(y + 1).tobytes().hex()}\n")
    found = ar.compare(str(path), str(bad), [X])
    assert [(one.different, one.steps) for one in found.layers] == [(4, 1)]
    with pytest.raises(ValueError, match="one inference"):
        ar.compare(str(path), str(bad))


def test_the_snippet_prints_what_is_read(tmp_path):
    """Compiled with stand-ins for TFLM's types, and run."""
    program = f"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#define MicroPrintf(...) (printf(__VA_ARGS__), printf("\\n"))
typedef struct {{ struct {{ void* raw; }} data; }} TfLiteEvalTensor;
static int8_t values[4] = {{1, -2, 3, -4}};
static TfLiteEvalTensor tensor = {{{{values}}}};
struct Interpreter {{
  TfLiteEvalTensor* GetTensor(int) {{ return &tensor; }}
}} interpreter;
{snippet(MODEL).split("// before")[0]}
int main(void) {{
// before{snippet(MODEL).split("// before")[1]}
  return 0;
}}
"""
    source = tmp_path / "main.cc"
    source.write_text(program)
    command = [*compiler(), "-x", "c++", str(source), "-o", str(tmp_path / "main")]
    subprocess.run(command, check=True, timeout=120)
    text = subprocess.run(
        [str(tmp_path / "main")], capture_output=True, check=True, text=True
    ).stdout
    found = read_dump(logged(tmp_path, text), MODEL)
    assert [found[index].tolist() for index in (0, OUT)] == [X.tolist()] * 2


def test_the_snippet_prints_what_every_operator_writes():
    lines = snippet(MODEL).partition("// after it")[2]
    written = {index for one in MODEL.main.operators for index in one.outputs}
    assert lines.count("GetTensor(") == len(written)
