"""JSON and TOML from anybody: what a parser would choke on is refused before it sees it."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arenite.boards.find import find_board
from arenite.documents import read_json, read_toml, tomllib

N = 20_000
#: Ways to hide what is deep from a reader that does not know how TOML writes strings.
BEFORE = (
    "",
    'a = "]}"\n',
    "a = '\\'\n",
    'a = """x"""""\n',
    "a = '''x'''''\n",
    'a = "\\\\"\n',
    'a = "\\""\n',
    '# "\n',
    "# '''\r\n",
    'a = """\n"\n"""\n',
    '"a\'" = 1\n',
    'a = ["""b"""", 1]\n',
)
DEEP = {
    "bare": "k" + ".a" * N + " = 1",
    "quoted": "k" + '."a"' * N + " = 1",
    "literal": "k" + ".'a'" * N + " = 1",
    "spaced": "k" + " . a" * N + " = 1",
    "table": "[k" + ".a" * N + "]",
    "tables": "[[k" + ".a" * N + "]]",
    "inline": "k = { k" + ".a" * N + " = 1 }",
    "array": "k = [{ k" + ".a" * N + " = 1 }]",
    "arrays": "k = " + "[" * N + "]" * N,
    "braces": "k = " + "{k=" * N + "1" + "}" * N,
    "digits": "k = " + "1" * N,
    "hexadecimal": "k = 0x" + "f" * N,
    "word": "k" * N + " = 1",
}


@pytest.mark.parametrize("deep", DEEP)
@pytest.mark.parametrize("before", BEFORE)
def test_toml_that_is_deep_is_refused_and_takes_no_memory(tmp_path, before, deep):
    path = tmp_path / "board.toml"
    text = before + DEEP[deep]
    path.write_bytes(text.encode())
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="expected"):
            read_toml(path)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("before", BEFORE)
def test_what_comes_before_is_toml(before):
    tomllib.loads(before)


def test_a_key_of_a_board_has_few_parts(tmp_path):
    path = tmp_path / "board.toml"
    path.write_text("[[boards]]\nwaits" + ".a" * 10_000 + " = 1\n")
    with pytest.raises(ValueError, match=r"board.toml.*at most 8 parts, got one of 10,001"):
        find_board(str(path))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@given(VALUES)
def test_json_of_ordinary_depth_is_read_as_it_was_written(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("json") / "x.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert read_json(path) == value


@given(st.dictionaries(st.text(min_size=1, max_size=6), st.text(max_size=20), max_size=6))
def test_toml_of_any_texts_is_read_as_it_was_written(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("toml") / "x.toml"
    lines = [f"{json.dumps(key)} = {json.dumps(value)}\n" for key, value in table.items()]
    text = "".join(lines).replace("\x7f", "\\u007f")
    path.write_text(text, encoding="utf-8")
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # TOML has no surrogates
        return
    assert read_toml(path) == expected


@pytest.mark.parametrize(
    "text", ["[" * N, '{"a":' * N, '["]",' + "[" * N, '["\\"",' + "[" * 100 + "]" * 100]
)
def test_json_that_is_deep_is_refused(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match="expected at most 64 brackets in each other"):
        read_json(tmp_path / "x.json")


@pytest.mark.parametrize("read", [read_json, read_toml])
def test_a_large_file_is_refused_before_it_is_read(tmp_path, read):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match=r"expected at most [0-9,]+ bytes, got 1,099,511,627,776"):
        read(path)
