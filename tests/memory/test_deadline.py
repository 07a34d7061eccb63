"""A watch counts nodes, tells who asks, and ends a search when the time is up."""

from time import sleep

import pytest

from arenite.memory.deadline import OutOfNodesError, Watch


def test_it_tells_as_long_as_there_is_time() -> None:
    told: list[int] = []
    watch = Watch(60, lambda: told.append(watch.nodes))
    watch.nodes += 3
    watch.look()
    assert told == [3]
    assert not watch.is_over


def test_it_ends_a_search_when_the_time_is_up() -> None:
    told: list[None] = []
    watch = Watch(-1, lambda: told.append(None))
    assert watch.is_over
    with pytest.raises(OutOfNodesError):
        watch.look()
    assert told == []


def test_waiting_takes_none_of_its_time() -> None:
    watch = Watch(0.05)
    sleep(0.1)
    assert not watch.is_over
