"""A kernel is compiled anew when what it was made of changes, while it is compiled too."""

import numpy as np
import pytest

import arenite as ar
from arenite.errors import KernelBuildError
from arenite.kernels import compiler
from tests.kernels.trees import LENGTH, SAMPLES, any_tree, define, model

pytest.importorskip("ziglang")

KERNEL = """
#include "number.h"
#include "{sample}"
namespace sample {{
TfLiteStatus Fill(TfLiteContext* context, TfLiteNode* node) {{
  TfLiteEvalTensor* y = tflite::micro::GetEvalOutput(context, node, 0);
  for (int i = 0; i < 64; ++i) y->data.int8[i] = NUMBER;
  return kTfLiteOk;
}}
TFLMRegistration* Register_FILL() {{
  static TFLMRegistration made = tflite::micro::RegisterOp(nullptr, nullptr, Fill);
  return &made;
}}
}}
"""


@pytest.fixture
def filled(tmp_path):
    """The number that a kernel writes, compiled now."""
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    (tmp_path / "fill.cc").write_text(KERNEL.format(sample=SAMPLES / "ends.cc"))
    write(tmp_path / "second", 11)
    tree = any_tree()

    def number():
        kernels = ar.compile_kernels(
            tmp_path / "fill.cc",
            tflm=tree,
            names={"FILL": "Register_FILL"},
            include=[tmp_path / "first", tmp_path / "second"],
            define=define(tree),
        )
        run = ar.Interpreter(model(kernels, name="FILL"))
        return int(run(np.zeros((1, LENGTH), np.int8))[0, 0])

    return number


def write(folder, number):
    (folder / "number.h").write_text(f"#define NUMBER {number}\n")


def test_a_new_header_that_comes_first_is_seen(tmp_path, filled):
    assert filled() == 11
    write(tmp_path / "first", 22)
    assert filled() == 22
    (tmp_path / "first/number.h").unlink()
    assert filled() == 11


def test_a_header_that_changes_while_it_is_compiled_is_compiled_anew(tmp_path, filled, monkeypatch):
    run, numbers = compiler.run_program, iter([22])

    def behind(*arguments, **how):
        done = run(*arguments, **how)
        if str(tmp_path / "fill.cc") in arguments and "-c" in arguments:
            for number in numbers:
                write(tmp_path / "second", number)
        return done

    monkeypatch.setattr(compiler, "run_program", behind)
    assert filled() == 22
    assert filled() == 22


def test_a_source_that_never_rests_is_an_error(tmp_path, filled, monkeypatch):
    run, numbers = compiler.run_program, iter(range(100))

    def before(*arguments, **how):
        write(tmp_path / "second", next(numbers))
        return run(*arguments, **how)

    monkeypatch.setattr(compiler, "run_program", before)
    monkeypatch.setattr(compiler, "_TRIES", 2)
    with pytest.raises(KernelBuildError, match=r"fill.cc', or a file .* changes while it is comp"):
        filled()
