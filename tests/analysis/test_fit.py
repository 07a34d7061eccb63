"""Whether a model fits: limits, what is counted, what is not known."""

from __future__ import annotations

import pytest

import arenite as ar
from arenite.analysis.boards import BOARDS, find_board
from arenite.analysis.quantity import bytes_of, megahertz_of, milliseconds_of
from arenite.cores import CORES
from tests.runtime.models import custom_chain, resolver_with
from tests.shared import DIGITS

ARENA = 4944  # of the bundled model on a Cortex-M4 with CMSIS-NN
OBJECTS = 208 + 12 + 7 * 36  # MicroInterpreter, MicroMutableOpResolver<7>


def test_ram_is_the_arena_the_interpreter_and_the_resolver():
    need = ar.fit(DIGITS, ram=0).need("RAM")
    assert list(need.parts.values()) == [ARENA, 208, 264]
    assert need.total == ARENA + OBJECTS


def resolver_of(size=None):
    """The firmware's, with the bundled model's operators."""
    names = {operator.name for operator in ar.load(DIGITS).main.operators}
    resolver = ar.MutableOpResolver(size)
    for name in sorted(names):
        resolver.add(name)
    return resolver


def test_the_firmwares_resolver_counts_with_the_room_that_it_has():
    parts = ar.fit(DIGITS, ram=0, resolver=resolver_of(20)).need("RAM").parts
    assert parts["MicroMutableOpResolver<20>"] == 12 + 20 * 36


def test_a_resolver_without_a_size_counts_as_one_for_what_it_holds():
    resolver = resolver_of().add("ABS")
    names = list(ar.fit(DIGITS, ram=0, resolver=resolver).need("RAM").parts)
    assert names[-1] == f"MicroMutableOpResolver<{len(resolver)}>"


def test_a_resolver_that_has_all_counts_as_one_for_the_model():
    found = ar.fit(DIGITS, ram=0, resolver=ar.AllOpsResolver())
    assert found.need("RAM").total == ARENA + OBJECTS


def test_operators_that_the_firmwares_resolver_lacks_are_named():
    with pytest.raises(ar.UnsupportedOperatorError, match="SOFTMAX"):
        ar.fit(DIGITS, ram=0, resolver=ar.MutableOpResolver(20))


def test_a_users_operator_is_found_in_the_firmwares_resolver():
    found = ar.fit(custom_chain(), ram="8k", resolver=resolver_with("STEP"), clock=64)
    assert found.need("RAM").verdict == "fits"
    assert found.need("time").verdict == "no limit"


@pytest.mark.parametrize(("ram", "fits"), [(ARENA + OBJECTS, True), (ARENA + OBJECTS - 1, False)])
def test_a_limit_is_the_last_byte_that_fits(ram, fits):
    found = ar.fit(DIGITS, ram=ram)
    assert found.fits is bool(found) is fits
    assert found.need("RAM").left == ram - ARENA - OBJECTS


def test_flash_is_the_file():
    assert ar.fit(DIGITS, flash="1M").need("flash").total == DIGITS.stat().st_size


def test_time_is_what_cost_says():
    need = ar.fit(DIGITS, deadline=1000, clock=64).need("time")
    assert need.verdict == "fits"
    assert need.total == pytest.approx(ar.fit(DIGITS, deadline=1, clock=32).need("time").total / 2)


def test_a_board_brings_processor_clock_and_limits_and_what_is_given_besides_counts():
    found = ar.fit(DIGITS, board="nucleo-h743zi2", ram="4k")
    assert found.target.processor == "cortex-m7"
    assert found.clock == 480
    assert [need.limit for need in found.needs] == [4096, 2 * 1024**2, None]
    assert [need.verdict for need in found.needs] == ["exceeds", "fits", "no limit"]


def test_what_is_not_known_does_not_fit():
    found = ar.fit(DIGITS, board="pico", deadline=1000)
    assert found.need("time").verdict == "unknown"
    assert not found


def test_what_is_not_asked_for_may_be_unknown():
    assert ar.fit(DIGITS, board="pico")


def test_a_model_without_a_file_has_no_flash_yet():
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("RELU", [x], [y])
    b.output(y)
    found = ar.fit(b.build(), flash="1k")
    assert found.need("flash").verdict == "unknown"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "expected a limit"),
        ({"deadline": 5}, "expected a clock"),
        ({"board": "nucleo-l4r5"}, "is it nucleo-l4r5zi"),
        ({"board": "zzz"}, "arenite boards"),
        ({"ram": "many"}, "expected a size"),
        ({"ram": -1}, "expected a size"),
        ({"deadline": "soon", "clock": 1}, "expected a time"),
        ({"deadline": 1, "clock": 0}, "expected a clock from"),
    ],
)
def test_wrong_arguments_say_what_is_expected(arguments, words):
    with pytest.raises(ValueError, match=words):
        ar.fit(DIGITS, **arguments)


def test_it_says_in_a_line_what_is_the_matter():
    assert repr(ar.fit(DIGITS, ram="1k")).endswith(
        "does not fit; RAM 5,416 bytes of 1,024 bytes: exceeds; flash 9,504 bytes: no limit; "
        "time unknown: no limit>"
    )


def test_boards_have_names_of_their_own_and_processors_that_there_are():
    assert len({board.name for board in BOARDS}) == len(BOARDS)
    assert all(board.processor in CORES and board.source for board in BOARDS)
    assert find_board("Nucleo_L4R5ZI").chip == "STM32L4R5ZI"


def test_quantities_are_read_as_people_write_them():
    assert [bytes_of(text) for text in ("96k", "0.5M", 7)] == [98304, 524288, 7]
    assert [megahertz_of(text) for text in ("168MHz", "1.2GHz", 64)] == [168, 1200, 64]
    assert [milliseconds_of(text) for text in ("50ms", "1.5s", "800us", 2)] == [50, 1500, 0.8, 2]
