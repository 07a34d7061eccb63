"""Temporary folders of makers that are gone are removed by the next one."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arenite.processes.folders import scratch_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX locks")
KEEPS = (
    "from arenite.processes.folders import scratch_folder\n"
    "with scratch_folder() as folder:\n    print(folder, flush=True)\n    input()"
)


@pytest.fixture
def temporary(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_killed_maker_s_folder_is_removed_and_a_living_one_s_is_not(temporary):
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", KEEPS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    killed, living = (Path(maker.stdout.readline().strip()) for maker in makers)
    makers[0].send_signal(signal.SIGKILL)
    makers[0].communicate()
    with scratch_folder():
        assert not killed.exists()
        assert living.is_dir()
    makers[1].communicate("\n")
    assert list(temporary.iterdir()) == []


def test_a_folder_without_a_lock_is_somebody_else_s(temporary):
    (temporary / "arenite-other").mkdir()
    with scratch_folder():
        pass
    assert (temporary / "arenite-other").is_dir()
