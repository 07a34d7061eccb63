"""The project's own linter: what DESIGN says of layers, files and names, as tests."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import arenite

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "arenite"
MODULES = sorted(PACKAGE.rglob("*.py"))
OPERATORS = [
    path
    for namespace in ("ops/tflite", "mnn/operators", "ops/signal", "ops/custom")
    for path in sorted((PACKAGE / namespace).glob("*.py"))
    if path.stem != "__init__"
]

#: Lowest layer first. A unit (file or folder of the package) may import units of lower
#: layers and itself, nothing else. "" is ``arenite/__init__.py``: the public names.
LAYERS = (
    {"errors", "hooks", "options"},
    {
        "files",
        "numeric",
        "processes",
        "callable_modules",
        "cores",
        "wings",
        "accelerators",
        "quantity",
        "sdks",
    },
    {"library_facts", "documents", "revisions"},
    {"model", "target", "boards"},
    {"native"},
    {"emulator"},
    {"memory", "npu"},
    {"ops"},
    {"formats", "c_text"},
    {"kernels"},
    {"libraries"},
    {"runtime"},
    {"peers"},
    {"optimize"},
    {"analysis"},
    {"firmware"},
    {"quantize"},
    {"mnn", "litert", "tflm", "report"},
    {""},
    {"cli"},
    {"__main__"},
)
RANK = {unit: rank for rank, units in enumerate(LAYERS) for unit in units}


def name_of(path: Path) -> str:
    """``src/arenite/ops/tflite/conv_2d.py`` -> ``arenite.ops.tflite.conv_2d``."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def unit_of(module: str) -> str:
    """``arenite.ops.tflite.conv_2d`` -> ``ops``; the package itself -> ``""``."""
    return module.split(".")[1] if "." in module else ""


