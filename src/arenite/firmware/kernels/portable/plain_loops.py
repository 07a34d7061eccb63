"""Generated C as a person would write it: no loop that runs once, no comma in a loop's head."""

from __future__ import annotations

import re

_LOOP = re.compile(
    r"^(?P<column> *)for \(int32_t (?P<name>\w+) = (?P<first>[^;]+); (?P=name) < (?P<end>[^;]+); "
    r"(?P<step>\+\+(?P=name)|(?P=name) \+= \d+)(?P<moves>(?:, [^,;()]+)*)\) \{\n"
    r"(?P<body>(?:(?P=column) .*\n)*)(?P=column)\}\n",
    re.MULTILINE,
)
#: What changes nothing, and a step of one.
_NOTHING = re.compile(r" (?:\* 1|[+-] 0)(?![\w.]| [*/%])|(?:(?<=\()|(?<=[=+] ))1 \* ")
_STEP_OF_ONE = re.compile(r"; (\w+) \+= 1\)")
#: What leaves a turn before its last line, or the loop.
_LEAVES = re.compile(r"\b(?:continue|break);")
#: A line that declares names, and those names.
_DECLARATION = re.compile(r" *(?:static )?(?:const )?\w+ \**\w+(?: =|\[|;)")
_DECLARED = re.compile(r"[ *](\w+)(?=[\[,;])")
_INITIALISER = re.compile(r" = [^,;]*")
#: Pointers that move on where nothing comes behind.
_LAST_MOVES = re.compile(r"(?:^\w+ \+= \w+;\n)+\Z", re.MULTILINE)


def plain_loops(text: str) -> str:
    r"""The body of a function with such loops, without empty lines.

    >>> print(plain_loops("for (int32_t b = 0; b < 1; ++b) {\n  f(x, b);\n}"))
    const int32_t b = 0;
    f(x, b);
    >>> print(plain_loops("for (int32_t b = 0; b < 2; ++b, x += 4) {\n  f(x, b);\n}"))
    for (int32_t b = 0; b < 2; ++b) {
      f(x, b);
      x += 4;
    }
    """
    text, at = "".join(f"{line}\n" for line in text.split("\n") if line.strip()), 0
    while loop := _LOOP.search(text, at):
        before, behind = text[: loop.start()], text[loop.end() :]
        if _runs_once(loop):
            plain, at = _turn(loop, before, behind), loop.start()
        else:
            plain = _without_commas(loop)
            at = loop.start() + plain.index("\n") + 1
        text = before + plain + behind
    return _STEP_OF_ONE.sub(r"; ++\1)", _NOTHING.sub("", text)).removesuffix("\n")


def _runs_once(loop: re.Match[str]) -> bool:
    first, end = loop["first"], loop["end"]
    if not (first.isdigit() and end.isdigit()) or _LEAVES.search(loop["body"]):
        return False
    step = int(loop["step"].split()[-1]) if "=" in loop["step"] else 1
    return int(first) < int(end) <= int(first) + step


def _turn(loop: re.Match[str], before: str, behind: str) -> str:
    """The only turn of a loop, with braces where a name in it is another's outside."""
    column, name, body = loop["column"], loop["name"], loop["body"] + _moves(loop)
    if re.search(rf"\b{name}\b", body):
        body = f"{column}  const int32_t {name} = {loop['first']};\n{body}"
    own = {one for line in body.split("\n") for one in _declared(line, column)}
    if own & set(re.findall(r"\w+", before + behind)):
        return f"{column}{{\n{body}{column}}}\n"
    inner = re.sub(r"^  ", "", body, flags=re.MULTILINE)
    return inner if behind.strip() or column else _LAST_MOVES.sub("", inner)


def _declared(line: str, column: str) -> list[str]:
    """The names that a line of a loop's body declares for all of it."""
    if line.startswith(f"{column}   ") or not _DECLARATION.match(line):
        return []
    return _DECLARED.findall(_INITIALISER.sub("", line))


def _without_commas(loop: re.Match[str]) -> str:
    """A loop whose pointers move in its last lines."""
    if not loop["moves"] or _LEAVES.search(loop["body"]):
        return loop[0]
    head = loop[0].split("\n", 1)[0].replace(loop["moves"], "")
    return f"{head}\n{loop['body']}{_moves(loop)}{loop['column']}}}\n"


def _moves(loop: re.Match[str]) -> str:
    moves = loop["moves"].split(", ")[1:]
    return "".join(f"{loop['column']}  {move};\n" for move in moves)
