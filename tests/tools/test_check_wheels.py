"""What is said against a wheel before anybody installs it."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arenite import native

pytest.importorskip("lief")
pytest.importorskip("abi3info")

TOOLS = Path(__file__).parents[2] / "tools"
MODULE = "arenite/native/_engine.abi3.so"
Build = Callable[..., Path]


@pytest.fixture(scope="module")
def tool() -> Iterator[Callable[[str], ModuleType]]:
    """A module of ``tools/``, which import each other by their bare names."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(str(TOOLS))
        yield import_module


@pytest.fixture(scope="module")
def check(tool: Callable[[str], ModuleType]) -> Any:
    return tool("check_wheels")


@pytest.fixture
def build(tmp_path: Path, check: Any) -> Build:
    """A wheel of the fewest files, or with others: None for one that is missing."""

    def build(platform: str = "any", tags: str = "py3-none", **files: bytes | None) -> Path:
        path = tmp_path / f"arenite-1.0-{tags}-{platform}.whl"
        contents: dict[str, bytes | None] = dict.fromkeys(check.WANTED, b"")
        about = f"Wheel-Version: 1.0\nTag: {tags}-{platform}\n".encode()
        contents |= {"arenite-1.0.dist-info/WHEEL": about}
        contents |= files
        with zipfile.ZipFile(path, "w") as wheel:
            for name, data in contents.items():
                if data is not None:
                    wheel.writestr(name, data)
        return path

    return build


def problems(check: Any, path: Path) -> list[str]:
    return list(check.problems(path))


def test_a_pure_wheel_of_python_files_is_good(check: Any, build: Build) -> None:
    assert problems(check, build()) == []


def test_a_name_without_a_known_platform_is_refused(check: Any, build: Build) -> None:
    [problem] = problems(check, build("linux_riscv64"))
    assert problem == "expected the name of a wheel for a platform of tools/platforms.py"


def test_a_file_that_is_missing_is_named(check: Any, build: Build) -> None:
    path = build(**{"arenite/py.typed": None})
    assert problems(check, path) == ["lacks arenite/py.typed"]


@pytest.mark.parametrize("name", ["tests/test_x.py", "arenite/__pycache__/a.pyc", "csrc/x.c"])
def test_a_file_that_nobody_needs_is_named(check: Any, build: Build, name: str) -> None:
    assert problems(check, build(**{name: b""})) == [f"has {name}"]


def test_a_folder_of_the_building_machine_is_found(check: Any, build: Build) -> None:
    path = build(**{"arenite/x.py": str(check.ROOT).encode()})
    assert f"arenite/x.py names {check.ROOT}" in problems(check, path)


def test_another_tag_inside_than_in_the_name_is_told(check: Any, build: Build) -> None:
    path = build()
    other = path.rename(path.with_name("arenite-1.0-cp310-abi3-win_amd64.whl"))
    lacks, compiled = problems(check, other)
    assert lacks.startswith("lacks the line 'Tag: cp310-abi3-win_amd64'")
    assert compiled == "has the compiled files []"


def test_a_compiled_file_has_no_place_in_the_pure_wheel(check: Any, build: Build) -> None:
    assert problems(check, build(**{MODULE: b""})) == [f"has the compiled files ['{MODULE}']"]


def test_what_is_no_library_is_said_so(check: Any, build: Build) -> None:
    path = build("manylinux_2_17_x86_64", "cp310-abi3", **{MODULE: b"\x7fELF"})
    with pytest.raises(ValueError, match="expected ELF, Mach-O or PE"):
        problems(check, path)


@pytest.mark.skipif(
    not native.available() or sys.platform != "linux", reason="needs a native engine for Linux"
)
def test_an_engine_for_another_processor_is_found(
    check: Any, tool: Callable[[str], ModuleType], build: Build
) -> None:
    from arenite.native import _engine

    here = tool("platforms").here()
    engine = Path(_engine.__file__).read_bytes()
    other = "musllinux_1_2_aarch64" if here.processor == "x86_64" else "musllinux_1_2_x86_64"
    found = problems(check, build(other, "cp310-abi3", **{MODULE: engine}))
    assert f"compiled for {(here.system, here.processor)}" in found
    assert any(problem.startswith("asks for libc.so.6") for problem in found)


def test_python_files_are_the_same_in_all_wheels(check: Any, build: Build) -> None:
    one, other = build(), build("win_amd64", "cp310-abi3", **{"arenite/__init__.py": b"x = 1"})
    assert list(check.differing([one, one])) == []
    [problem] = check.differing([one, other])
    assert problem == f"not all have the same Python files: {one.name}, {other.name}"


@pytest.mark.parametrize(
    ("version", "tag", "runs"),
    [
        ("GLIBC_2.17", "manylinux_2_17_x86_64", True),
        ("GLIBC_2.18", "manylinux_2_17_x86_64", False),
        ("GLIBC_2.2.5", "manylinux_2_17_aarch64", True),
        ("GCC_3.0", "manylinux_2_17_x86_64", False),
        ("macos 11.0", "macosx_11_0_arm64", True),
        ("macos 12.0", "macosx_11_0_arm64", False),
        ("macos 10.15", "macosx_10_15_x86_64", True),
        ("GLIBC_2.17", "win_amd64", False),
    ],
)
def test_no_library_is_newer_than_the_oldest_system(
    check: Any, tool: Callable[[str], ModuleType], version: str, tag: str, *, runs: bool
) -> None:
    assert check.runs_on(version, tool("platforms").BY_TAG[tag]) is runs


@pytest.mark.parametrize(
    ("symbol", "is_stable"),
    [("PyLong_FromLong", True), ("PyObject_GetBuffer", False), ("_PyLong_AsInt", False)],
)
def test_functions_of_later_pythons_are_none_of_the_stable_abi(
    check: Any, symbol: str, *, is_stable: bool
) -> None:
    assert check.is_stable(symbol) is is_stable


def test_every_platform_has_a_tag_of_its_own(tool: Callable[[str], ModuleType]) -> None:
    platforms = tool("platforms")
    assert len(platforms.BY_TAG) == len(platforms.PLATFORMS)
    assert len({one.target for one in platforms.PLATFORMS}) == len(platforms.PLATFORMS)
