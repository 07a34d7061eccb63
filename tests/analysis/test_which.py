"""Which builds explain what a firmware printed."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from time import monotonic

import numpy as np
import pytest

import arenite as ar
from arenite.analysis.which.builds import Options, spans, targets
from arenite.analysis.which.log import printed, read_log
from arenite.analysis.which.numbers import allocated, classes, numbers_of
from arenite.errors import CompareError
from arenite.revisions.known import FIRST, LAST
from arenite.target import Target

pytest.importorskip("arenite.native._engine")

from tests.analysis.which_logs import as_printed, logs
from tests.fuzz.seeds import classifier
from tests.revisions.measure import fixed_models
from tests.revisions.models import reversing
from tests.worker import ROOT

MODEL = classifier()
FILES = fixed_models()


def total(target: Target, options: Options = Options()) -> int:  # noqa: B008 - it is frozen
    return allocated(MODEL, target, options).total


# -- logs of other hands ------------------------------------------------------------------


PAGE = (ROOT / "docs" / "revisions.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("log", logs(), ids=lambda log: f"{log.source}, {log.model}")
def test_the_place_of_the_true_build_is_on_the_page(log):
    if log.model not in FILES:
        pytest.skip(f"there is no {log.model}")
    assert log.row(ar.which(FILES[log.model], log.text.encode())) in PAGE


def test_19_of_20_are_named_first():
    rows = [line.split("|") for line in PAGE.splitlines() if "arena_used_bytes" not in line]
    places = [int(cells[5]) for cells in rows if len(cells) == 7 and cells[5].strip().isdigit()]
    assert len(places) == len(logs()) == 20
    assert places.count(1) >= 19
    assert 0 not in places


def test_another_build_is_not_named():
    log = next(log for log in logs() if log.model == "digits" and "package" in log.source)
    found = ar.which(FILES["digits"], log.text.encode())
    assert found.groups
    assert all(line.abis == ("lp64",) for group in found.groups for line in group.lines)
    assert all(line.times[0].first > "2023" for line in found.groups[0].lines)


# -- reading ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "I (312) main: arena_used_bytes: 4321",
        "Arena used: 4321 / 10240 bytes",
        "interpreter->arena_used_bytes() = 4321\r",
        "\x1b[0;32mused bytes 4321\x1b[0m",
        "[00:00:01.2] <inf> app: tensor arena usage 4321",
        "[RecordingMicroAllocator] Arena allocation total 4321 bytes",
    ],
)
def test_a_number_is_found_in_any_text(line):
    assert printed(f"boot\n{line}\nready\n").numbers == {"total": 4321}


def test_rows_have_three_numbers():
    text = as_printed(allocated(MODEL, Target("cortex-m4"), Options(is_recording=True)))
    found = printed(f"{text}[RecordingMicroAllocator] 'Persistent compression data' used 8 bytes "
                    "with alignment overhead (requested 4 bytes for 1 allocations)\n")  # fmt: skip
    assert found.numbers.keys() >= {"total", "head", "tail", "Persistent buffer data: requested"}
    assert found.is_recording
    assert found.unknown == ("Persistent compression data",)


def test_the_same_numbers_twice_are_one_start_after_another():
    assert printed("arena_used_bytes 8\narena_used_bytes 8\n").numbers == {"total": 8}


def test_two_values_are_refused_with_their_lines():
    with pytest.raises(CompareError, match=r"expected one value, got 8 and 9 \(line 1 and line 3"):
        printed("arena_used_bytes 8\n\narena_used_bytes 9\n")


@pytest.mark.parametrize(
    "text",
    ["", "hello", "arena size: 8192", "arena_used_bytes() = " + "9" * 5000, "\x00" * 9, "'" * 9999],
)
def test_a_log_without_such_numbers_is_refused(text):
    with pytest.raises(CompareError, match="expected a log with arena_used_bytes"):
        printed(text)


def test_a_log_without_end_is_refused():
    with pytest.raises(CompareError, match="up to 16777216 bytes"):
        read_log(bytes(16 << 20) + b"x")


@pytest.mark.parametrize(
    "text", ["\n", "used arena\n", "'" + "a" * 79 + "' used 1 bytes\n", "arena used "]
)
def test_a_long_log_takes_seconds(text):
    before = monotonic()
    with pytest.raises(CompareError):
        printed(text * (2 << 20 >> len(text).bit_length()))
    assert monotonic() - before < 10


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_are_read_or_refused(seed):
    noise = np.random.default_rng(seed).integers(0, 256, 4096).astype(np.uint8).tobytes()
    text = b"Arena allocation head 16 bytes '" + noise + b"' used 1 bytes"
    assert printed(read_log(text)).numbers["head"] == 16


# -- builds -------------------------------------------------------------------------------


def test_times_follow_each_other_from_the_first_day_to_today():
    times = spans(MODEL)
    assert (times[0].first, times[-1].last) == (FIRST, LAST)
    assert all(before.last < after.first for before, after in pairwise(times))
    assert sum(span.days for span in times) == sum(span.days for span in spans(reversing()))


def test_a_class_takes_the_same_memory_at_all_times():
    for group in classes(MODEL, targets()):
        for span in spans(MODEL)[::5]:
            made = {
                str(sorted(numbers_of(allocated(MODEL, _at(one, span), Options())).items()))
                for one in (group[0], group[-1])
            }
            assert len(made) == 1


def _at(target: Target, span) -> Target:
    return replace(target, tflm=span.revision)


def test_a_recording_allocator_takes_more_for_itself_alone():
    plain = allocated(MODEL, Target("cortex-m4"), Options())
    recording = allocated(MODEL, Target("cortex-m4"), Options(is_recording=True))
    assert recording.total > plain.total
    assert recording.head == plain.head
    rows = [(row.name, row.requested_bytes) for row in plain.categories[:5]]
    assert rows == [(row.name, row.requested_bytes) for row in recording.categories[:5]]


# -- answers ------------------------------------------------------------------------------


def test_a_number_is_explained_by_the_build_that_has_it():
    found = ar.which(MODEL, used=total(Target("cortex-m4", tflm="2022-02")))
    lines = [line for group in found.groups for line in group.lines]
    assert all(line.library == "cmsis_nn" for line in lines)
    assert any(span.first <= "2022-02-28" <= span.last for line in lines for span in line.times)
    assert "CMSIS-NN" in repr(found)


def test_a_planner_that_preserves_is_an_option():
    used = total(Target("cortex-m4"), Options("linear"))
    assert used != total(Target("cortex-m4"))
    lines = ar.which(MODEL, used=used).groups[0].lines
    assert {one.planner for line in lines for one in line.options} == {"linear"}


def test_what_is_known_is_not_looked_for():
    used = total(Target("esp32s3"))
    found = ar.which(MODEL, used=used, target="esp32-s3", library="esp-nn")
    assert {line.library for group in found.groups for line in group.lines} == {"esp_nn"}
    with pytest.raises(ValueError, match="expected a target of"):
        ar.which(MODEL, used=used, target="z80")


def test_an_end_that_is_no_multiple_of_16_is_the_last_resort():
    odd = allocated(MODEL, Target("cortex-m4"), Options(), 8).total
    assert odd < total(Target("cortex-m4"))  # which fills the gap before its second struct
    found = ar.which(MODEL, used=odd, target="cortex-m4", library="cmsis-nn")
    assert found.groups[0].lines[0].past == (8,)
    assert "ends 8 bytes behind a multiple of 16" in repr(found)


def test_what_nothing_explains_has_what_comes_nearest():
    found = ar.which(MODEL, used=7)
    assert not found.groups
    assert found.nearest[0].differing == ("total",)
    assert not found.to_dict()["explains"]


def test_what_to_print_besides_tells_the_groups_apart():
    used = allocated(ar.load(FILES["digits"]), Target("cortex-m4"), Options()).total
    found = ar.which(FILES["digits"], used=used)
    kinds = {tuple(group.numbers[name] for name in found.asks) for group in found.groups}
    assert len(kinds) > len(found.groups) / 2 > 1
    assert not {"total", "tail"} & set(found.asks)


def test_an_operator_that_came_later_leaves_earlier_times_out():
    found = ar.which(reversing(), used=allocated(reversing(), Target("host"), Options()).total)
    assert found.groups
    firsts = [one.first for g in found.groups for line in g.lines for one in line.times]
    assert min(firsts) >= "2025-07-10"
