"""Real networks in floats, and with quantised weights: outputs beside MNN's and LiteRT's."""

from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.mnn.lowering import models as formats_mnn
from arenite.model import Array
from tests.litert_oracle import litert
from tests.mnn.lowering.compare import TOLERANCE, agrees, difference
from tests.mnn.lowering.conftest import Converter
from tests.mnn_oracle import MnnOracle
from tests.shared import ROOT, shared_model

#: Arguments of the converter that change how weights are stored, and what they give.
WEIGHTS = {
    "halves": ("--fp16",),
    "8 bits": ("--weightQuantBits", "8"),
    "4 bits": ("--weightQuantBits", "4"),
    "3 bits": ("--weightQuantBits", "3"),
    "2 bits": ("--weightQuantBits", "2"),
    "8 bits, asymmetric": ("--weightQuantBits", "8", "--weightQuantAsymmetric"),
    "4 bits, asymmetric": ("--weightQuantBits", "4", "--weightQuantAsymmetric"),
    "4 bits, blocks of 32": ("--weightQuantBits", "4", "--weightQuantBlock", "32"),
    "8 bits, half scales": ("--weightQuantBits", "8", "--weightQuantScaleBit", "16"),
    "4 bits, hqq": ("--weightQuantBits", "4", "--hqq"),
    "fixed shapes": ("--saveStaticModel",),
}


def float_models() -> list[Path]:
    """The ``.mnn`` files with floats."""
    return sorted(ROOT.glob("models/mnn/*_float32.mnn"))


def images(shape: tuple[int, ...], seed: int = 0) -> Array:
    """Numbers between 0 and 1."""
    return np.random.default_rng(seed).random(shape).astype(np.float32)


@pytest.mark.parametrize("path", float_models(), ids=lambda path: path.stem)
def test_floats_are_as_mnn_and_litert_have_them(path: Path, mnn: MnnOracle) -> None:
    model = ar.load(path)
    interpreter = ar.Interpreter(model)
    [source] = model.inputs
    [target] = model.outputs
    inputs = [images(source.shape, seed) for seed in range(5)]
    data = path.read_bytes()
    pytest.importorskip("ai_edge_litert")
    answers = litert([shared_model(path.stem).read_bytes()], [[x] for x in inputs])[0]
    assert answers is not None
    for x, answer in zip(inputs, answers, strict=True):
        y = interpreter(x)
        assert difference(y, mnn.run(data, {source.name: x})[target.name]) < TOLERANCE
        assert difference(y, answer[0]) < TOLERANCE


@pytest.mark.parametrize("arguments", WEIGHTS.values(), ids=list(WEIGHTS))
@pytest.mark.parametrize("name", ["ic_float32", "ad_float32"])
def test_weights_are_read_as_mnn_reads_them(
    name: str, arguments: tuple[str, ...], mnn: MnnOracle, converter: Converter
) -> None:
    agrees(mnn, converter("TFLITE", shared_model(name).read_bytes(), *arguments))


def test_a_model_takes_as_much_of_an_arena_from_either_file() -> None:
    path = ROOT / "models/mnn/ad_float32.mnn"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    ours, other = (ar.Interpreter(ar.load(p)) for p in (path, shared_model("ad_float32")))
    assert ours.plan.head == other.plan.head


def test_the_model_is_what_convert_makes() -> None:
    path = next(iter(float_models()), None)
    if path is None:
        pytest.skip("there are no models")
    net = formats_mnn.read_net(path.read_bytes())
    operators = [op.name for op in ar.load(path).main.operators]
    converted = formats_mnn.convert(net)
    assert [op.name for op in converted.model.main.operators] == operators
    assert len(converted.origins) == len(operators)
