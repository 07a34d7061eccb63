"""Vendors' trees of TFLM: what a kernel sees of each, and that it computes there.

``ARENITE_TFLM_TREES`` names their folders, such as Edge Impulse's ``edge-impulse-sdk`` (whose
``MicroContext`` is an interpreter's part) and Espressif's component.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.errors import KernelError
from tests.kernels.trees import LENGTH, SAMPLES, define, model

pytest.importorskip("ziglang")

VALUES = np.arange(LENGTH, dtype=np.int8)[None]
TREES = [Path(one) for one in os.environ.get("ARENITE_TFLM_TREES", "").split(os.pathsep) if one]
missing = pytest.mark.skip(reason="ARENITE_TFLM_TREES names no other trees of TFLM")


@pytest.fixture(
    scope="module",
    params=TREES or [pytest.param(None, marks=missing)],
    ids=[one.name for one in TREES] or ["none"],
)
def kernels(request):
    tree = request.param
    return ar.compile_kernels(SAMPLES / "mistakes.cc", tflm=tree, define=define(tree))


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("through_scratch", [0, 9])
def test_it_computes_in_every_inference(kernels, engine, through_scratch):
    run = ar.Interpreter(model(kernels, through_scratch), engine=engine)
    for step in range(3):
        np.testing.assert_array_equal(run(VALUES + step), VALUES + step)


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (1, r"prepare answered 1: .*this is not for you"),
        (2, r"check failed: .*kTfLiteFloat32"),
        (6, r"invoke answered 1: value 42 of x"),
        (8, r"abort\(\) at \S*mistakes.cc:\d+"),
        (12, r"MicroGraph::InvokeSubgraph\(1\) is not served"),
    ],
)
def test_a_mistake_is_said_in_its_own_words(kernels, mistake, text):
    with pytest.raises(KernelError, match=text):
        ar.Interpreter(model(kernels, mistake), engine="reference")(VALUES)
