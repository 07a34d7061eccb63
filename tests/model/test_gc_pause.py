"""No garbage collection meanwhile, and afterwards as before."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest

from arenite.model.gc_pause import paused


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_nothing_is_collected_meanwhile() -> None:
    with paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_ends_the_pause() -> None:
    with pytest.raises(KeyError), paused():
        raise KeyError
    assert gc.isenabled()


def test_who_does_not_collect_goes_on_not_to() -> None:
    gc.disable()
    with paused():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_pauses_inside_each_other_end_with_the_outer_one() -> None:
    with paused():
        with paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_can_be_not_worth_it() -> None:
    with paused(is_worth_it=False):
        assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="forking with threads warns")
def test_a_process_that_is_forked_meanwhile_collects() -> None:
    with paused():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert gc.isenabled()
