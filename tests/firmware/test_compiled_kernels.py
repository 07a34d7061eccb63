"""A user's own kernels in C++ in a folder for TFLM."""

from dataclasses import replace
from pathlib import Path

import pytest

import arenite as ar
from arenite.firmware import export_tflm
from arenite.kernels.compiler import FLAGS, compile_file
from arenite.kernels.tree import find_tree
from tests.kernels.trees import SAMPLES, any_tree, define, full_tree, model

pytest.importorskip("ziglang")


def compiled(folder):
    return ar.compile_kernels(SAMPLES / "mistakes.cc", tflm=folder, define=define(folder))


def test_a_folder_for_tflm_has_its_source_and_registers_it(tmp_path):
    tree = find_tree(full_tree())
    kernels = compiled(tree.root)
    written = export_tflm(model(kernels), tmp_path / "m", target=None, name="m")
    sources = sorted(Path(written.folder, "src").glob("*.cc"))
    assert [path.name for path in sources] == [
        "m_model.cc",
        "m_selftest.cc",
        "main.cc",
        "mistakes.cc",
    ]
    header = Path(written.folder, "src/m_model.h").read_text()
    assert 'AddCustom("MISTAKES", sample::Register_MISTAKES())' in header
    assert "namespace sample { TFLMRegistration* Register_MISTAKES(); }" in header
    includes = [f"-I{path}" for path in tree.includes]
    compile_file(sources[2], [*FLAGS, "-std=c++17", *includes, "-DTF_LITE_STATIC_MEMORY"], tmp_path)


def test_two_sources_of_one_name_are_refused(tmp_path):
    main = tmp_path / "main.cc"
    main.write_bytes((SAMPLES / "mistakes.cc").read_bytes())
    folder = any_tree()
    kernels = ar.compile_kernels(main, tflm=folder, define=define(folder))
    one = replace(model(kernels), source="m.tflite")
    with pytest.raises(FileExistsError, match=r"main.cc': there is another src/main.cc"):
        export_tflm(one, tmp_path / "m", target=None)
