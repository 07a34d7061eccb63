"""README and docs: what they show works as typed, what is generated is up to date."""

import doctest
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import arenite as ar
from arenite.cli import app

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
FOLDERS = ("src", "csrc", "cmake", "tests", "docs", "examples", "benchmarks", "tools")
README = (ROOT / "README.md").read_text(encoding="utf-8")
CUSTOM = (ROOT / "docs" / "custom-operators.md").read_text(encoding="utf-8")


def test_every_page_is_named_in_the_readme():
    pages = [page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md")]
    assert [page for page in pages if f"({page})" not in README] == []


def test_every_page_is_in_the_site_s_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert [page for page in pages if f": {page}\n" not in navigation] == []


def test_every_public_name_is_in_the_api_or_the_error_index():
    api = set(re.findall(r"^::: arenite\..*?(\w+)$", (DOCS / "api.md").read_text("utf-8"), re.M))
    errors = set(re.findall(r"^## (\w+)$", (DOCS / "errors.md").read_text("utf-8"), re.M))
    assert api | errors == set(ar.__all__) - {"__version__"}
    assert errors == {name for name in ar.__all__ if is_exception(getattr(ar, name))}


def is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


RUN = ["start.md", *(f"recipes/{page.name}" for page in sorted((DOCS / "recipes").glob("*.md")))]


@pytest.mark.parametrize("page", RUN)
def test_the_python_of_recipes_runs_as_typed(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    namespace: dict[str, object] = {"__name__": page}
    for block in blocks((DOCS / page).read_text(encoding="utf-8"), "python"):
        exec(compile(block, page, "exec"), namespace)


def test_the_recipe_for_ci_passes(tmp_path):
    (block,) = blocks((DOCS / "recipes" / "ci.md").read_text(encoding="utf-8"), "python")
    file = tmp_path / "test_recipe.py"
    file.write_text(block, encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    command = [sys.executable, "-m", "pytest", *options, str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "4 passed" in done.stdout) == (0, True), done.stdout


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_the_readme_s_python_runs_as_typed(monkeypatch, capsys, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)  # it writes a firmware
    namespace: dict[str, object] = {"__name__": "readme"}
    for block in blocks(README, "python"):
        exec(compile(block, "README.md", "exec"), namespace)
    assert namespace["digit"] == 7
    assert (tmp_path / "firmware" / "digits" / "src" / "model.h").exists()
    assert capsys.readouterr().out.startswith("a 7\n")


def test_the_readme_s_command_says_what_it_shows():
    (block,) = blocks(README, "console")
    command, _, output = block.partition("\n")
    result = CliRunner().invoke(app, shlex.split(command)[2:], env={"COLUMNS": "80"})
    assert (result.exit_code, result.stdout) == (0, output)


def test_the_python_in_speed_md_runs_as_typed(monkeypatch):
    monkeypatch.chdir(ROOT)
    namespace: dict[str, object] = {"__name__": "speed"}
    for block in blocks((ROOT / "docs" / "speed.md").read_text(encoding="utf-8"), "python"):
        exec(compile(block, "speed.md", "exec"), namespace)
    assert namespace["y"].shape == namespace["p"].shape == (1000, 10)
    assert (namespace["y"].dtype, namespace["p"].dtype) == ("int8", "float32")


def test_the_custom_operator_runs_as_typed(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    namespace: dict[str, object] = {"__name__": "custom"}
    for block in blocks(CUSTOM, "python"):
        exec(compile(block, "custom-operators.md", "exec", dont_inherit=True), namespace)
    assert capsys.readouterr().out == "[-65, -17, 19, 46, 66]\n"


def test_the_custom_operator_is_short_and_uses_every_kind_of_memory():
    (block,) = [b for b in blocks(CUSTOM, "python") if "def invoke" in b]
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) < 25
    for word in ("init", "prepare", "invoke", "persistent", "scratch"):
        assert word in block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_commands_exist(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"(?:`|^    )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize(
    ("script", "function", "page"),
    [
        ("make_cost.py", "page", "docs/board.md"),
        ("make_exports.py", "page", "docs/firmware.md"),
        ("make_exports.py", "board", "docs/board.md"),
        ("make_exports.py", "readme", "README.md"),
        ("make_errors.py", "page", "docs/errors.md"),
        ("make_files.py", "page", "docs/files.md"),
        ("make_operators.py", "page", "docs/operators.md"),
        ("make_operator_times.py", "page", "docs/speed.md"),
        ("make_optimize.py", "page", "docs/optimize.md"),
        ("make_lower.py", "page", "docs/lower.md"),
        ("make_times.py", "page", "docs/compared.md"),
        ("make_times.py", "speed", "docs/speed.md"),
    ],
)
def test_generated_pages_are_up_to_date(script, function, page, monkeypatch):
    monkeypatch.chdir(ROOT)
    module = runpy.run_path(str(ROOT / "docs" / script))
    made = module[function]()
    assert (ROOT / page).read_text(encoding="utf-8") == made, "run `make docs`"


def test_the_picture_of_the_arena_is_up_to_date(tmp_path):
    model, picture = "examples/digits/digits_int8.tflite", tmp_path / "made.svg"
    result = CliRunner().invoke(
        app, ["memory", str(ROOT / model), "--target", "m4", "--svg", str(picture)]
    )
    assert result.exit_code == 0
    committed = ROOT / "docs" / "images" / "digits_arena.svg"
    assert committed.read_text(encoding="utf-8") == picture.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page):
    named = set(re.findall(r"`([\w./-]+\.(?:py|md|svg|json|txt|tflite))`", page.read_text("utf-8")))
    files = [path.as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    files += [path.as_posix() for path in ROOT.iterdir()]
    assert {name for name in named if not any(f.endswith(f"/{name}") for f in files)} == set()


@pytest.mark.parametrize("page", ["board.md", "conv2d.md", "memory.md"])
def test_python_sessions_say_what_they_show(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    sessions = blocks((ROOT / "docs" / page).read_text(encoding="utf-8"), "pycon")
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, page, page, 0)
    failures: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=failures.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(failures)


@pytest.mark.parametrize(
    ("script", "picture"),
    [
        ("make_memory.py", "arena_steps"),
        ("make_conv2d.py", "conv_smlad"),
        ("make_firmware.py", "firmware_columns"),
    ],
)
def test_the_pictures_of_pages_are_up_to_date(script, picture):
    made = dict(runpy.run_path(str(ROOT / "docs" / script))["figures"]())
    assert picture in {path.stem for path in made}
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make docs`"
