"""Who makes rows when."""

from arenite.firmware.streaming.reach import Reach
from arenite.firmware.streaming.schedule import Actor, Read, Scene, Step, Store, schedule_of

THREE = Reach(0, kernel=3, top=1, bottom=1)


def chain(*reaches: Reach, rows: int = 6, step: int = 1) -> Scene:
    """A whole tensor, a layer to a ring, and so on; the last one's result is whole."""
    stores, actors = [Store(rows)], []
    for number, reach in enumerate(reaches):
        actors.append(Actor((Read(number, reach),), number + 1, rows, step, step))
        last = number + 1 == len(reaches)
        after = Reach(0) if last else reaches[number + 1]
        stores.append(Store(rows, not last, after.top, after.bottom))
    return Scene(tuple(actors), tuple(stores))


def test_the_layer_nearest_to_the_end_that_has_its_rows_goes_next():
    steps = schedule_of(chain(Reach(0), THREE, rows=3)).steps
    made = [(step.actor, step.row) for step in steps]
    # Row 3 of the first is the padding below.
    assert made == [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (0, 3), (1, 2)]


def test_a_ring_holds_the_window_of_its_reader():
    assert schedule_of(chain(Reach(0), THREE)).rows == (0, 3, 0)
    assert schedule_of(chain(Reach(0), Reach(0))).rows == (0, 1, 0)


def test_rows_that_nobody_waits_for_are_dead():
    schedule = schedule_of(chain(Reach(0), Reach(0), rows=2))
    assert schedule.steps == (Step(0, 0, 1), Step(1, 0, 1), Step(0, 1, 1), Step(1, 1, 1))
    assert schedule.alive[1] == 0b1111
    assert schedule.busy == (0b0101, 0b1010)


def test_what_is_left_at_the_end_may_be_fewer_rows():
    steps = schedule_of(chain(Reach(0), Reach(0), rows=5, step=2)).steps
    assert [step.rows for step in steps if step.actor == 1] == [2, 2, 1]


def test_two_readers_keep_what_the_slower_one_needs():
    stores = (Store(6), Store(6, True, 1, 1), Store(6, True), Store(6))
    actors = (
        Actor((Read(0, Reach(0)),), 1, 6, 1, 1),
        Actor((Read(1, THREE),), 2, 6, 1, 1),
        Actor((Read(2, Reach(0)), Read(1, Reach(1))), 3, 6, 1, 1),
    )
    assert schedule_of(Scene(actors, stores)).rows == (0, 3, 1, 0)


def test_who_reads_padding_alone_waits_for_the_first_row():
    scene = chain(Reach(0), Reach(0, 1, 1, 2, 0), rows=4)
    assert schedule_of(scene).steps[0] == Step(0, 0, 1)
