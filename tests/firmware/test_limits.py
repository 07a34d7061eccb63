"""What is endless comes to an end: loops of a model where it is exported, calls on a board."""

import pytest
from typer.testing import CliRunner

from arenite.cli import app
from arenite.emulator import qemu
from arenite.errors import BoardLimitError
from arenite.firmware import export
from arenite.firmware.board import Board
from arenite.formats import tflite
from tests.firmware.models import residual
from tests.runtime.subgraphs import endless


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "endless.tflite"
    path.write_bytes(tflite.write(endless()))
    return path


def command(*arguments):
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    return result.exit_code, " ".join(result.output.split())


def test_an_endless_model_is_exported_and_not_verified(file, tmp_path):
    code, text = command("export", file, "-o", tmp_path / "m")
    assert code == 3
    assert "Not verified: loops longer than 500,000 calls of subgraphs in all samples." in text
    readme = (tmp_path / "m" / "README.md").read_text("utf-8")
    assert "**Not verified**: loops longer than 500,000 calls" in readme


def test_a_board_does_not_run_a_model_whose_reference_is_endless(file):
    code, text = command("board", file)
    assert code == 3
    assert "error: not verified: the reference: loops longer than 500,000 calls" in text


def test_an_endless_folder_ends_where_its_instructions_do(file, tmp_path):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    export(file, tmp_path / "m", name="m", target=None)
    code, text = command("board", tmp_path / "m", "--limit", 1)
    assert code == 3
    assert "has not come to its end after 1 million instructions, in m_while_1" in text


def test_a_board_goes_on_after_a_call_that_was_too_long():
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    board = Board(residual(), name="m", limit=20_000)
    machine, first = board._device.machine, board.input(0).copy()
    y = board(first)
    machine._limit = 400  # more than m_init takes
    with pytest.raises(BoardLimitError, match="m_invoke has not come to its end"):
        board(first)
    machine._limit = 20_000
    assert board(first).tolist() == y.tolist()


def test_an_endless_folder_ends_on_qemu_as_well(file, tmp_path, monkeypatch):
    pytest.importorskip("ziglang")
    if not qemu.is_installed():
        pytest.skip("qemu-system-arm is not installed")
    monkeypatch.setattr(qemu, "_SECONDS", 0.5)
    export(file, tmp_path / "m", name="m", target=None)
    code, text = command("board", tmp_path / "m", "--target", "cortex-m55")
    assert code == 3
    assert "has not come to its end in 0.5 s" in text
