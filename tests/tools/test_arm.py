"""What an emulated Arm machine is made of, before anything is fetched."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
LOCKED = """# a comment
# and one more
cffi==2.1.1 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
numpy==2.2.6 ; python_full_version < '3.11' \\
    --hash=sha256:cc
numpy==2.4.6 ; python_full_version == '3.11.*' \\
    --hash=sha256:dd
tflite-micro==0.1 ; platform_machine == 'x86_64' and sys_platform == 'linux' \\
    --hash=sha256:ee
unicorn==2.1.4 \\
    --hash=sha256:ff
"""


@pytest.fixture(scope="module")
def tools() -> Iterator[Any]:
    """``tools/arm.py`` and ``tools/debian.py``, which import each other by their bare names."""
    pytest.importorskip("packaging")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(str(TOOLS))
        yield import_module


@pytest.fixture(scope="module")
def arm(tools: Any) -> Any:
    return tools("arm")


@pytest.fixture(scope="module")
def debian(tools: Any) -> Any:
    return tools("debian")


def test_requirements_are_those_of_the_emulated_python(arm: Any) -> None:
    assert list(arm.requirements(LOCKED, "3.11.2")) == [
        "cffi==2.1.1 --hash=sha256:aa --hash=sha256:bb",
        "numpy==2.4.6 --hash=sha256:dd",
    ]
    assert "numpy==2.2.6 --hash=sha256:cc" in arm.requirements(LOCKED, "3.10.9")


def test_all_that_is_locked_for_tests_can_be_read(arm: Any) -> None:
    locked = (TOOLS.parent / "requirements" / "test.txt").read_text("utf-8")
    names = {line.split("==")[0] for line in arm.requirements(locked, "3.13.0")}
    assert {"numpy", "cffi", "flatbuffers", "pytest", "hypothesis", "ai-edge-litert"} <= names
    assert not names & {"tflite-micro", "mnn", "ziglang"}


def test_a_cpu_is_what_the_file_of_processors_says(arm: Any) -> None:
    text = arm.cpuinfo(arm.CPUS["neoverse-n1"])
    assert text.count("CPU part\t: 0xd0c\n") == 2
    assert " asimddp\n" in text
    assert "asimddp" not in arm.cpuinfo(arm.CPUS["cortex-a53"])


def test_the_emulated_python_gets_none_of_this_ones_settings(
    arm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "here")
    found = arm.environment("max")
    assert "PYTHONPATH" not in found
    assert found["QEMU_CPU"] == "max"


def test_packages_of_another_architecture_leave_the_machines_alone(
    debian: Any, tmp_path: Path
) -> None:
    lines = debian.settings(tmp_path, "arm64").splitlines()
    assert 'APT::Architectures { "arm64"; };' in lines
    folders = [line for line in lines if line.startswith("Dir::")]
    assert folders == [
        f'Dir::State "{tmp_path}/state";',
        f'Dir::Cache "{tmp_path}/cache";',
        f'Dir::State::status "{tmp_path}/status";',
    ]


def test_sources_may_be_a_file_of_the_callers(debian: Any, tmp_path: Path) -> None:
    lines = debian.settings(tmp_path, "arm64", str(tmp_path / "mine.list")).splitlines()
    assert f'Dir::Etc::sourcelist "{tmp_path}/mine.list";' in lines
    assert 'Dir::Etc::sourceparts "-";' in lines


def test_without_apt_it_says_what_is_needed(
    debian: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(debian.MissingError, match="apt-get is missing: expected Debian or Ubuntu"):
        debian.unpack(tmp_path / "packages", "arm64", ["python3"])


@pytest.mark.skipif(os.name != "posix", reason="a stand-in for apt is a script")
def test_where_apt_finds_nothing_its_words_are_said(
    debian: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho E: Unable to locate package $5\nexit 100\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(debian.MissingError, match=r"(?s)ARENITE_APT_SOURCES.*package python3"):
        debian.unpack(tmp_path / "packages", "arm64", ["python3"])


@pytest.mark.skipif(os.name != "posix", reason="packages are of Debian")
def test_what_is_there_is_not_fetched_again(
    debian: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "packages"

    def fetch(*_: object) -> list[Path]:
        for made in ("root", "state", "cache"):
            (folder / made).mkdir(parents=True)
        return []

    monkeypatch.setattr(debian, "_download", fetch)
    assert debian.unpack(folder, "arm64", ["python3"]) == folder / "root"
    monkeypatch.setattr(debian, "_download", lambda *_: pytest.fail("fetched again"))
    assert debian.unpack(folder, "arm64", ["python3"]) == folder / "root"
    with pytest.raises(pytest.fail.Exception):
        debian.unpack(folder, "arm64", ["python3", "libstdc++6"])


def test_optional_is_no_failure_and_needed_is(
    arm: Any, debian: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(_: Path) -> None:
        raise debian.MissingError("there is no apt")

    monkeypatch.setattr(arm, "wheel", Path)
    monkeypatch.setattr(arm, "ready", missing)
    assert arm.main(["--optional"]) == 0
    assert arm.main([]) == 1
    assert capsys.readouterr().err.count("aarch64: built, and not run, since there is no apt") == 2


def test_tests_take_the_compiler_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.compiler import compiler

    monkeypatch.setenv("CC", "zig cc -target aarch64-linux-gnu")
    assert compiler() == ["zig", "cc", "-target", "aarch64-linux-gnu"]


def test_tests_take_the_python_that_has_tflms_package() -> None:
    command = ["import tests.oracle as o; print(o.PYTHON); o.skip_without_tflm()"]
    environment = {**os.environ, "ARENITE_ORACLE": "another-python"}
    done = subprocess.run(
        [sys.executable, "-c", *command],
        env=environment,
        cwd=TOOLS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "another-python\n"
