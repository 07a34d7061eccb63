"""What commands end with where an error leaves no answer."""

from arenite.cli import app

#: All commands by name.
COMMANDS = sorted(
    one.name or one.callback.__name__.replace("_", "-") for one in app.registered_commands
)

#: Commands that judge: 0 is yes, 1 is no.
JUDGES = ("fit", "compare", "evaluate", "board", "check-kernel")


def error_of(command: str) -> int:
    """The exit code of an error: not that of a verdict."""
    return 2 if command in JUDGES else 1
