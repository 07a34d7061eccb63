"""An ``arenite.json`` from anybody: every field is checked, and what is printed of it is text."""

import json
import unicodedata

import pytest

from tests.cli.exit_codes import error_of

ESCAPES = "\x1b]0;title\x07\x1b[31m\x9b2J\u202e[red]x[/red][link=http://x]y[/link]"


@pytest.fixture
def folder(arenite, model_file, tmp_path):
    arenite("export", model_file, "-o", tmp_path / "out", "--no-emulate")
    return tmp_path / "out"


@pytest.fixture
def board(arenite, folder):
    """``board(change)`` runs a folder whose manifest was changed, with a look at all it prints."""

    def call(change):
        path = folder / "arenite.json"
        facts = json.loads(path.read_text())
        text = change(facts)
        path.write_text(json.dumps(facts) if text is None else text)
        result = arenite("board", folder)
        assert isinstance(result.exception, SystemExit | None), result.exception
        printed = (result.stdout + result.stderr).replace("\n", "")
        assert [c for c in printed if unicodedata.category(c) in ("Cc", "Cf", "Cs")] == []
        return result

    return call


def setting(place, value):
    """A change of one field, by its path: ``layers.0.name``."""

    def change(facts):
        *way, last = [int(word) if word.isdigit() else word for word in place.split(".")]
        for word in way:
            facts = facts[word]
        facts[last] = value

    return change


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("name", "a-b", "name: expected a C identifier in lower case, got 'a-b'"),
        ("name", "x" * 5000, "name: expected a C identifier in lower case, got 'xxx"),
        ("target", ESCAPES, "target: expected a processor's name, got '\\x1b]0;title"),
        ("arena_bytes", "many", "arena_bytes: expected a whole number from 0 to 1099511627776"),
        ("arena_bytes", -1, "arena_bytes: expected a whole number from 0"),
        ("arena_bytes", True, "arena_bytes: expected a whole number from 0"),
        ("constant_bytes", 1 << 50, "constant_bytes: expected a whole number from 0"),
        ("state_bytes", 0.5, "state_bytes: expected a whole number from 0"),
        ("state_bytes", 10**300, "expected at most 20 digits, got a number of 301"),
        (
            "input_mode",
            "no",
            "input_mode: expected one of 'overwritten', 'apart', 'kept', 'rows', got 'no'",
        ),
        ("inputs", {}, "inputs: expected a list, got dict"),
        ("inputs", [{}] * 5000, "inputs: expected at most 4096 of them, got 5000"),
        ("inputs.0", 3, "inputs[0]: expected an object, got 3"),
        ("inputs.0.name", None, "inputs[0].name: expected text of at most 65536 characters"),
        ("inputs.0.type", "int7", "inputs[0].type: expected one of "),
        ("inputs.0.shape", [1] * 40, "inputs[0].shape: expected at most 32 of them, got 40"),
        ("inputs.0.shape", [-1], "inputs[0].shape[0]: expected a whole number from 0"),
        ("inputs.0.scale", 1e300, "inputs[0].scale: expected a finite number of 32 bits"),
        ("inputs.0.scale", float("inf"), "expected numbers, got Infinity"),
        ("inputs.0.zero_point", 1 << 63, "zero_point: expected a whole number from -9223372"),
        ("inputs.0.shape", [(1 << 31) - 1] * 4, "would take"),
        ("layers.1.function", "f;rm", "layers[1].function: expected a C identifier, or nothing"),
        ("layers.1.language", "rust", "layers[1].language: expected one of '', 'c', 's'"),
        ("layers.1.rows", -1, "layers[1].rows: expected a whole number from 0"),
        ("layers.1.reason", "x" * 5000, "layers[1].reason: expected text of at most 4096"),
        ("files", ["../x"], "files[0]: expected a path in the folder, as src/model.c, got '../x'"),
        ("files", ["/etc/x"], "files[0]: expected a path in the folder"),
        ("files", ["C:\\x"], "files[0]: expected a path in the folder"),
        ("digests", {"../x": "0" * 64}, "a path in digests: expected a path in the folder"),
        ("digests", {"src/x.c": "0"}, "digests['src/x.c']: expected 64 hexadecimal digits"),
    ],
)
def test_a_field_is_checked_and_the_error_says_which(board, place, value, words):
    result = board(setting(place, value))
    assert result.exit_code == error_of("board")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 500


@pytest.mark.parametrize("field", ["name", "inputs", "layers", "files", "arena_bytes"])
def test_a_field_that_is_not_there_is_said(board, field):
    result = board(lambda facts: facts.pop(field) and None)
    assert f"{field}: expected it, got nothing" in result.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is broken"),
        ("[]", "all of it: expected an object, got list"),
        ("[" * 100_000, "is broken"),
        ('{"name": "a", "name": "b"}', "expected each field once"),
        (" " * ((8 << 20) + 1), "expected at most 4,194,304 bytes, got 8,388,609"),
    ],
    ids=["nothing", "a list", "nested", "twice", "long"],
)
def test_what_is_no_manifest_is_refused(board, text, words):
    result = board(lambda facts: text)
    assert result.exit_code == error_of("board")
    assert words in result.stderr


@pytest.mark.parametrize("place", ["layers.0.name", "layers.0.reason", "inputs.0.name"])
def test_names_are_printed_as_text(board, place):
    pytest.importorskip("unicorn")
    pytest.importorskip("ziglang")
    result = board(setting(place, ESCAPES))
    assert result.exit_code == 0, result.stderr
    if place == "layers.0.name":
        assert "\\x1b]0;title" in result.stdout
        assert "[red]x[/red][link=http://x]y[/link]" in result.stdout
