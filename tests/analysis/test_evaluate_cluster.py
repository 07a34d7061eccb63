"""Evaluations and predictors on real clusters of this machine: ``make test-cluster``."""

import os
import signal
import threading
import time
from functools import cache

import numpy as np
import pytest

import arenite as ar
from tests.shared import DIGITS


@cache
def digits():
    """Twenty times the held-out digits."""
    with np.load(DIGITS.parent / "held_out.npz") as file:
        return np.tile(file["images"], (20, 1, 1)), np.tile(file["labels"], 20)


@cache
def alone():
    """What one process finds."""
    return ar.evaluate(DIGITS, digits())


@pytest.fixture(scope="module")
def dask():
    """A client of a cluster of two processes."""
    distributed = pytest.importorskip("dask.distributed", reason="there is no dask[distributed]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def pids(client):
    return sorted(one["pid"] for one in client.run(worker_facts).values())


def worker_facts():
    return {"pid": os.getpid()}


def same(found):
    np.testing.assert_array_equal(found.score.values, alone().score.values)
    assert found.confusion.tolist() == alone().confusion.tolist()
    assert found.confusion.sum() == found.samples == 7200


@pytest.mark.filterwarnings("ignore")  # Dask warns of what it is slow at
def test_dask_s_workers_give_the_same_result(dask):
    same(ar.evaluate(DIGITS, digits(), spread=ar.Spread(dask.get_executor(), chunk=300)))


@pytest.mark.filterwarnings("ignore")
def test_a_worker_of_dask_is_killed_half_way_and_each_sample_counts_once(dask):
    before = pids(dask)
    killed = threading.Event()

    def kill_one(done, total):
        if not killed.is_set() and done * 2 >= total:
            os.kill(before[0], signal.SIGKILL)
            killed.set()
            time.sleep(0.1)

    executor = dask.get_executor(retries=3)
    found = ar.evaluate(DIGITS, digits(), spread=ar.Spread(executor, chunk=100), progress=kill_one)
    assert killed.is_set()
    same(found)
    assert found.scale.chunks == 72
    assert before[0] not in pids(dask)
    assert len(found.scale.workers) > 1


@pytest.mark.filterwarnings("ignore")
def test_partitions_of_dask_are_predicted(dask):
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    images, labels = digits()
    pixels = images[:120].reshape(120, 64).astype(np.float32) / 255
    table = pandas.DataFrame(pixels, columns=[f"p{n}" for n in range(64)])
    table["label"] = labels[:120]
    columns = [f"p{n}" for n in range(64)]
    predictor = ar.BatchPredictor(DIGITS, inputs=columns, outputs="scores")
    split = frames.from_pandas(table, npartitions=4)
    found = split.map_partitions(predictor, meta=predictor.like(split)).compute()
    assert list(found.columns) == ["label", "scores"]
    np.testing.assert_array_equal(np.stack(found["scores"]), alone().score.values[:120])
    assert found["label"].tolist() == labels[:120].tolist()


@pytest.fixture(scope="module")
def ray():
    module = pytest.importorskip("ray", reason="there is no ray[data] for this Python")
    pytest.importorskip("ray.data", reason="there is no ray[data] for this Python")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    module.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield module
    module.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_ray_data_maps_batches(ray):
    images, _ = digits()
    data = ray.data.from_items(
        [{"image": image, "id": n} for n, image in enumerate(images[:360])], override_num_blocks=4
    )
    predictor = ar.BatchPredictor(DIGITS, inputs="image")
    for kind in ("numpy", "pandas"):
        found = data.map_batches(predictor, batch_size=64, batch_format=kind).to_pandas()
        found = found.sort_values("id")
        assert found["id"].tolist() == list(range(360))
        np.testing.assert_array_equal(np.stack(found["output"]), alone().score.values[:360])
