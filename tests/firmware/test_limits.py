"""What is endless comes to an end: loops of a model where it is exported, calls on a board."""

import json
import os

import pytest
from typer.testing import CliRunner

from arenite.cli import app
from arenite.emulator import qemu
from arenite.errors import BoardError, BoardLimitError
from arenite.firmware import export
from arenite.firmware.board import Board
from arenite.firmware.compiler import toolchain
from arenite.firmware.device import Limits
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


def test_an_endless_folder_ends_on_qemu_as_well(file, tmp_path):
    pytest.importorskip("ziglang")
    if not qemu.is_installed():
        pytest.skip("qemu-system-arm is not installed")
    export(file, tmp_path / "m", name="m", target=None)
    code, text = command("board", tmp_path / "m", "--target", "cortex-m55", "--timeout", 0.5)
    assert code == 3
    assert "has not come to its end in" in text


def test_a_clock_ends_what_instructions_would_not(file, tmp_path):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    export(file, tmp_path / "m", name="m", target=None)
    code, text = command("board", tmp_path / "m", "--limit", 10**6, "--timeout", 0.2)
    assert code == 3
    assert "has not come to its end in 0.2 s, in m_while_1" in text


def test_a_manifest_raises_the_limit_a_little(tmp_path):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    export(residual(), tmp_path / "m", name="m", target=None)
    path = tmp_path / "m" / "arenite.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"instructions": 2**40}))
    assert Board(tmp_path / "m")._device.machine._limit == 5 * 10**9


def test_a_clock_tells_how_far_a_call_has_come(file):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    told = []

    def tell(instructions, seconds):
        told.append(instructions)
        raise KeyboardInterrupt

    board = Board(residual(), name="m")
    machine = board._device.machine
    machine.tell = tell
    machine._next = lambda: setattr(machine, "_stretch", 200) or 200
    with pytest.raises(KeyboardInterrupt):  # as Ctrl-C does
        board(board.input(0))
    assert told == [100]


def test_an_export_that_is_emulated_for_too_long_is_written_without_figures(file, tmp_path):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    limits = Limits(instructions=1000)
    made = export(residual(), tmp_path / "m", name="m", emulate=True, limits=limits)
    assert made.figures is None
    assert made.not_verified.startswith("on an emulated core m_")
    assert "has not come to its end after" in (tmp_path / "m" / "README.md").read_text()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda path: (path.unlink(), os.mkfifo(path)),
            "expected a regular file, got a named pipe",
        ),
        (lambda path: (path.unlink(), path.symlink_to("/dev/zero")), "got a character device"),
        (lambda path: path.write_text('#include "/dev/zero"'), "reads '/dev/zero': expected"),
        (lambda path: path.write_text("#  include <../../x>"), r"reads '../../x': expected"),
        (lambda path: path.write_text('__asm__(".incbin \\"/dev/zero\\"");'), "reads '/dev/zero'"),
        (lambda path: path.write_text('#include "C:/x"'), "reads 'C:/x': expected"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="pipes and devices are files of Unix")
def test_a_compiler_takes_regular_files_of_the_folder_alone(tmp_path, damage, message):
    pytest.importorskip("ziglang")
    export(residual(), tmp_path / "m", name="m", target=None)
    damage(tmp_path / "m" / "src" / "kernels.c")
    with pytest.raises(BoardError, match=message):
        Board(tmp_path / "m")


def test_a_compiler_has_its_time(tmp_path, monkeypatch):
    pytest.importorskip("ziglang")
    monkeypatch.setattr(toolchain, "_SECONDS", 0.01)
    with pytest.raises(BoardError, match=r"compiler has not come to its end with '.*' in 0.01 s"):
        Board(residual(), name="m")
