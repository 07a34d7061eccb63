"""Numbers, names and tables in a terminal."""

import pytest

from arenite.model.text import printable
from arenite.report.text import Column, duration, number, size, table


def lines(columns, width):
    return [line.plain for line in table(columns, width)]


FRUIT = [
    Column("name", ["apple", "banana"], shrink=4),
    Column("count", ["1", "12"], "right"),
    Column("note", ["red", "yellow"], keep=1),
]


def test_a_table_that_fits_is_shown_in_full():
    assert lines(FRUIT, 40) == [
        "name    count  note",
        "apple       1  red",
        "banana     12  yellow",
    ]


def test_text_shrinks_before_a_column_goes():
    assert lines(FRUIT, 19) == ["name  count  note", "a…le      1  red", "b…na     12  yellow"]


def test_the_column_with_the_highest_keep_goes_first():
    assert lines(FRUIT, 14) == ["name    count", "apple       1", "banana     12"]


def test_what_must_stay_stays_even_if_it_is_too_wide():
    assert lines(FRUIT, 3) == ["name  count", "a…le      1", "b…na     12"]


def test_brackets_in_names_are_no_markup():
    assert lines([Column("x", ["[bold]a[/bold]"])], 40)[1] == "[bold]a[/bold]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", "a b"),
        ("é漢", "é漢"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202eevil", "\\u202eevil"),
        ("\udc80", "\\udc80"),
    ],
)
def test_control_characters_are_escaped(text, expected):
    assert printable(text) == expected


def test_numbers_are_grouped():
    assert number(1234567) == "1,234,567"


@pytest.mark.parametrize(
    ("nbytes", "expected"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1,024 bytes (1.0 KiB)"),
        (53936, "53,936 bytes (52.7 KiB)"),
        (3 * 1024**2, "3,145,728 bytes (3.0 MiB)"),
    ],
)
def test_sizes(nbytes, expected):
    assert size(nbytes) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (2.5, "2.50 s"),
        (61, "61.0 s"),
        (0.0123, "12.3 ms"),
        (0.123456, "123 ms"),
        (4.5e-6, "4.50 µs"),
        (0.0, "0.00 µs"),
    ],
)
def test_durations(seconds, expected):
    assert duration(seconds) == expected
