"""A memory plan drawn in a terminal and as SVG."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from arenite.memory.plan import PlannedBuffer
from arenite.report.memory_map import ASCII, draw_map, lifetime
from arenite.report.memory_svg import memory_svg


def buffer(offset, size, begin, end, *, name="t", kind="tensor"):
    return PlannedBuffer(name, kind, 0, 0, offset, size, begin, end)


#: The worked example: A 100 [0,1], B 80 [2,3], C 50 [1,2] in 150 bytes.
ABC = [buffer(0, 100, 0, 2, name="A"), buffer(0, 80, 2, 4), buffer(100, 50, 1, 3)]


def drawn(buffers, width, height, glyphs=ASCII):
    return [line.plain for line in draw_map(buffers, width, height, glyphs)]


def test_offset_goes_up_and_time_goes_right():
    assert drawn(ABC, 21, 6) == [
        "150 |    +++2++++",
        "    |    ++++++++",
        "    |########%%%%%%%%",
        "    |###0####%%%1%%%%",
        " 50 |########%%%%%%%%",
        "    |########%%%%%%%%",
        "  0 ++---+---+---+---",
        "     in  0   1   2",
    ]


@pytest.mark.parametrize("width", [30, 60, 160])
def test_no_line_is_wider_than_asked(width):
    steps = [buffer(16 * i % 64, 999_983, i, i + 3) for i in range(200)]
    assert max(len(line) for line in drawn(steps, width, 16)) <= width


def test_neighbours_have_different_fills():
    stairs = [buffer(100 * i, 100, 0, 4) for i in range(8)]
    column = [line[line.index("|") + 1] for line in drawn(stairs, 40, 8)[:8]]
    assert all(a != b for a, b in pairwise(column))


def test_a_buffer_that_is_too_small_for_a_cell_of_its_own_still_leaves_a_mark():
    tiny = [buffer(0, 1000, 0, 1), buffer(0, 1, 3, 4)]
    top, bottom = drawn(tiny, 40, 4)[0], drawn(tiny, 40, 4)[3]
    assert len(bottom) > len(top)


def test_the_lifetime_never_is_not_drawn():
    assert drawn([buffer(0, 10, -1, 0)], 40, 4) == ["no planned buffers"]


def test_an_empty_plan_says_so():
    assert drawn([], 40, 4) == ["no planned buffers"]


@pytest.mark.parametrize(
    ("begin", "end", "text"),
    [
        (0, 1, "before operator 0"),
        (0, 2, "input to operator 0"),
        (1, 2, "operator 0"),
        (3, 6, "operators 2 to 4"),
        (-1, 0, "never"),
    ],
)
def test_lifetimes_in_words(begin, end, text):
    assert lifetime(buffer(0, 1, begin, end)) == text


def test_variables_live_always():
    assert lifetime(buffer(0, 1, 0, 1 << 31, kind="variable")) == "always"


# -- SVG ---------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def rectangles(document):
    groups = ElementTree.fromstring(document).findall(f"{SVG}g")
    return [(g.find(f"{SVG}title").text, g.find(f"{SVG}rect").attrib) for g in groups]


def test_every_buffer_is_a_rectangle_with_a_tooltip():
    tip, rectangle = rectangles(memory_svg(ABC, "example"))[0]
    assert tip == "0: A (tensor), 100 bytes at 0, input to operator 0"
    assert (rectangle["x"], rectangle["width"]) == ("90.00", "320.00")
    assert (rectangle["y"], rectangle["height"]) == ("186.00", "280.00")


def test_rectangles_of_a_valid_plan_do_not_overlap():
    boxes = [
        [float(r[key]) for key in ("x", "y", "width", "height")]
        for _, r in rectangles(memory_svg(ABC, "example"))
    ]
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            apart = x + w <= x2 or x2 + w2 <= x or y + h <= y2 + 0.01 or y2 + h2 <= y + 0.01
            assert apart


def test_names_are_escaped():
    document = memory_svg([buffer(0, 8, 0, 1, name="<a&b>\x00\x1b")], "x < y")
    assert rectangles(document)[0][0].startswith("0: <a&b>\\x00\\x1b (tensor)")


def test_an_empty_plan_is_a_valid_picture():
    assert rectangles(memory_svg([], "nothing")) == []
