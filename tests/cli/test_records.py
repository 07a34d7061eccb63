"""Records of options: a command has one option per field and gets the record."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from arenite.cli.records import with_records

Count = Annotated[int, typer.Option("--count", help="How many.")]
Name = Annotated[str | None, typer.Option(help="Whose.")]


@dataclass(frozen=True)
class Wishes:
    count: Count = 1
    name: Name = None


def ran(command, *arguments: str) -> str:
    app = typer.Typer()
    app.command()(with_records(command))
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output.strip()


def test_every_field_is_an_option_with_its_default():
    def command(*, wishes: Wishes, last: bool = False) -> None:
        typer.echo(f"{wishes} {last}")

    assert list(inspect.signature(with_records(command)).parameters) == ["count", "name", "last"]
    assert "count=1, name=None) False" in ran(command)
    assert "count=3, name='a') True" in ran(command, "--count", "3", "--name", "a", "--last")


def test_an_annotated_record_has_the_options_that_are_named_in_that_order():
    def command(*, wishes: Annotated[Wishes, ("name",)]) -> None:
        typer.echo(f"{wishes.count} {wishes.name}")

    assert list(inspect.signature(with_records(command)).parameters) == ["name"]
    assert ran(command, "--name", "b") == "1 b"


@dataclass(frozen=True)
class Others(Wishes):
    name: Annotated[str, typer.Option("--who")] = "nobody"


def test_a_record_of_a_record_has_its_options_too():
    def command(*, wishes: Annotated[Others, ("name", "count")]) -> None:
        typer.echo(f"{wishes.name} {wishes.count}")

    assert ran(command, "--count", "2") == "nobody 2"
    assert ran(command, "--who", "all") == "all 1"


def test_a_command_without_records_stays_as_it_is():
    def command(count: Count = 2) -> None:
        typer.echo(str(count))

    assert ran(command, "--count", "5") == "5"


def test_a_field_that_the_record_lacks_is_refused():
    def command(*, wishes: Annotated[Wishes, ("nothing",)]) -> None:
        """Has no such option."""

    with pytest.raises(AttributeError, match="nothing"):
        with_records(command)
