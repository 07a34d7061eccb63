"""Fixtures: MNN's own package, and what its converter makes of the tests' models."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.mnn_oracle import MnnOracle

Converter = Callable[..., bytes]


@pytest.fixture(scope="session")
def mnn() -> Iterator[MnnOracle]:
    """One oracle for the whole test session."""
    pytest.importorskip("MNN")
    oracle = MnnOracle()
    yield oracle
    oracle.close()


@pytest.fixture(scope="session")
def converter(mnn: MnnOracle) -> Converter:
    """``(framework, model, *arguments)`` to a ``.mnn`` file; each is made once."""
    return cache(mnn.convert)


@pytest.fixture(scope="session")
def quantizer(mnn: MnnOracle) -> Converter:
    """``(model, size)`` to a ``.mnn`` file with int8, for images of that size; made once."""
    pytest.importorskip("PIL")
    return cache(mnn.quantize)
