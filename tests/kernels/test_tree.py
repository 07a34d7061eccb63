"""Which folders are TFLM's sources, and which of them a model needs."""

import re
import shutil

import pytest

from arenite.errors import BoardError, KernelBuildError
from arenite.kernels.closure import sources_for
from arenite.kernels.tree import find_tree

_MICRO = "tensorflow/lite/micro"
_PARTIES = [
    "cmsis_nn/Include/arm_nnfunctions.h",
    "flatbuffers/include/flatbuffers/flatbuffers.h",
    "gemmlowp/fixedpoint/fixedpoint.h",
    "ruy/ruy/profiler/instrumentation.h",
]


@pytest.fixture(params=["third_party", f"{_MICRO}/tools/make/downloads"])
def tree(tmp_path, request):
    """A folder with TFLM's files by name, and nothing in them."""
    files = {f"{request.param}/{party}": "" for party in _PARTIES}
    files[f"{_MICRO}/micro_interpreter.h"] = files[f"{_MICRO}/micro_utils.h"] = ""
    files[f"{_MICRO}/micro_mutable_op_resolver.h"] = """
  TfLiteStatus AddAdd() {
    return AddBuiltin(BuiltinOperator_ADD, Register_ADD(), ParseAdd);
  }
"""
    for name, text in files.items():
        _write(tmp_path / name, text)
    return tmp_path


def test_third_parties_lie_beside_tflm_or_among_its_downloads(tree):
    found = find_tree(tree)
    assert [path.name for path in found.includes[1:4]] == ["cmsis_nn", "include", "gemmlowp"]


def test_all_that_is_missing_is_named(tmp_path):
    (tmp_path / "tensorflow").mkdir()
    with pytest.raises(BoardError, match=re.escape(f"no {_MICRO}, cmsis_nn, flatbuffers/include")):
        find_tree(tmp_path)


def test_headers_lead_to_sources_and_cmsis_nn_comes_first(tree):
    kernels = tree / _MICRO / "kernels"
    _write(kernels / "cmsis_nn" / "add.cc", f'Register_ADD() {{}}\n#include "{_MICRO}/kernels/x.h"')
    _write(kernels / "add.cc", "Register_ADD() {}")
    for name in ("x.h", "x.cc", "x_common.cc", "other.cc"):
        _write(kernels / name, "")
    _write(find_tree(tree).cmsis_nn / "Source" / "arm_add_s8.c", "")
    _write(find_tree(tree).cmsis_nn / "Source" / "arm_add_f32.c", "")
    found = sources_for(find_tree(tree), ["resolver.AddAdd()"])
    names = [str(path.relative_to(kernels)) for path in found if kernels in path.parents]
    assert names == ["cmsis_nn/add.cc", "x.cc", "x_common.cc"]
    assert found[-1].name == "arm_add_s8.c"


def test_an_operator_without_a_kernel_is_named(tree):
    with pytest.raises(BoardError, match=r"no kernels for resolver.AddMul\(\)"):
        sources_for(find_tree(tree), ["resolver.AddMul()"])


@pytest.mark.parametrize(
    ("text", "is_concrete"),
    [
        ("class MicroContext { explicit MicroContext(MicroAllocator* allocator,", True),
        ("class MicroContext { virtual MicroGraph& graph() = 0;", False),
    ],
)
def test_a_context_of_an_interpreters_parts_is_told_to_the_shim(tree, text, is_concrete):
    _write(tree / _MICRO / "micro_context.h", text)
    assert ("AK_CONCRETE" in find_tree(tree).defines) == is_concrete


@pytest.mark.parametrize(
    ("member", "standard"), [("const size_type count_;", "c++20"), ("size_type count_;", "c++17")]
)
def test_a_flatbuffers_that_assigns_to_a_constant_is_not_used_for_spans(tree, member, standard):
    header = find_tree(tree).includes[2] / "flatbuffers" / "stl_emulation.h"
    _write(header, f"count_ = other.count_;\n{member}")
    assert find_tree(tree).standard == standard


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_includes_may_begin_with_the_folders_own_name(tmp_path):
    root = tmp_path / "edge-impulse-sdk"
    for party in _PARTIES:
        _write(root / "third_party" / party, "")
    _write(root / _MICRO / "micro_interpreter.h", "")
    include = '#include "edge-impulse-sdk/tensorflow/lite/c/common.h"\n'
    _write(root / _MICRO / "micro_context.h", include)
    found = find_tree(root)
    assert found.prefix == "edge-impulse-sdk/"
    assert found.includes[:2] == (root, tmp_path)


def test_headers_for_programs_without_an_interpreter_are_refused(tmp_path):
    (tmp_path / "include" / _MICRO).mkdir(parents=True)
    _write(tmp_path / "lib" / "libhost_x.a", "")
    _write(tmp_path / "include/tensorflow/lite/kernels/kernel_util.h", "#ifndef NO_INTERPRETER\n")
    with pytest.raises(KernelBuildError, match="is for programs without an interpreter"):
        find_tree(tmp_path)


def test_cmsis_nn_may_be_a_folder_of_cmsis(tree):
    downloads = next(tree.rglob("cmsis_nn")).parent
    shutil.rmtree(downloads / "cmsis_nn")
    for name in ("NN/Include/arm_nnfunctions.h", "Core/Include/cmsis_compiler.h"):
        _write(downloads / "cmsis/CMSIS" / name, "")
    found = find_tree(tree)
    assert found.cmsis_nn == downloads / "cmsis/CMSIS/NN"
    ends = [path.relative_to(downloads).as_posix() for path in found.includes[1:]]
    assert {"cmsis", "cmsis/CMSIS/NN/Include", "cmsis/CMSIS/Core/Include"} <= set(ends)


def test_what_is_not_for_static_memory_is_left_out(tree):
    kernels = tree / _MICRO / "kernels"
    _write(kernels / "add.cc", 'Register_ADD() {}\n#include "tensorflow/lite/array.h"')
    for name in ("array.h", "array.cc"):
        _write(tree / "tensorflow/lite" / name, "")
    names = {path.name for path in sources_for(find_tree(tree), ["resolver.AddAdd()"])}
    assert names == {"add.cc"}


@pytest.mark.parametrize(
    ("text", "takes_list"),
    [("void DebugLog(const char* s);", False), ("DebugLog(const char*, va_list)", True)],
)
def test_a_tree_says_what_its_log_takes(tree, text, takes_list):
    _write(tree / _MICRO / "debug_log.h", text)
    assert find_tree(tree).log_takes_list is takes_list