def imports_of(module: str, source: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """Line and name of every module of the package that ``source`` imports, anywhere."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: relative import"
            names = [submodule_or_parent(node.module or "", a.name, known) for a in node.names]
        else:
            continue
        yield from ((node.lineno, n) for n in names if n.split(".")[0] == "arenite")


def submodule_or_parent(parent: str, name: str, known: set[str]) -> str:
    """What ``from parent import name`` imports: a module, or something from the parent."""
    return f"{parent}.{name}" if f"{parent}.{name}" in known else parent


KNOWN = {name_of(path) for path in MODULES}


def imports_in(path: Path) -> list[tuple[int, str]]:
    return list(imports_of(name_of(path), path.read_text(encoding="utf-8"), KNOWN))


def upward(module: str, source: str, known: set[str] = KNOWN) -> list[str]:
    """Imports of ``module`` that its layer does not allow, as ``line: name``."""
    own = unit_of(module)
    return [
        f"{line}: {name}"
        for line, name in imports_of(module, source, known)
        if unit_of(name) != own and RANK[unit_of(name)] >= RANK[own]
    ]


# -- the layers --------------------------------------------------------------------------


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path):
    assert unit_of(name_of(path)) in RANK, "give the new unit its layer in LAYERS"
    assert upward(name_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("arenite.model.types", "from arenite.ops import Node", ["1: arenite.ops"]),
        ("arenite.model.types", "def f():\n  import arenite.cli", ["2: arenite.cli"]),
        ("arenite.ops.tflite.add", "from arenite import runtime", ["1: arenite.runtime"]),
        ("arenite.ops.tflite.add", "from arenite import load", ["1: arenite"]),
        ("arenite.native.record", "import arenite.memory", ["1: arenite.memory"]),
        ("arenite.ops.tflite.add", "from arenite.ops import context\nimport numpy", []),
        ("arenite.cli.info", "import arenite as ar", []),
    ],
)
def test_the_check_of_imports_finds_what_it_should(module, source, found):
    assert upward(module, source, KNOWN | {"arenite.runtime"}) == found


PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def first_column(heading: str) -> list[str]:
    """What the rows of the table under a heading of the page are about."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert rows, heading
    return rows


def test_the_page_lists_the_layers():
    layers = tuple(set(re.findall(r"`(\w+)`", row)) for row in first_column("Layers"))
    assert layers == tuple({unit or "__init__" for unit in units} for units in LAYERS)


def test_the_page_has_a_row_for_every_room():
    rooms = {path.parent.relative_to(PACKAGE).as_posix() for path in MODULES} - {"."}
    assert sorted(row.strip() for row in first_column("Rooms")) == sorted(f"`{r}/`" for r in rooms)


def test_the_page_of_the_engine_has_a_row_for_every_folder():
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {folder for row in rows for folder in re.findall(r"`([\w/]+)/`", row)}
    files = {path.parent for path in (ROOT / "csrc").rglob("*.[ch]")}
    folders = {path.relative_to(ROOT / "csrc").as_posix() for path in files}
    # The row of include/ names its only header.
    assert named == folders - {"include"}


@pytest.mark.parametrize("path", sorted((PACKAGE / "report").rglob("*.py")), ids=name_of)
def test_reports_draw_and_compute_nothing(path):
    units = {unit_of(name) for _, name in imports_in(path)}
    assert units & {"runtime", "native", "numeric", "formats"} == set()


SHARED = sorted((PACKAGE / "ops" / "shared").glob("*.py"))


@pytest.mark.parametrize("path", [*OPERATORS, *SHARED], ids=name_of)
def test_no_operator_is_imported_by_another_or_by_what_they_share(path):
    others = {name_of(other) for other in OPERATORS}
    assert [f"{line}: {name}" for line, name in imports_in(path) if name in others] == []


# -- kernel libraries ---------------------------------------------------------------------

LIBRARIES = {path.parent.name for path in (PACKAGE / "libraries").glob("*/__init__.py")}


def named_libraries(module: str, source: str, known: set[str] = KNOWN) -> list[str]:
    """Imports of a library's own room from outside of ``libraries/``, as ``line: name``."""
    if unit_of(module) == "libraries":
        return []
    rooms = {f"arenite.libraries.{name}" for name in LIBRARIES}
    return [
        f"{line}: {name}"
        for line, name in imports_of(module, source, known)
        if any(f"{name}.".startswith(f"{room}.") for room in rooms)
    ]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_other_room_imports_a_library_by_name(path):
    assert named_libraries(name_of(path), path.read_text(encoding="utf-8")) == []


def test_the_check_of_libraries_finds_what_it_should():
    source = "from arenite.libraries.tflm import FACTS\nimport arenite.libraries.library"
    assert named_libraries("arenite.cli.cost", source) == ["1: arenite.libraries.tflm"]
    assert named_libraries("arenite.libraries.library", source) == []


# -- processes ---------------------------------------------------------------------------

#: Modules, and functions of ``os``, that start processes.
STARTERS = {"subprocess", "multiprocessing", "pty", "_posixsubprocess", "_winapi"}
STARTING = re.compile(
    r"os\.(fork|forkpty|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|popen|system|startfile)"
    r"|platform\.processor|.*\.(ProcessPoolExecutor|find_library|create_subprocess_(exec|shell)|subprocess_(exec|shell))"
)


def starts_of(source: str) -> list[str]:
    """What starts a process in ``source``, as ``line: name``."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module.split(".")[0], *(f"{module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            names = [f"{ast.unparse(node.value)}.{node.attr}"]
        else:
            continue
        starts = [n for n in names if n in STARTERS or STARTING.fullmatch(n)]
        found += [f"{node.lineno}: {name}" for name in starts]
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_one_room_starts_processes(path):
    if unit_of(name_of(path)) != "processes":
        assert starts_of(path.read_text(encoding="utf-8")) == []


def test_the_check_of_processes_finds_what_it_should():
    source = "import subprocess as s\nfrom multiprocessing.pool import Pool\nimport os; os.execv(a)"
    source += "\nfrom concurrent.futures import Executor, ProcessPoolExecutor"
    assert starts_of(source) == [
        "1: subprocess",
        "2: multiprocessing",
        "4: concurrent.futures.ProcessPoolExecutor",
        "3: os.execv",
    ]


def is_cache(path: Path, folder: Path) -> bool:
    """Whether a tool keeps ``path`` for itself: ``__pycache__``, ``.hypothesis`` ..."""
    return any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)


# -- files -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", OPERATORS, ids=name_of)
def test_every_operator_has_a_test_file(path):
    folder = ROOT / "tests" / path.parent.relative_to(PACKAGE)
    assert (folder / f"test_{path.stem.rstrip('_')}.py").exists()


TESTS = sorted(path for path in (ROOT / "tests").rglob("*.py") if not is_cache(path, ROOT))
#: Folders of tests without a room in the package.
NO_ROOM = {"tools", "digests", "examples", "fuzz", "mnn/scripts", "report/browser", "scripts"}


def imported_tests(source: str) -> list[str]:
    """Modules of tests that ``source`` imports, as ``line: name``."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found += [f"{node.lineno}: {name}" for name in names if ".test_" in f".{name}"]
    return found


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_tests_share_does_not_live_in_a_test_file(path):
    names = imported_tests(path.read_text(encoding="utf-8"))
    assert [name for name in names if ": tests." in name] == []


def test_the_check_of_shared_tests_finds_what_it_should():
    source = "from tests.a.test_b import f\nfrom tests.a import test_b, add\nimport c.test_d"
    assert imported_tests(source) == [
        "1: tests.a.test_b.f",
        "2: tests.a.test_b",
        "3: c.test_d",
    ]


def test_tests_have_the_rooms_of_the_package():
    folders = {path.parent.relative_to(ROOT / "tests").as_posix() for path in TESTS}
    rooms = {path.parent.relative_to(PACKAGE).as_posix() for path in MODULES}
    assert folders - NO_ROOM - rooms == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_files_are_written_where_errors_name_them(path):
    """By ``arenite.files``: a full disk does not say which file it has no room for."""
    source = path.read_text(encoding="utf-8")
    assert re.findall(r"\.write_(?:bytes|text)\(", source) == []


#: Where a record is asked for through ``Any``: it is another operator's, or was looked at before.
UNTYPED = {"ops/shared/loop_order.py", "optimize/_channel_links.py"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_nodes_parameters_have_their_records_type(path):
    """``params: PadParams = node.params``: mypy then finds all uses of a field that is renamed."""
    found = re.findall(r"\bnode\.params\.\w+", path.read_text(encoding="utf-8"))
    assert found == [] or path.relative_to(PACKAGE).as_posix() in UNTYPED


def test_no_source_file_is_longer_than_500_lines():
    lengths = {name_of(p): len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES}
    assert {name: n for name, n in lengths.items() if n > 500} == {}


def test_no_two_c_files_have_the_same_name():
    """But for those of instruction sets, whose folders hold the same roles."""
    files = list((ROOT / "csrc").rglob("*.[ch]"))
    shared = [path for path in files if not path.match("simd/*/*") or path.match("templates/*")]
    in_simd = {path.name for path in set(files) - set(shared)}
    names = [path.name for path in shared] + sorted(in_simd)
    assert len(names) > 100
    assert [name for name in names if names.count(name) > 1] == []


def test_every_public_name_is_documented():
    undocumented = [
        name
        for name in getattr(arenite, "__all__", [])
        if not name.startswith("__") and not inspect.getdoc(getattr(arenite, name))
    ]
    assert undocumented == []


#: First words of docstrings that ask or point instead of naming the thing.
QUESTIONS = {"How", "So", "That", "What", "When", "Which", "Who", "Whose", "Why"}


def questions_in(source: str) -> list[str]:
    """Lines of docstrings that open with a question, and their first words."""
    return [
        f"{node.body[0].lineno}: {words[0]}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and (words := (ast.get_docstring(node) or "").split())
        and words[0] in QUESTIONS
    ]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_docstrings_name_the_thing(path):
    assert questions_in(path.read_text(encoding="utf-8")) == []


def test_the_check_of_docstrings_finds_questions():
    source = '"""Rows."""\ndef f():\n  """How many rows."""\nclass C:\n  """Who\n\n  reads."""\n'
    assert sorted(questions_in(source)) == ["3: How", "5: Who"]


# -- what comes from anybody goes through one place ----------------------------------------

#: What reads archives or prints, and the only modules that do it themselves.
ONE_PLACE = {
    r"\b(?:np|numpy)\.load\(|lib\.format\.(?:read|open)": set(),
    r"\bzipfile\.ZipFile\(": {"analysis/inputs/npz.py", "cli/run.py"},  # the other one writes
    r"\bConsole\(": {"cli/common.py"},
    # Of our own making alone: questions to a worker, models for other machines, kept chunks.
    r"\bpickle\.loads?\b": {"analysis/evaluation/workers.py", "processes/workers.py"},
    # Elsewhere files are read by ``arenite.files``, which waits for no pipe and takes no device.
    r"(?<![\w.])(?:os\.)?open\(": {
        "files.py",
        "analysis/evaluation/kept.py",  # to write
        "peers/packages.py",  # the null device
        "firmware/folder/places.py",  # within an open folder, no links, no pipes
        "mnn/session/tensor.py",  # memory
        "processes/children.py",  # from here on our own pipes, locks and verdicts
        "processes/folders.py",
        "processes/inside.py",
        "processes/verdict.py",
        "peers/process.py",  # a method of a peer
    },
    r"\w\.open\(|\)\.open\(": {
        "analysis/inputs/media.py",  # these two: what open_regular has opened
        "analysis/inputs/npz.py",
        "cli/fit.py",  # to write
        "cli/run.py",  # to write
        "emulator/qemu.py",  # its own log
        "libraries/cmsis_nn/cost/steps.py",  # these two: tables of the package
        "libraries/esp_nn/cost/estimate.py",
        "peers/process.py",  # a peer
        *("analysis/evaluation/kept.py", "files.py", "firmware/folder/places.py"),
        *("peers/packages.py", "processes/folders.py", "processes/verdict.py"),
    },
    r"\.read_(?:text|bytes)\(": {
        "analysis/machine.py",  # /proc/cpuinfo
        "c_text.py",  # from here on files of the package
        "firmware/compiled/source.py",
        "libraries/cmsis_nn/kernels.py",
        "native/_build.py",
        "report/page/document.py",
        "revisions/known.py",
        "sdks/find.py",
    },
    r"\b(?:fromfile|memmap|genfromtxt|loadtxt|imread|run_path|SourceFileLoader)\(": set(),
}


@pytest.mark.parametrize("pattern", ONE_PLACE)
def test_files_from_anybody_are_read_and_printed_in_one_place(pattern):
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }
    assert found == ONE_PLACE[pattern]


# -- nothing of a developer's machine ----------------------------------------------------

MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|home|tmp|work)/")
CODE = {".py", ".c", ".h", ".cmake", ".sh", ""}
TEXT = CODE | {".md", ".toml", ".yaml", ".json", ".ipynb", ".svg", ".txt", ".html"}


def text_files() -> list[Path]:
    folders = ("src", "tests", "docs", "examples", "benchmarks", "csrc", "cmake", "tools", ".ci")
    # In a worktree .git is a file, and names the repository's folder.
    files = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    for folder in folders:
        files += [path for path in (ROOT / folder).rglob("*") if not is_cache(path, ROOT / folder)]
    return sorted(path for path in files if path.suffix in TEXT and path.is_file())


def test_no_file_names_a_path_of_one_machine():
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []
