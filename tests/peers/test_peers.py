"""Other packages in processes of their own."""

from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite.formats import content_of, tflite
from arenite.peers import PeerError, PeerProcess, ask, is_installed, process
from arenite.processes.messages import unpacked
from tests.optimize.lowered import KINDS
from tests.runtime.models import conv_model, image, memory_of_three

PEERS = ["litert", "litert-reference", "litert-builtin", "tflm"]


@pytest.fixture(autouse=True)
def _installed(request):
    named = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    for name in [named["name"]] if "name" in named else ["litert", "tflm"]:
        if not is_installed(name):
            pytest.skip(f"{name} is not installed")


def test_tflm_runs_several_models_on_the_same_inputs():
    models = [conv_model(seed) for seed in (0, 1)]
    inputs = image()
    answers = ask("tflm", [tflite.write(m) for m in models], [[inputs]], 1)
    for model, answer in zip(models, answers, strict=True):
        np.testing.assert_array_equal(answer.outputs[0][0], ar.Interpreter(model)(inputs))


def test_litert_runs_what_tflm_does_not():
    model = KINDS["SIGN"](np.random.default_rng(0))
    inputs = np.full(model.inputs[0].shape, -3, np.float32)
    (answer,) = ask("litert-builtin", [tflite.write(model)], [[inputs]], 1)
    assert (answer.outputs[0][0] == -1).all()
    assert ask("tflm", [tflite.write(model)], [[inputs]], 1)[0].reason


@pytest.mark.parametrize("name", PEERS)
def test_a_reset_forgets(name):
    one = np.ones((1, 1), np.float32)
    (answer,) = ask(name, [tflite.write(memory_of_three())], [[one], [one], None, [one]], 1)
    assert [float(outputs[0][0, 0]) for outputs in answer.outputs] == [1, 3, 1]


@pytest.mark.parametrize("name", PEERS)
def test_a_model_that_is_refused_has_a_reason_and_others_have_outputs(name):
    good = tflite.write(conv_model())
    answers = ask(name, [good, good[:40] + bytes(40), good], [[image()]], 1)
    assert [bool(answer.reason) for answer in answers] == [False, True, False]
    assert [len(answer.outputs) for answer in answers] == [1, 0, 1]


@pytest.mark.parametrize("name", PEERS)
def test_samples_have_the_shape_that_the_inference_gives_them(name):
    inputs = (np.stack([image()] * 3),)
    with PeerProcess(name, tflite.write(conv_model()), 1) as peer:
        found = peer.outputs(inputs)
        (plain,) = peer.infer([[image()]])
    assert found.shape == (3, *plain[0].shape)
    assert all(np.array_equal(one, plain[0]) for one in found)


def test_a_process_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(process, "TIMEOUT", 0.01)
    (answer,) = ask("tflm", [b""], [], 1)
    assert "it takes over" in answer.reason


def test_a_process_that_answers_nonsense_is_an_error(monkeypatch):
    monkeypatch.setattr("arenite.processes.children.unpacked", nonsense)
    with pytest.raises(PeerError, match="expected a message"):
        PeerProcess("tflm", b"", 1).ready()


def nonsense(_):
    return unpacked(b"\x01")


def test_a_peer_gets_the_bytes_of_the_file():
    data = tflite.write(conv_model()) + b"behind"
    assert content_of(ar.load(data)) == data


def test_what_was_made_of_a_file_is_written_anew(tmp_path):
    model = ar.load(tflite.write(conv_model()) + b"behind")
    other = replace(model, description="another")
    assert other.content is None
    assert ar.load(content_of(other)).description == "another"
