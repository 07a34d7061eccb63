"""What all commands have in common: units, words of refusals, operators of one's own."""

import pytest
from typer.main import get_command

from arenite.cli import app
from tests.cli.exit_codes import error_of

COMMANDS = get_command(app).commands
OPTIONS = [
    pytest.param(command, option, id=f"{command} {option.opts[0]}")
    for command, one in COMMANDS.items()
    for option in one.params
]
QUANTITIES = {"BYTES": ("96k", 98304), "MHZ": ("168MHz", 168.0), "MS": ("50ms", 50.0)}
NUMBERS = [
    param
    for param in OPTIONS
    if param.values[1].type.name.startswith(("int", "float")) and not param.values[1].multiple
]
WITH_TARGET = [
    name for name, one in COMMANDS.items() if any("--target" in p.opts for p in one.params)
]
WITH_MODEL = [name for name, one in COMMANDS.items() if one.params[0].param_type_name == "argument"]
#: Options that several commands have: counts, and times in seconds as their metavar says.
PLAIN = ("--seed", "--op", "--runs", "--time-limit", "--timeout")
LIMITED = [p for p in NUMBERS if getattr(p.values[1].type, "min", None) is not None]
CHOICES = [param for param in OPTIONS if hasattr(param.values[1].type, "choices")]


def refusal(result):
    """The words of a refusal of usage, without the box around them."""
    assert result.exit_code == 2
    return " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("command", "option"), [one for one in OPTIONS if one.values[1].metavar in QUANTITIES]
)
def test_quantities_have_units(command, option):
    text, value = QUANTITIES[option.metavar]
    assert option.type.convert(text, option, None) == value


def test_no_quantity_goes_by_another_name():
    """An option with a unit in its help that is parsed as a bare number would be one."""
    names = [f"{p.values[0]} {p.values[1].opts[0]}" for p in NUMBERS]
    assert sorted(name for name in names if not name.endswith(PLAIN)) == [
        "bench --repeat",
        "bench --threads",
        "board --limit",
        "check-kernel --cases",
        "compare --min-sqnr",
        "evaluate --limit",
        "evaluate --min-accuracy",
        "evaluate --min-auc",
        "evaluate --threads",
        "evaluate --top-k",
        "evaluate --workers",
        "optimize --seconds",
        "optimize --verify",
        "quantize --limit",
        "quantize --min-sqnr",
        "quantize --workers",
        "run --repeat",
        "run --threads",
        "run --threshold",
        "run --top",
    ]


@pytest.mark.parametrize("command", WITH_TARGET)
def test_processors_have_short_names(arenite, tmp_path, command):
    missing = tmp_path / "no.tflite"
    others = {
        "export": ("-o", "out"),
        "report": ("-o", "out.html"),
        "quantize": ("--data", "x.npz", "-o", "q.tflite"),
        "evaluate": ("data.npz",),
        "which": ("--used", "1"),
    }
    needed = others.get(command, ())
    result = arenite(command, missing, "--target", "m4", *needed)
    assert result.exit_code == error_of(command)
    assert result.stderr.endswith(": No such file or directory\n")
    assert arenite(command, missing, "--target", "m9", *needed).exit_code == 2


@pytest.mark.parametrize(("command", "option"), NUMBERS)
def test_no_number_is_refused_in_our_words(arenite, command, option):
    result = arenite(command, "m.tflite", option.opts[0], "many")
    kind = "whole number" if option.type.name.startswith("int") else "number"
    assert f"expected a {kind}, got 'many'" in refusal(result)


@pytest.mark.parametrize(("command", "option"), LIMITED)
def test_a_number_out_of_range_is_refused_in_our_words(arenite, command, option):
    result = arenite(command, "m.tflite", option.opts[0], "-1")
    least, most = option.type.min, option.type.max
    expected = f"at least {least}" if most is None else f"{least} to {most}"
    assert f"expected {expected}, got -1" in refusal(result)


@pytest.mark.parametrize(("command", "option"), CHOICES)
def test_a_word_that_is_no_choice_is_refused_in_our_words(arenite, command, option):
    result = arenite(command, "m.tflite", option.opts[0], "zebra")
    first = next(iter(option.type.choices))
    assert f"expected one of '{getattr(first, 'value', first)}'" in refusal(result)
    assert "got 'zebra'" in refusal(result)


@pytest.mark.parametrize("command", WITH_MODEL)
def test_every_command_with_a_model_takes_operators_of_ones_own(command):
    assert any("--ops" in option.opts for option in COMMANDS[command].params)
