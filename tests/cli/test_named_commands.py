"""Commands that pages and the help name: options exist, and what can be run here ends well."""

import inspect
import re
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

import arenite as ar
from arenite.cli import app
from tests.shared import DIGITS, shared_wake_word

ROOT = Path(__file__).resolve().parents[2]
FLOAT, HELD_OUT = DIGITS.with_name("digits_float.tflite"), DIGITS.with_name("held_out.npz")
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"))
    if page.name != "CHANGELOG.md"
)
GROUP = get_command(app)
COMMANDS = GROUP.commands
#: A command on a line of its own, and one within a sentence.
LINE = re.compile(r"^(?: {4}|\$ |- run: )arenite (?P<words>(?:-|[a-z]).*)$", re.M)
INLINE = re.compile(r"(?<!`)`arenite(?P<words> [^`]*)`(?!`)")
#: What is no part of a command: what a shell does with its output, and remarks.
SHELL = re.compile(r"\s+(?:#|>>?|\|).*$")


def words_of(text: str) -> list[str]:
    return shlex.split(SHELL.sub("", text))


def lines() -> Iterator[tuple[str, str]]:
    """Page and command of every line that is to be typed."""
    for page in PAGES:
        for match in LINE.finditer(page.read_text("utf-8")):
            yield page.name, match["words"]
    for name, command in COMMANDS.items():
        for example in re.findall(r"Example: arenite (.*)", inspect.getdoc(command.callback) or ""):
            yield f"{name} --help", example


LINES = sorted(set(lines()))
INLINES = sorted(
    {
        (page.name, " ".join(match["words"].split()))
        for page in PAGES
        for match in INLINE.finditer(page.read_text("utf-8"))
    }
)


def options_of(name: str) -> set[str]:
    owner = COMMANDS.get(name, GROUP)
    found = {"--help", "-h"}
    for parameter in owner.params:
        found.update(parameter.opts, parameter.secondary_opts)
    return found


def test_there_are_commands_to_look_at():
    assert len(LINES) > 60
    assert len(INLINES) > 60


@pytest.mark.parametrize(("page", "text"), INLINES)
def test_a_command_in_a_sentence_has_its_options(page, text):
    words = words_of(text)
    name = words[0]
    assert name in COMMANDS or name.startswith("--"), page
    named = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert named <= options_of(name), page


@pytest.mark.parametrize(("page", "text"), LINES)
def test_a_line_to_be_typed_is_taken_by_the_command_line(page, text):
    name, *words = words_of(text)
    if name.startswith("--"):
        assert name in options_of("")
        return
    COMMANDS[name].make_context(name, words)  # raises what the command line would say


@pytest.mark.parametrize(("page", "text"), LINES)
def test_files_of_the_repository_exist(page, text):
    words = words_of(text)
    written = {after for before, after in pairwise(words) if before == "-o"}
    named = {word for word in words if word.startswith(("examples/", "tests/", "docs/"))}
    assert [word for word in named - written if not (ROOT / word).exists()] == []


#: What follows "arenite" in an import, and in a line of a board's log.
NO_COMMANDS = ("import", "tensor")


@pytest.mark.parametrize("path", sorted(ROOT.glob("src/**/*.py")), ids=lambda path: path.name)
def test_commands_that_messages_name_have_their_options(path):
    text = " ".join(re.sub(r'"\s*\n\s*f?"', "", path.read_text("utf-8")).split())
    for name, rest in re.findall(r"arenite ([a-z-]+)((?: (?:[A-Z]+|--[a-z-]+))+)", text):
        assert name in {*COMMANDS, *NO_COMMANDS}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options_of(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_extras_that_pages_install_exist(page):
    known = set(re.findall(r"^([a-z]+) = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.M))
    lists = re.findall(r"pip install [^\n]*\[([a-z,]+)\]", page.read_text("utf-8"))
    assert {extra for one in lists for extra in one.split(",")} <= known


# -- what is run -------------------------------------------------------------------------

#: What stands for a user's files.
MODELS = ("model", "model_int8", "int8", "small", "photo_model", "kws")
FLOATS = ("model_float", "float_model", "float")
WAKE_WORDS = ("okay_nabu", "vad")
#: Lines that need what is not here: TFLM's sources, a board's log, sounds, recordings.
UNMADE = (
    *("--tflm", "board.log", "--frontend", "slices.npz", "speech.tflite", "--snippet"),
    "quantised.json",
)
#: Lines that show what an error looks like.
WRONG = ("--arena 4000",)
#: Lines whose outputs pages show, which are made again elsewhere, or that take long.
ELSEWHERE = ("bench ", "evaluate model.tflite validation/ --workers")


def is_run(text: str) -> bool:
    return not any(word in text for word in (*UNMADE, *ELSEWHERE))


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with what the lines name: models, pictures in a folder per class, samples."""
    place = tmp_path_factory.mktemp("user")
    for name in ("examples", "tests"):
        (place / name).symlink_to(ROOT / name)
    for name in MODELS:
        shutil.copy(DIGITS, place / f"{name}.tflite")
    for name in FLOATS:
        shutil.copy(FLOAT, place / f"{name}.tflite")
    images = DIGITS.with_name("images")
    for folder in ("validation", "pictures"):
        for digit in range(10):
            (place / folder / str(digit)).mkdir(parents=True)
            shutil.copy(images / f"{digit}.png", place / folder / str(digit) / "a.png")
    shutil.copy(images / "7.png", place / "digit.png")
    shutil.copy(images / "7.png", place / "photo.jpg")
    shutil.copy(DIGITS.with_name("labels.txt"), place / "labels.txt")
    with np.load(HELD_OUT) as held_out:
        np.savez(place / "samples.npz", x=held_out["images"][:4])
    (place / "serial.log").write_text("I (312) main: arena_used_bytes() = 4932\n")
    np.save(place / "x.npy", np.zeros((1, 8, 8, 1), np.int8))
    ar.export(DIGITS, place / "firmware" / "digits")
    return place


@pytest.mark.filterwarnings("default::arenite.UndefinedWarning")
@pytest.mark.parametrize(
    ("page", "text"), [one for one in LINES if is_run(one[1]) and not one[1].startswith("-")]
)
def test_a_line_to_be_typed_does_not_fail(arenite, workplace, monkeypatch, page, text):
    for name in WAKE_WORDS:
        if name in text:
            word = shared_wake_word(name)
            for file in (word, word.with_suffix(".json")):
                shutil.copy(file, workplace / file.name)
    monkeypatch.chdir(workplace)
    result = arenite(*words_of(text))
    assert result.exit_code != 2, result.stderr
    assert ("error: " in result.stderr) is any(word in text for word in WRONG)
    assert result.exception is None or isinstance(result.exception, SystemExit)
