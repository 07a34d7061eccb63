"""``arenite board``."""

import json

import pytest

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")


def test_board_counts_and_compares(arenite, model_file):
    result = arenite("board", model_file, "--runs", "1", "--target", "m4")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[1] == "cortex-m4, emulated; zig's clang, -Os"
    assert lines[3].split() == ["#", "layer", "function", "instructions", "cycles"]
    assert any(line.startswith("equal  every layer and output of 1 inf") for line in lines)
    assert "C      3: SOFTMAX has no kernel in assembly" in lines


def test_board_has_json(arenite, model_file):
    result = arenite("board", model_file, "--runs", "1", "--target", "m33", "--json")
    facts = json.loads(result.stdout)
    assert facts["equal"] is True
    assert facts["processor"] == "cortex-m33"
    assert {"instructions", "cycles", "arena_bytes", "stack_bytes", "code_bytes"} <= set(facts)


def test_an_exported_folder_is_run_as_it_stands(arenite, model_file, tmp_path):
    arenite("export", model_file, "-o", tmp_path / "out", "--no-emulate")
    result = arenite("board", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert "test   PASS digits: 4 inferences, 4 layers each" in result.stdout
    path = tmp_path / "out" / "src" / "selftest.c"
    path.write_text(path.read_text().replace("{0x", "{1 + 0x", 1))  # a checksum
    result = arenite("board", tmp_path / "out")
    assert result.exit_code == 1
    assert "FAIL sample" in result.stdout


def test_a_folder_that_was_not_exported_is_an_error(arenite, tmp_path):
    result = arenite("board", tmp_path)
    assert result.exit_code == 2
    assert "expected an exported folder" in result.stderr
