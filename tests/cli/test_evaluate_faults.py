"""``arenite evaluate`` that ends early, and the run that does the rest: no work is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from arenite.model import ModelBuilder
from tests.analysis.evaluated import saved
from tests.shared import DIGITS

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
ROWS = 600
#: What is on the command line of a worker.
WORKERS = (b"--multiprocessing-fork", b"arenite.processes.workers")

#: Does what the environment says at that call, and what is asked of it at all others.
FAULTY = """
import os, resource, signal
import arenite as ar

kind, _, at = os.environ.get("FAULT", "").partition(":")
calls = 0

def invoke(context, node):
    global calls
    calls += 1
    x, y = (context.get_eval_tensor(i).data for i in (node.inputs[0], node.outputs[0]))
    if calls == int(at or 0):
        if kind.startswith("full"):
            most = int(kind.split()[-1])
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        else:
            os.kill(os.getpid(), getattr(signal, kind))
    if x[0, 0] > 90:
        raise ValueError("this is too much")
    y[...] = x[:, :2] * 2

OPERATORS = {"FAULTY": ar.Registration(invoke=invoke)}
"""


@pytest.fixture
def files(tmp_path):
    """Model, data and operators, as a command's arguments."""
    b = ModelBuilder()
    x, y = b.input("x", (1, 3), "float32"), b.tensor("y", (1, 2), "float32")
    b.operator("FAULTY", [x], [y], custom_options=b"")
    b.output(y)
    model = saved(b.build(), tmp_path / "m.tflite")
    (tmp_path / "ops.py").write_text(FAULTY)
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(ROWS, 3)).astype(np.float32), rng.integers(0, 2, ROWS)
    np.savez(tmp_path / "data.npz", x=x, y=y)
    return [model, tmp_path / "data.npz", "--ops", tmp_path / "ops.py"]


def started(*arguments, **extra):
    return subprocess.Popen(
        [sys.executable, "-m", "arenite", "evaluate", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "200", "ARENITE_DEBUG": "", **extra},
        text=True,
    )


def ended(*arguments, **extra):
    """Exit code, and what the error stream says."""
    process = started(*arguments, **extra)
    _, said = process.communicate(timeout=120)
    return process.returncode, said


def facts(arenite, *arguments):
    result = arenite("evaluate", *arguments, "--json")
    assert result.exit_code in (0, 3), result.stderr
    return json.loads(result.stdout)


def scores(found):
    """What is the same however often a run was disturbed."""
    kept = ("samples", "inferences", "classes", "left_out")
    engines = [(one["metrics"], one["confusion"], one["classes"]) for one in found["engines"]]
    return [found[name] for name in kept], engines


@posix_only
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("SIGKILL:20", ""),
        ("SIGKILL:300", ""),
        ("SIGINT:20", "16 of 600 samples are kept in"),
        ("SIGINT:300", " of 600 samples are kept in"),
        ("full at 1:20", "kept: File too large"),
        ("full at 2000:20", "kept: File too large"),
    ],
)
def test_a_run_that_ended_early_is_resumed_with_the_same_scores(
    arenite, files, tmp_path, fault, words
):
    file = tmp_path / "kept"
    ended_with, said = ended(*files, "--resume", file, FAULT=fault)
    assert ended_with != 0
    assert words in said
    assert "Traceback" not in said
    found = facts(arenite, *files, "--resume", file)
    assert 0 < found["resumed"]["samples"] < ROWS
    assert scores(found) == scores(facts(arenite, *files))
    again = facts(arenite, *files, "--resume", file)
    assert again["resumed"]["samples"] == ROWS
    assert again["samples_per_second"] is None
    assert scores(again) == scores(found)


@posix_only
def test_a_run_is_disturbed_again_and_again(arenite, files, tmp_path):
    file = tmp_path / "kept"
    for fault in ("SIGKILL:10", "SIGINT:30", "full at 2000:50", "SIGKILL:300"):
        code, _ = ended(*files, "--resume", file, FAULT=fault)
        assert code != 0
    found = facts(arenite, *files, "--resume", file)
    assert scores(found) == scores(facts(arenite, *files))


def test_a_model_next_to_it_is_resumed_as_well(arenite, tmp_path):
    data, file = DIGITS.parent / "held_out.npz", tmp_path / "kept"
    both = (DIGITS, data, "--against", "@m4", "--resume", file)
    whole = facts(arenite, *both)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    found = facts(arenite, *both)
    assert 0 < found["resumed"]["samples"] < 360
    assert scores(found) == scores(whole)
    assert found["unequal"] == whole["unequal"]


# -- workers -----------------------------------------------------------------------------


def workers_of(process):
    """Processes that do its work, once they are what they shall be."""
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        lines = {int(one): Path(f"/proc/{one}/cmdline").read_bytes() for one in children}
    except OSError:
        return []
    return [one for one, line in lines.items() if any(part in line for part in WORKERS)]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
