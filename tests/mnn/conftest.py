"""Fixtures for tests of sessions."""

import pytest

import arenite.mnn as MNN  # noqa: N812
from tests.mnn import nets


@pytest.fixture
def chain() -> MNN.Interpreter:
    return MNN.Interpreter.createFromBuffer(nets.chain_net())
