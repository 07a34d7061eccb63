"""The table of kernels is made of the files that declare them."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "kernel_table.py"
if not SCRIPT.exists():
    pytest.skip("a wheel brings no build files", allow_module_level=True)


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernel_table", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


kernel_table = load()


def table(
    tmp_path: Path,
    files: dict[str, str],
    isas: tuple[str, ...] = ("portable",),
    folders: tuple[str, ...] = (),
) -> str:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    source: str = kernel_table.table(tmp_path, list(isas), list(folders))
    return source


def entries(source: str, isa: str) -> list[str]:
    """The kernels of an instruction set, in their order."""
    block = source.split(f"static const ar_kernel *const {isa}[] = {{", 1)[1].split("}", 1)[0]
    return [line.strip(" &,") for line in block.splitlines() if "&" in line]


def test_a_file_is_enough_for_a_kernel(tmp_path):
    source = table(tmp_path, {"portable/sum.c": "AR_PORTABLE_KERNEL(SUM, measure, plan, run)\n"})
    assert entries(source, "portable") == ["ar_portable_SUM_portable"]
    assert "extern const ar_kernel ar_portable_SUM_portable;" in source
    assert "  [AR_PORTABLE] = portable,\n" in source


def test_portable_kernels_are_there_for_every_instruction_set(tmp_path):
    files = {"portable/sum.c": "AR_PORTABLE_KERNEL(SUM, measure, plan, run)\n"}
    source = table(tmp_path, files, ("portable", "avx2"))
    assert entries(source, "avx2") == ["ar_portable_SUM_avx2"]


def test_kernels_written_for_an_instruction_set_come_first_in_their_order(tmp_path):
    files = {
        "portable/add.c": "AR_PORTABLE_KERNEL(ADD, measure, plan, run)\n",
        "simd/avx2/a.c": "AR_FAMILY_KERNEL(avx2, 10, ADD, family, &parts)\n",
        "simd/avx2/b.c": "AR_KERNEL(avx2, 9, ADD, m, p, r)\nAR_KERNEL(avx2, 1, ABS, m, p, r)\n",
    }
    source = table(tmp_path, files, ("portable", "avx2"), ("avx2",))
    assert entries(source, "avx2") == [
        "ar_kernel_avx2_ABS_1",
        "ar_kernel_avx2_ADD_9",
        "ar_kernel_avx2_ADD_10",
        "ar_portable_ADD_avx2",
    ]


def test_a_folder_may_hold_kernels_of_an_instruction_set_without_a_folder(tmp_path):
    files = {"simd/avx2/add.c": "AR_KERNEL(avxvnni, 1, ADD, m, p, r)\n"}
    source = table(tmp_path, files, ("portable", "avx2"), ("avx2",))
    assert entries(source, "avxvnni") == ["ar_kernel_avxvnni_ADD_1"]


def test_a_folder_needs_no_portable_kernels_of_its_own(tmp_path):
    files = {
        "portable/add.c": "AR_PORTABLE_KERNEL(ADD, measure, plan, run)\n",
        "simd/neon/add.c": "AR_KERNEL(neon, 1, ADD, m, p, r)\n",
    }
    source = table(tmp_path, files, ("portable",), ("neon",))
    assert entries(source, "neon") == ["ar_kernel_neon_ADD_1"]


def test_folders_of_other_processors_are_left_out(tmp_path):
    files = {"simd/avx2/add.c": "AR_KERNEL(avx2, 1, ADD, m, p, r)\n"}
    assert "avx2" not in table(tmp_path, files, ("portable",))


def test_two_kernels_in_the_same_place_end_the_build(tmp_path):
    files = {
        "simd/avx2/a.c": "AR_KERNEL(avx2, 1, ADD, m, p, r)\n",
        "simd/avx2/b.c": "AR_KERNEL(avx2, 1, ADD, m, p, r)\n",
    }
    with pytest.raises(SystemExit, match="two of ar_kernel_avx2_ADD_1"):
        table(tmp_path, files, ("portable", "avx2"), ("avx2",))


def test_a_declaration_that_cannot_be_read_ends_the_build(tmp_path):
    files = {"simd/avx2/add.c": "\nAR_KERNEL(avx2, ADD, m, p, r)\n"}
    with pytest.raises(SystemExit, match=r"add\.c:2: expected AR_KERNEL\(ISA, ORDER, OPERATOR"):
        table(tmp_path, files, ("portable", "avx2"), ("avx2",))