@pytest.mark.parametrize("when", ["at once", "half way"])
def test_a_killed_worker_changes_no_score(arenite, tmp_path, when):
    with np.load(DIGITS.parent / "held_out.npz") as held_out:
        x, y = (
            np.tile(held_out[name], (30, *axes))
            for name, axes in (("images", (1, 1)), ("labels", ()))
        )
    np.savez(tmp_path / "data.npz", x=x, y=y)
    arguments, file = (DIGITS, tmp_path / "data.npz"), tmp_path / "kept"
    process = started(*arguments, "--workers", 2, "--resume", file, "--json")
    begun = 0
    while process.poll() is None:
        size = file.stat().st_size if file.exists() else 0
        begun = begun or size
        if (workers := workers_of(process)) and (when == "at once" or size > begun):
            os.kill(workers[-1], signal.SIGKILL)
            break
        time.sleep(0.001)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    found = json.loads(stdout)
    assert found["spread"]["pools"] == 1
    assert found["spread"]["again"] > 0
    assert scores(found) == scores(facts(arenite, *arguments))


# -- samples that fail -------------------------------------------------------------------


@pytest.fixture
def pictures(tmp_path):
    """Ten good ones, and two that are none."""
    pytest.importorskip("PIL")
    for digit in range(10):
        folder = tmp_path / "data" / str(digit)
        folder.mkdir(parents=True)
        picture = (DIGITS.parent / "images" / f"{digit}.png").read_bytes()
        (folder / "a.png").write_bytes(picture)
    (tmp_path / "data" / "3" / "cut.png").write_bytes(picture[:50])
    (tmp_path / "data" / "7" / "empty.png").write_bytes(b"")
    return tmp_path / "data"


@pytest.mark.parametrize("workers", [1, 2])
def test_samples_that_cannot_be_read_are_left_out_listed_and_told(arenite, pictures, workers):
    result = arenite(
        "evaluate", DIGITS, pictures, "--on-error", "skip", "--json", "--workers", workers
    )
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["samples"] == 10
    assert [one["index"] for one in found["left_out"]] == [4, 9]
    assert found["left_out"][1]["name"].endswith("empty.png")
    assert "got an empty file" in found["left_out"][1]["reason"]
    for name in ("3/cut.png", "7/empty.png"):
        (pictures / name).unlink()
    assert (
        found["engines"][0]["metrics"] == facts(arenite, DIGITS, pictures)["engines"][0]["metrics"]
    )


def test_the_list_of_samples_that_are_left_out_is_short_on_a_terminal(arenite, pictures):
    for number in range(20):
        (pictures / "5" / f"bad{number:02}.png").write_bytes(b"x")
    result = arenite("evaluate", DIGITS, pictures, "--on-error", "skip")
    assert result.exit_code == 3
    text = " ".join(result.stdout.split())
    assert "10 samples of data/" in text
    assert "22 samples were left out, which could not be read or computed:" in text
    assert "bad08.png: not a readable image" in text
    assert "bad09.png" not in text
    assert "... and 12 more, see --json" in text


def test_a_sample_that_cannot_be_computed_is_left_out_with_every_engine(arenite, files, tmp_path):
    x = np.zeros((5, 3), np.float32)
    x[3, 0] = 91
    np.savez(tmp_path / "data.npz", x=x, y=np.zeros(5, np.int64))
    result = arenite("evaluate", *files, "--against", files[0], "--on-error", "skip", "--json")
    assert result.exit_code == 3, result.stderr
    found = json.loads(result.stdout)
    assert [one["index"] for one in found["left_out"]] == [3]
    assert "this is too much" in found["left_out"][0]["reason"]
    assert [one["metrics"]["accuracy"] for one in found["engines"]] == [1, 1]


def test_no_sample_that_can_be_read_is_an_error(arenite, pictures):
    for file in pictures.glob("*/*.png"):
        file.write_bytes(b"")
    result = arenite("evaluate", DIGITS, pictures, "--on-error", "skip")
    assert result.exit_code == 2
    assert "expected samples that can be read and computed, got none of 12" in result.stderr


def test_a_run_that_a_sample_ended_goes_on_without_it(arenite, pictures, tmp_path):
    resume = ("--resume", tmp_path / "kept")
    ended_early = arenite("evaluate", DIGITS, pictures, *resume)
    assert ended_early.exit_code == 2
    assert "0 of 12 samples are kept in" in ended_early.stderr
    assert arenite("evaluate", DIGITS, pictures, *resume, "--on-error", "skip").exit_code == 3
    refused = arenite("evaluate", DIGITS, pictures, *resume)
    assert refused.exit_code == 2
    assert "whose run left such samples out" in refused.stderr


# -- what is said ------------------------------------------------------------------------


def test_a_file_of_another_evaluation_is_refused_by_what_differs(arenite, tmp_path):
    data, resume = DIGITS.parent / "held_out.npz", ("--resume", tmp_path / "kept")
    assert arenite("evaluate", DIGITS, data, *resume).exit_code == 0
    result = arenite("evaluate", DIGITS, data, *resume, "--limit", 9)
    assert result.exit_code == 2
    assert "the choice of samples was all and is 9 of 360" in result.stderr
    assert "the model" not in result.stderr


def test_there_is_one_figure_of_speed_and_it_says_what_is_in_it(arenite):
    data = DIGITS.parent / "held_out.npz"
    result = arenite("evaluate", DIGITS, data, "--against", "@m4")
    lines = [line for line in result.stdout.splitlines() if "/s" in line]
    assert len(lines) == 1
    assert lines[0].startswith("Read and computed by 2 engines: ")
    text = arenite("evaluate", DIGITS, data, "--json").stdout
    assert text.count("per_second") == 1
