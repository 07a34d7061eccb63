"""Threads of ``predict`` run a user's kernel in copies of the arena, in nodes of their own."""

import gc

import numpy as np
import pytest

import arenite as ar
from arenite.errors import KernelBuildError

pytest.importorskip("arenite.native._engine")

from arenite.runtime.compiled import CompiledGraph
from tests.kernels.trees import LENGTH, SAMPLES, any_tree, define, model

pytest.importorskip("ziglang")

ZEROS = np.zeros((6, 1, LENGTH), np.int8)


def compiled(name="REMEMBERS"):
    folder = any_tree()
    names = {name: f"Register_{name}"}
    return ar.compile_kernels(
        SAMPLES / "remembers.cc", tflm=folder, define=define(folder), names=names
    )


def interpreter(target=None):
    return ar.Interpreter(model(compiled(), name="REMEMBERS"), engine="native", target=target)


def begun(run, inferences):
    for _ in range(inferences):
        run(ZEROS[0])
    return run


@pytest.mark.parametrize("inferences", [0, 1, 5])
def test_every_part_goes_on_from_what_the_kernel_remembers(inferences):
    run = begun(interpreter(), inferences)
    found = run.predict(ZEROS, threads=2)[:, 0]
    np.testing.assert_array_equal(found - inferences, [0, 1, 2, 0, 1, 2])
    assert run(ZEROS[0])[0, 0] == inferences


def test_no_inference_of_a_thread_needs_python(monkeypatch):
    def refuse(*_):
        raise AssertionError("an inference ran in Python")

    run = begun(interpreter(), 1)
    monkeypatch.setattr(CompiledGraph, "_python_in", refuse)
    assert run.predict(ZEROS, threads=3)[:, 0].tolist() == [1, 2] * 3


def test_every_node_that_begins_ends():
    counts = np.zeros(2, np.int32)
    one = model(compiled(), name="REMEMBERS")
    run = ar.Interpreter(one, engine="native", external_context=counts)
    begun(run, 1).predict(ZEROS, threads=2)
    gc.collect()
    before = counts.tolist()
    run.predict(ZEROS, threads=2)
    gc.collect()
    assert (counts - before).tolist() == [2, 2]


def test_a_function_that_gives_no_registration_is_refused():
    with pytest.raises(KernelBuildError, match=r"from sample::Register_NOTHING\(\), got none"):
        compiled("NOTHING")


def address_in(run, offset):
    """Bytes that are an address of an interpreter's arena."""
    where = run.input(0).__array_interface__["data"][0] + offset
    return np.frombuffer(np.uint64(where).tobytes(), np.int8)


@pytest.mark.parametrize("offset", [0, 40, 64, 1 << 40])
def test_a_number_that_looks_like_an_address_stays_a_number(offset):
    run = ar.Interpreter(model(compiled("WORD"), name="WORD"), engine="native")
    first = np.tile(address_in(run, offset), LENGTH // 8)[None]
    run(first)
    rows = np.random.default_rng(0).integers(-128, 128, (64, 1, LENGTH)).astype(np.int8)
    np.testing.assert_array_equal(run.predict(rows, threads=2), (rows ^ first)[:, 0])


@pytest.mark.parametrize("name", ["RING", "LATE"])
def test_pointers_of_any_kind_are_those_of_the_copy(name):
    run = ar.Interpreter(model(compiled(name), name=name), engine="native")
    rows = np.random.default_rng(1).integers(-128, 128, (8, 1, LENGTH)).astype(np.int8)
    run(rows[7])
    found = run.predict(rows, threads=2)
    delayed = rows[[7, 0, 1, 2, 7, 4, 5, 6], 0]  # every part goes on from where the ring was
    np.testing.assert_array_equal(found, delayed if name == "RING" else rows[:, 0])
