"""Stripping: names go where that is asked for; signatures keep theirs."""

from dataclasses import replace

from arenite.formats import tflite
from arenite.model import SignatureDef
from arenite.optimize.passes.strip import strip
from arenite.optimize.settings import Settings
from arenite.optimize.verify import verify
from tests.optimize.networks import network
from tests.runtime.models import conv_model


def test_nothing_goes_unless_it_is_asked_for():
    model = network(0)
    assert strip(model, Settings()).model is model


def test_names_and_the_description_go():
    model = network(0)
    outcome = strip(model, Settings(strip=True))
    assert {tensor.name for tensor in outcome.model.main.tensors} == {""}
    assert outcome.model.description == outcome.model.main.name == ""
    assert len(tflite.write(outcome.model)) < len(tflite.write(model))
    verify(model, outcome.model, Settings(strip=True), 2, named=model)


def test_signatures_and_metadata_stay():
    model = conv_model()
    signed = SignatureDef("serve", {"in": model.main.inputs[0]}, {"out": model.main.outputs[0]})
    model = replace(model, signatures=(signed,), metadata={"mine": b"x"})
    got = strip(model, Settings(strip=True)).model
    assert got.signatures == (signed,)
    assert got.metadata == {"mine": b"x"}
