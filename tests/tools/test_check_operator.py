"""``tools/check_operator.py`` says what an operator has, and where the rest would go."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from arenite.ops.registry import builtin_names

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "check_operator.py"
if not (ROOT / "src").exists():
    pytest.skip("it looks at the sources, which a wheel does not bring", allow_module_level=True)


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_operator", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check = load()


def states(name: str) -> dict[str, str]:
    return {line.part: line.state for line in check.lines_of(name)}


@pytest.fixture
def no_tests_run(monkeypatch):
    """Tests are taken to pass: what is looked for here is what stands in tables."""
    monkeypatch.setattr(check, "tested", lambda part, path, *_: check.ok(part, path))
    monkeypatch.setattr(check.native, "available", lambda: True)


@pytest.mark.parametrize("given", ["LEAKY_RELU", "leaky_relu", "Leaky_ReLU"])
def test_a_name_is_taken_in_any_case(given):
    assert check.name_of(given, check.every_name()) == "LEAKY_RELU"


@pytest.mark.parametrize("given", ["SignalFramer", "signal_framer"])
def test_a_name_is_taken_as_its_file_has_it(given):
    assert check.name_of(given, check.every_name()) == "SignalFramer"


def test_a_keyword_is_a_name():
    assert check.name_of("if", check.every_name()) == "IF"


def test_a_wrong_name_says_the_nearest_ones(capsys):
    assert check.main(["leaky_rel"]) == 2
    assert capsys.readouterr().err == (
        "expected an operator, got 'leaky_rel'; did you mean leaky_relu?\n"
    )


def test_a_name_like_no_other_says_so(capsys):
    assert check.main(["qqqqqq"]) == 2
    assert capsys.readouterr().err == "expected an operator, got 'qqqqqq'\n"


@pytest.mark.usefixtures("no_tests_run")
def test_an_operator_that_has_everything_is_ok_throughout():
    assert set(states("CONV_2D").values()) == {"ok"}


@pytest.mark.usefixtures("no_tests_run")
def test_what_is_not_there_says_the_file_to_add():
    lines = {line.part: line for line in check.lines_of("CUMSUM")}
    assert lines["traits"].note == "TRAITS in src/arenite/ops/tflite/cumsum.py"
    assert lines["firmware, DSP"].note.startswith("src/arenite/firmware/kernels/cortex_m/cumsum.py")
    assert {lines[part].state for part in ("traits", "firmware, DSP")} == {"not there yet"}


@pytest.mark.usefixtures("no_tests_run")
def test_what_calls_subgraphs_needs_no_native_kernel():
    assert states("IF")["native kernel"] == "ok"


@pytest.mark.usefixtures("no_tests_run")
def test_every_builtin_has_tests_and_documentation():
    for name in builtin_names():
        found = states(name)
        assert {found[part] for part in ("tests", "docs", "firmware")} == {"ok"}, name


def test_without_a_build_the_native_kernel_is_not_run(monkeypatch):
    monkeypatch.setattr(check.native, "available", lambda: False)
    line = check.native_kernel("LEAKY_RELU")
    assert str(line) == (
        "native kernel       not built: make native, then csrc/portable/relu.c is tested"
    )


def test_tests_are_run_and_counted(tmp_path):
    file = tmp_path / "test_it.py"
    file.write_text("def test_it(): pass\n")
    assert check.tested("tests", "here", str(file)) == check.ok("tests", "here, 1 passed")


def test_a_test_that_fails_shows_why_and_fails_the_part(tmp_path, capsys):
    file = tmp_path / "test_it.py"
    file.write_text("def test_it(): assert 2 == 3\n")
    line = check.tested("tests", "here", str(file))
    assert line == check.Line("tests", "failed", f"python -m pytest {file}")
    assert "assert 2 == 3" in capsys.readouterr().err


def test_a_failed_part_is_the_exit_code(monkeypatch):
    monkeypatch.setattr(check, "tested", lambda part, *_: check.Line(part, "failed", ""))
    assert check.main(["LEAKY_RELU"]) == 1


def test_parts_that_are_not_there_do_not_fail(monkeypatch, capsys):
    monkeypatch.setattr(check, "tested", lambda part, path, *_: check.ok(part, path))
    assert check.main(["CUMSUM"]) == 0
    assert "not there yet" in capsys.readouterr().out


def test_the_tool_names_no_builtin():
    words = set(TOOL.read_text("utf-8").split('"""', 2)[2].replace('"', " ").split())
    assert words.isdisjoint(builtin_names())
