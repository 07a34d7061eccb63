"""Sources that no header leads to are found by what they define."""

import pytest

from arenite.kernels.closure import parser_of, sources_that_define
from arenite.kernels.tree import Tree


@pytest.fixture
def tree(tmp_path):
    files = {
        "signal/src/rfft_int16.cc": "void* RfftInt16Init(int n) { return 0; }",
        "signal/src/other.cc": "void f() { RfftInt16Init(3); }",
        "signal/src/rfft_test.cc": "void* RfftInt16Init(int n) { return 0; }",
        "signal/src/wrapped.cc": 'namespace fixed { /* C */\n#include "fft.c"\n}',
        "tensorflow/lite/c/common.cc": "const int kValue = 3;",
        "tensorflow/lite/c/shape.cc": "int Shape::Size() const {\n  return 3;\n}",
        "tensorflow/lite/micro/micro_mutable_op_resolver.h": (
            "return AddBuiltin(BuiltinOperator_CONV_2D, registration,\n ParseConv2D);"
        ),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Tree(tmp_path, (tmp_path,))


@pytest.mark.parametrize(
    ("symbol", "file"),
    [
        ("tflite::RfftInt16Init(int)", "rfft_int16.cc"),
        ("fixed::alloc(int, void*)", "wrapped.cc"),
        ("kValue", "common.cc"),
        ("vtable for tflite::Shape", "shape.cc"),
    ],
)
def test_a_symbol_leads_to_the_source_that_defines_it(tree, symbol, file):
    assert [path.name for path in sources_that_define(tree, [symbol])] == [file]


def test_a_symbol_of_nobody_leads_nowhere(tree):
    assert sources_that_define(tree, ["nobody::Has(int)", "operator new(unsigned long)"]) == []


def test_the_parser_of_options_is_what_the_trees_resolver_takes(tree):
    assert parser_of(tree, "CONV_2D") == "ParseConv2D"
    assert parser_of(tree, "ABS") == ""
