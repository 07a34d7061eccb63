"""Whether a model fits: limits, what is counted, what is not known."""

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.code_size import code_size
from arenite.analysis.fit import fit_all, worst
from arenite.analysis.needs import Need
from arenite.boards import Bank, Board, Energy
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from arenite.quantity import bytes_of, megahertz_of, milliseconds_of
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


def test_flash_is_the_file_and_an_estimate_of_code():
    need = ar.fit(DIGITS, flash="1M").need("flash")
    assert need.parts["model"] == DIGITS.stat().st_size
    assert DIGITS.stat().st_size + 21_812 < need.least < need.most < 300_000


def test_code_of_one_operator_is_what_was_linked():
    b = ar.ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=1)
    w = b.constant("w", np.zeros((2, 4), np.int8), scale=1)
    y = b.tensor("y", (1, 2), "int8", scale=1)
    b.operator("FULLY_CONNECTED", [x, w], [y], FullyConnectedOptions())
    b.output(y)
    size = code_size(b.build(), ar.Target("cortex-m4"))
    assert size[:3] == (46_424, 46_424, ())  # as tools/measure_code.py links ad_int8.tflite


def test_an_operator_that_was_not_measured_widens_the_estimate_and_is_named():
    model = custom_chain()
    size = code_size(model, ar.Target("cortex-m4"))
    assert size.unmeasured
    assert size.low < size.high


def test_code_of_another_core_is_less_sure():
    model = ar.load(DIGITS)
    m4, m0 = (code_size(model, ar.Target(core)) for core in ("cortex-m4", "cortex-m0"))
    assert m0.low < m4.low
    assert m0.high > m4.high


def test_a_flash_that_only_holds_the_file_does_not_fit():
    assert ar.fit(DIGITS, flash=DIGITS.stat().st_size + 1000).outcome == "does not fit"


def test_time_is_what_cost_says():
    need = ar.fit(DIGITS, deadline=1000, clock=64).need("time")
    assert need.verdict == "fits"
    assert need.total == pytest.approx(ar.fit(DIGITS, deadline=1, clock=32).need("time").total / 2)
    assert need.least < need.total < need.most


def test_a_limit_within_what_an_estimate_may_be_off_is_marginal():
    ms = ar.fit(DIGITS, deadline=1000, clock=64).need("time").total
    found = ar.fit(DIGITS, deadline=ms, clock=64)
    assert found.outcome == "marginal"
    assert not found


def test_a_margin_says_by_what_share_the_time_may_be_off():
    ms = ar.fit(DIGITS, deadline=1000, clock=64).need("time").parts["computing"]
    verdicts = [
        ar.fit(DIGITS, deadline=limit * ms, clock=64, margin=0.1).need("time").verdict
        for limit in (0.89, 0.91, 1.09, 1.11)
    ]
    assert verdicts == ["exceeds", "marginal", "marginal", "fits"]


def test_a_bound_is_no_amount_and_leaves_nothing():
    need = Need("time", "ms", {}, 50.0, is_known=False, low=3.0)
    assert (need.amount, need.verdict, need.left) == ("not known", "unknown", None)
    assert (need.total, need.least, need.most) == (None, 3.0, None)


def test_a_bound_alone_can_exceed():
    need = Need("time", "ms", {}, 2.0, is_known=False, low=3.0)
    assert (need.verdict, need.left) == ("exceeds", -1.0)


def test_what_is_not_known_has_no_parts_that_look_like_a_sum():
    with pytest.raises(ValueError, match="expected no parts"):
        Need("time", "ms", {"inference": 3.0}, None, is_known=False)


#: A core whose costs were not measured.
UNKNOWN = Board("mine", "chip", "cortex-m3", 64, (Bank("A", 1 << 20, 0),), 1 << 20)


def test_products_alone_can_take_too_long_where_costs_are_not_known():
    found = ar.fit(DIGITS, board=UNKNOWN, deadline="1us")
    assert found.need("time").amount == "not known"
    assert found.outcome == "does not fit"


def board(*banks, **facts):
    given = {"flash": 1 << 20, **facts}
    return Board("mine", "chip", "cortex-m4", 64, banks, **given)


