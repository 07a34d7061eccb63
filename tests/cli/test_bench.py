"""``arenite bench``, and the trials of its peers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arenite.analysis import bench, timing
from arenite.cli import trial
from arenite.cli.trial import ENGINES, try_out
from arenite.peers.packages import PEERS, Peer, hushed, peers_called
from arenite.processes.children import Finished


def facts(arenite, model_file, *options):
    result = arenite("bench", model_file, "--repeat", 2, "--json", *options)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


# -- the command


def test_bench_shows_engines_batches_operators_and_the_machine(arenite, model_file):
    result = arenite("bench", model_file, "--repeat", 2)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[2] == str(model_file)
    starts = [line.split("  ")[0] for line in lines]
    for start in ("arenite", "predict, 1 thread", "predict, 2 threads", "machine", "times"):
        assert start in starts
    operators = [line.split()[1] for line in lines if line[:1].isdigit()]
    assert operators == ["CONV_2D", "CONV_2D", "RESHAPE", "SOFTMAX"]


def test_threads_share_inferences_and_not_batches(arenite, model_file):
    found = facts(arenite, model_file, "--threads", 2)
    assert found["threads"] == 2
    assert [batch["threads"] for batch in found["batches"]] == [1, 2]
    text = arenite("bench", model_file, "--repeat", 2, "--threads", 2).stdout
    assert "2 threads of Arenite's, one of each peer's" in text


def test_the_keys_of_the_json_are_stable(arenite, model_file):
    found = facts(arenite, model_file)
    assert list(found) == [
        "file",
        "machine",
        "target",
        "engine",
        "isa",
        "threads",
        "engines",
        "absent",
        "compared_inputs",
        "batches",
        "operators",
    ]
    assert list(found["machine"]) == ["cpu", "flags", "cores", "system", "python", "numpy"]
    assert list(found["engines"][0]) == [
        "name",
        "version",
        "load",
        "first",
        "inference",
        "cold",
        "equal_outputs",
    ]
    assert list(found["engines"][0]["cold"]) == ["load", "first"]
    assert list(found["batches"][0]) == ["engine", "threads", "samples", "per_second"]
    assert list(found["operators"][0]) == [
        "index",
        "name",
        "output",
        "kernel",
        "macs",
        "seconds",
        "giga_macs_per_second",
    ]
    assert [entry["threads"] for entry in found["batches"]] == [1, 2]
    assert found["engines"][0]["inference"]["samples"] == 2


def test_a_part_that_has_no_more_time_takes_its_fewest_turns(arenite, model_file, monkeypatch):
    monkeypatch.setattr(bench, "_PART_SECONDS", 0.0)
    result = arenite("bench", model_file, "--json")
    found = json.loads(result.stdout)
    spreads = [found["engines"][0][key] for key in ("load", "inference")]
    spreads += [entry["per_second"] for entry in found["batches"]]
    assert {spread["samples"] for spread in spreads} == {timing.FEWEST_TURNS}


def test_turns_that_were_asked_for_take_the_time_that_they_need(arenite, model_file, monkeypatch):
    monkeypatch.setattr(bench, "_PART_SECONDS", 0.0)
    result = arenite("bench", model_file, "--json", "--repeat", 9)
    assert json.loads(result.stdout)["engines"][0]["inference"]["samples"] == 9


def test_peers_that_are_installed_are_measured_too(arenite, model_file):
    pytest.importorskip("tflite_micro")
    found = facts(arenite, model_file, "--against", "tflm")
    arenite_s, tflm = found["engines"]
    assert (tflm["name"], tflm["equal_outputs"]) == ("tflm", None)
    assert arenite_s["equal_outputs"] == found["compared_inputs"] == 20
    assert [entry["engine"] for entry in found["batches"]] == ["arenite", "arenite", "tflm"]


def test_a_peer_that_is_not_installed_is_left_out_with_a_line(arenite, model_file, monkeypatch):
    def run(module: str, *arguments: str, **options: Any) -> Finished:
        if "litert" in arguments:
            return Finished(4, "No module named 'ai_edge_litert'\n")
        return Finished(0, json.dumps({"load": 0.1, "first": 0.1}))

    monkeypatch.setattr(trial, "run_module", run)
    result = arenite("bench", model_file, "--repeat", 1, "--against", "litert")
    assert "litert   left out: not installed (pip install ai-edge-litert)" in result.stdout


def test_a_model_that_arenite_refuses_is_an_error(arenite, tmp_path):
    path = tmp_path / "m.tflite"
    path.write_bytes(b"GGUF....")
    result = arenite("bench", path)
    assert (result.exit_code, result.stdout) == (1, "")


# -- trials


def test_a_trial_measures_a_cold_start(model_file, tmp_path):
    found = try_out(ENGINES["arenite"], model_file, 0, tmp_path)
    assert found.reason == ""
    assert found.cold_seconds is not None
    assert min(found.cold_seconds.values()) > 0


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ((-6, ""), "crashes (SIGABRT)"),
        ((-11, "noise\n"), "crashes (SIGSEGV)"),
        ((-99, ""), "crashes (signal 99)"),
        ((0xC0000005, ""), "crashes (exit code 0xc0000005)"),  # Windows, which has no signals
        ((3, "noise\nno such op\n"), "refuses the model (no such op)"),
        ((4, "No module\n"), "not installed (pip install ai-edge-litert)"),
    ],
)
def test_what_ends_a_trial_is_named(end, reason, model_file, tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "run_module", lambda *args, **options: Finished(*end))
    assert try_out(PEERS["litert"], model_file, 0, tmp_path).reason == reason


def test_a_trial_that_hangs_is_ended(model_file, tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "TIMEOUT", 0.01)
    assert "takes over" in try_out(ENGINES["arenite"], model_file, 0, tmp_path).reason


def test_peers_that_load_no_such_files_are_not_tried(tmp_path):
    found = try_out(PEERS["tflm"], tmp_path / "model.mnn", 0, tmp_path)
    assert found.reason == "loads no .mnn files"


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (ImportError("No module named 'x'"), (4, "No module named 'x'\n")),
        (ValueError("op\n 7"), (3, "op 7\n")),
        (RuntimeError(), (3, "RuntimeError\n")),
    ],
)
def test_the_trial_s_process_says_what_failed(error, end, model_file, monkeypatch, capsys):
    def load(path: Path) -> Any:
        raise error

    monkeypatch.setitem(trial.ENGINES, "bad", Peer("bad", "bad", "json", (".tflite",), load))
    code = trial.main(["bad", str(model_file), "0", str(model_file)])
    assert (code, capsys.readouterr().out) == end


def test_nothing_that_c_code_prints_gets_out(capfd):
    import os

    with hushed():
        os.write(1, b"hello")
        os.write(2, b"hello")
    os.write(1, b"after")
    assert capfd.readouterr() == ("after", "")


@pytest.mark.parametrize("name", ["litert", "mnn", "tflm"])
def test_peers_run_a_model(name, model_file, tmp_path):
    engine = PEERS[name]
    found = try_out(engine, model_file, 0, tmp_path)
    if found.reason.startswith("not installed"):
        pytest.skip(found.reason)
    assert found.reason == ""
    with hushed():
        infer = engine.load(found.path)
    y = infer(np.zeros((1, 8, 8, 1), np.int8))
    assert np.asarray(y).shape == (1, 4)


# -- timing


def test_turns_are_as_long_as_they_should_be(monkeypatch):
    now = [0.0]

    def call():
        now[0] += 1e-5

    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    assert timing.calls_in(0.002, call) == 200
    assert timing.calls_in(1e-9, call) == 1


def test_everyone_takes_as_many_turns():
    order: list[str] = []
    calls = {name: (lambda name=name: order.append(name)) for name in "ab"}
    advanced: list[None] = []
    found = timing.take_turns(calls, 3, lambda: advanced.append(None))
    assert [spread.samples for spread in found.values()] == [3, 3]
    assert len(advanced) == 3


def test_a_batch_has_the_inputs_values_in_other_orders():
    x = np.arange(6, dtype=np.int8).reshape(1, 2, 3)
    batch = timing.shuffled(x, 20)
    assert batch.flags.c_contiguous  # others are copied by predict() chunk by chunk
    assert batch.shape == (20, 1, 2, 3)
    assert {tuple(sorted(sample.ravel())) for sample in batch} == {tuple(range(6))}
    assert len({sample.tobytes() for sample in batch}) > 1


def test_a_batch_is_as_large_as_its_predict_is_fast(monkeypatch):
    sizes: list[int] = []

    def predict(batch):
        sizes.append(len(batch[0]))

    def seconds_of(call):
        call()
        return 1e-4 * sizes[-1]  # 100 us a sample: 200 samples in 20 ms

    monkeypatch.setattr(timing, "seconds_of", seconds_of)
    (batch,) = timing.batch_like(predict, [np.zeros((1, 2), np.int8)], 1e-3)
    assert len(batch) == 200


def test_peers_are_asked_for_by_name_once_each():
    assert [engine.name for engine in peers_called(["mnn", "litert", "mnn"])] == [
        "mnn",
        "litert",
    ]
