"""Names from files reach a terminal as text: nothing in them moves a cursor or makes a line."""

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from arenite.model import Model, ModelBuilder, SignatureDef
from arenite.model.text import printable
from tests.cli.models import classifier, saved

#: What a terminal, or whoever reads its lines, acts on; and what may be taken for markup.
HOSTILE = {
    "escape": "\x1b[31m\x1b]0;title\x07",
    "bell": "\x07\b\r\0",
    "c1": "\x9b31m\x85",
    "delete": "\x7f",
    "bidi": "\u202e\u2066\u200f",
    "separators": "\u2028\u2029\v\f",
    "newline": "\nerror: of its own\n",
    "invisible": "\u200b\ufeff\U000e0041",
    "markup": "[red]</text>&<svg/>]]>",
    "workflow": "::error title=x::y ::add-mask::a\n  ::set-output name=a::b",
    "older": "##[error]x ##vso[task.complete result=Failed;]y ##teamcity[x]",
}
#: What a CI system takes for its commands, and no line of ours is.
IN_CI = re.compile(r"^\s*::|##(?:\[|vso\[|teamcity\[)", re.MULTILINE)
#: Categories of Unicode: controls, formats, surrogates, and what separates lines and paragraphs.
UNSHOWN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
COMMANDS = (
    ["info"],
    ["run"],
    ["memory"],
    ["memory", "--arena", "1"],
    ["memory", "--target", "cortex-m4"],
    ["explain"],
    ["explain", "--op", "0"],
    ["cost"],
    ["cost", "--op", "0"],
)
#: All of that in one name, for what takes long.
ALL = "".join(HOSTILE.values())


def named(name: str) -> Model:
    """A model that runs, with ``name`` wherever a file has a text."""
    model = classifier()
    tensors = tuple(replace(t, name=f"{name}{t.name}{name}") for t in model.main.tensors)
    main = replace(model.main, tensors=tensors, name=name)
    return replace(
        model,
        subgraphs=(main,),
        description=name,
        metadata={name: name.encode(), "min_runtime_version": name.encode()},
        signatures=(SignatureDef(name, {name: main.inputs[0]}, {name: main.outputs[0]}),),
    )


def of_custom_operator(name: str) -> Model:
    """A model that only ``info`` knows what to do with: nobody has its operator."""
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "int8"), b.tensor("y", (1, 4), "int8")
    b.operator(name, [x], [y], custom_options=b"")
    b.output(y)
    return b.build()


def in_the_wrong_order(name: str) -> Model:
    """A model that is refused, with a tensor's name."""
    model = named(name)
    main = model.main
    return replace(model, subgraphs=(replace(main, operators=main.operators[::-1]),))


@pytest.fixture
def say(arenite, monkeypatch):
    """``say(command, ...)``: a command's result, after a look at every character of it.

    No line is full, so that a line more is a line that a name has begun.
    """
    monkeypatch.setenv("COLUMNS", "1000")

    def call(*arguments):
        result = arenite(*arguments)
        assert isinstance(result.exception, SystemExit | None), result.exception
        assert not IN_CI.search(result.stdout), result.stdout
        assert not IN_CI.search(result.stderr), result.stderr
        printed = (result.stdout + result.stderr).replace("\n", "")
        assert [c for c in printed if unicodedata.category(c) in UNSHOWN] == []
        return result

    return call


def lines(result):
    return (result.stdout + result.stderr).count("\n")


@pytest.mark.parametrize("make", [named, of_custom_operator, in_the_wrong_order])
def test_a_models_names_are_printed_as_text(say, tmp_path, make):
    hostile = saved(make(ALL), tmp_path / "a.tflite")
    harmless = saved(make(printable(ALL)), tmp_path / "b.tflite")
    for command, *options in (*COMMANDS, ["bench", "--repeat", "1"]):
        one, other = say(command, hostile, *options), say(command, harmless, *options)
        assert one.exit_code == other.exit_code, command
        assert lines(one) <= lines(other), command  # quoted backslashes may fill one more


@pytest.mark.parametrize("make", [named, of_custom_operator, in_the_wrong_order])
def test_json_is_valid_and_has_no_such_characters(say, tmp_path, make):
    model = saved(make(ALL), tmp_path / "m.tflite")
    for command, *options in COMMANDS:
        result = say(command, model, *options, "--json")
        if result.stdout:
            json.loads(result.stdout)
        else:
            assert result.exit_code == 1


@pytest.mark.parametrize("kind", HOSTILE)
def test_json_has_the_names_themselves(say, tmp_path, kind):
    name = HOSTILE[kind]
    facts = json.loads(say("info", saved(named(name), tmp_path / "m.tflite"), "--json").stdout)
    assert facts["inputs"][0]["name"] == f"{name}image{name}"


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_drawing_is_valid_and_has_the_names_as_text(say, tmp_path, kind):
    name = HOSTILE[kind]
    title = name.replace("\0", "").replace("/", "") + ".tflite"
    model, drawing = saved(named(name), tmp_path / title), tmp_path / "m.svg"
    assert say("memory", model, "--svg", drawing).exit_code == 0
    root = ET.fromstring(drawing.read_bytes())
    texts = "".join(root.itertext())
    assert f"{printable(name)}features" in texts
    assert not [c for c in texts if c != "\n" and unicodedata.category(c) in UNSHOWN]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_files_name_is_printed_as_text(say, tmp_path, kind):
    name = HOSTILE[kind].replace("\0", "").replace("/", "")
    model = saved(classifier(), tmp_path / f"{name}.tflite")
    harmless = saved(classifier(), tmp_path / "m.tflite")
    alike = saved(classifier(), tmp_path / f"{printable(name)}.tflite")  # and as wide
    assert lines(say("info", model)) == lines(say("info", alike))
    assert lines(say("info", tmp_path / name)) == 1
    for option in "--input", "--labels":
        result = say("run", harmless, option, tmp_path / f"{name}.npy")
        assert result.exit_code == 1
        assert lines(result) == 1


@pytest.mark.parametrize("kind", HOSTILE)
def test_labels_are_printed_as_text(say, tmp_path, kind):
    line = "".join(HOSTILE[kind].splitlines())
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(f"{line}{number}\n" for number in range(4)), encoding="utf-8")
    model = saved(classifier(), tmp_path / "m.tflite")
    result = say("run", model, "--labels", labels)
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("width", [20, 33, 40, 79, 80, 81, 120, 1000])
@pytest.mark.parametrize("ahead", range(24))
def test_no_line_that_is_broken_begins_a_workflow_command(say, monkeypatch, tmp_path, width, ahead):
    monkeypatch.setenv("COLUMNS", str(width))
    name = "a" * ahead + " ::error::x" * 12 + "::" * 40
    say("info", saved(named(name), tmp_path / "m.tflite"))


def test_a_message_that_is_printed_as_an_error_is_no_workflow_command(say, tmp_path):
    model = tmp_path / "::error::.tflite"
    model.write_bytes(b"none")
    assert "expected" in say("info", model).stderr
    assert say("memory", model, "--board", "\n::error::x").exit_code == 2