def test_an_arena_has_to_go_into_one_bank():
    two = board(Bank("A", 4096, 0), Bank("B", 4096, 0x10000))
    need = ar.fit(DIGITS, board=two).need("RAM")
    assert (need.limit, need.where, need.verdict) == (4096, "A", "exceeds")
    assert "--splits A=4k,B=4k" in need.note


def test_banks_whose_addresses_meet_are_one():
    need = ar.fit(DIGITS, board=board(Bank("A", 4096, 0), Bank("B", 4096, 4096))).need("RAM")
    assert (need.limit, need.where, need.verdict) == (8192, "A+B", "fits")


def test_a_bank_can_be_chosen():
    two = board(Bank("A", 16384, 0), Bank("B", 4096, 0x10000))
    need = ar.fit(DIGITS, board=two, bank="b").need("RAM")
    assert (need.where, need.verdict) == ("B", "exceeds")
    assert "--bank A" in need.note


def test_memory_outside_of_the_chip_holds_an_arena_only_if_asked_for():
    outside = board(Bank("A", 4096, 0), Bank("PSRAM", 1 << 20, holds="external"))
    assert not ar.fit(DIGITS, board=outside)
    assert ar.fit(DIGITS, board=outside, bank="psram")


def test_energy_is_cycles_by_what_a_cycle_takes():
    found = ar.fit(DIGITS, board=board(Bank("A", 8192), energy=Energy((100, 200), "somebody")))
    time = found.need("time")
    assert found.energy[:2] == pytest.approx((time.least * 6.4, time.most * 12.8))
    assert found.energy.source == "somebody"


def test_energy_that_nobody_published_is_not_made_up():
    assert ar.fit(DIGITS, board="nano33ble").energy is None


def test_all_boards_are_judged_and_one_that_fits_is_enough():
    boards = [board(Bank("A", 1024)), board(Bank("A", 8192))]
    found = fit_all(DIGITS, among=boards)
    assert [one.outcome for one in found] == ["does not fit", "fits"]
    assert worst(found) == "fits"
    assert worst(found[:1]) == "does not fit"


def test_a_board_brings_processor_clock_and_limits_and_what_is_given_besides_counts():
    found = ar.fit(DIGITS, board="nucleo-h743zi2", ram="4k")
    assert found.target.processor == "cortex-m7"
    assert found.clock == 480
    assert [need.limit for need in found.needs] == [4096, 2 * 1024**2, None]
    assert [need.verdict for need in found.needs] == ["exceeds", "fits", "no limit"]


def test_what_is_not_known_does_not_fit():
    found = ar.fit(DIGITS, board=UNKNOWN, deadline=1000)
    assert found.need("time").verdict == "unknown"
    assert found.outcome == "not known"
    assert "does not fit" not in str(found)
    assert not found


def test_what_is_not_asked_for_may_be_unknown():
    assert ar.fit(DIGITS, board=UNKNOWN)


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
        ({"ram": 1, "bank": "A"}, "expected a board for the bank"),
        ({"board": "pico", "bank": "A"}, "expected a bank of pico: SRAM0-3, SRAM4-5"),
        ({"ram": 1, "margin": -1}, "expected a margin from 0"),
        ({"deadline": "soon", "clock": 1}, "expected a time"),
        ({"deadline": 1, "clock": 0}, "expected a clock from"),
    ],
)
def test_wrong_arguments_say_what_is_expected(arguments, words):
    with pytest.raises(ValueError, match=words):
        ar.fit(DIGITS, **arguments)


def test_it_says_in_a_line_what_is_the_matter():
    text = repr(ar.fit(DIGITS, ram="1k"))
    assert ": does not fit; RAM 5,416 bytes of 1,024 bytes: exceeds; flash " in text
    assert text.endswith("; time not known: no limit>")


def test_quantities_are_read_as_people_write_them():
    assert [bytes_of(text) for text in ("96k", "0.5M", 7)] == [98304, 524288, 7]
    assert [megahertz_of(text) for text in ("168MHz", "1.2GHz", 64)] == [168, 1200, 64]
    assert [milliseconds_of(text) for text in ("50ms", "1.5s", "800us", 2)] == [50, 1500, 0.8, 2]
