"""``arenite export`` into a folder that is there: nothing is lost, here or elsewhere."""

import json
from hashlib import sha256

import pytest

LIBRARIES = {"arenite": ["--no-emulate"], "tflm": ["--library", "tflm"]}
#: What users of a folder may change, one of each kind of folder and what both have.
CHANGEABLE = [
    ("tflm", "src/main.cc"),
    ("tflm", "README.md"),
    ("arenite", "README.md"),
    ("arenite", "Makefile"),
    ("arenite", "test/main.c"),
    ("arenite", "examples/selftest/selftest.ino"),
]


@pytest.fixture
def export(arenite, model_file, tmp_path):
    """``export(library, ...)`` writes the same folder, which is given with the result."""

    def call(library, *options):
        folder = tmp_path / "out"
        arguments = ("export", model_file, "-o", folder, *LIBRARIES[library], *options)
        return arenite(*arguments), folder

    return call


def contents(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.mark.parametrize(("library", "path"), CHANGEABLE)
def test_a_file_that_the_user_changed_stays_and_it_is_said(export, library, path):
    _, folder = export(library)
    as_written = contents(folder)
    (folder / path).write_text("mine")
    result, _ = export(library, "--json")
    assert result.exit_code == 0
    assert contents(folder) == {**as_written, path: b"mine"}
    assert result.stderr.startswith(f"warning: {path} was changed since it was exported and stays")
    assert json.loads(result.stdout)["kept"] == [path]


@pytest.mark.parametrize(
    ("library", "path"), [("tflm", "src/digits_model.h"), ("arenite", "src/kernels.c")]
)
def test_a_changed_source_is_an_error_and_nothing_is_written(export, library, path):
    _, folder = export(library)
    (folder / path).write_text("mine")
    before = contents(folder)
    result, _ = export(library)
    assert result.exit_code == 1
    assert f"'{path}' in" in result.stderr
    assert "was changed since it was exported" in result.stderr
    assert contents(folder) == before


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_nobody_changed_is_written_anew_without_a_word(export, library):
    export(library, "--name", "one")
    result, folder = export(library, "--name", "two")
    assert (result.exit_code, result.stderr) == (0, "")
    assert not (folder / "src" / "one_model.h").exists()
    assert (folder / "src" / "two_model.h").exists()


def linked(place, to):
    try:
        place.symlink_to(to)
    except OSError:
        pytest.skip("no links here")


@pytest.mark.parametrize("name", ["src", "src/model.h", "README.md", "zephyr", "arenite.json"])
def test_a_link_in_the_folder_leads_nowhere(export, tmp_path, name):
    _, folder = export("arenite")
    (folder / name).rename(tmp_path / "elsewhere")
    linked(folder / name, tmp_path / "elsewhere")
    before = contents(tmp_path)
    result, _ = export("arenite")
    assert result.exit_code == 1
    assert f"'{name}' in" in result.stderr
    assert "got a link; nothing was written" in result.stderr
    assert contents(tmp_path) == before


def test_a_manifest_and_a_link_of_somebody_else_neither_delete_nor_overwrite(export, tmp_path):
    """Of files that the manifest knows by their digests, as a hostile one would."""
    folder, home = tmp_path / "out", tmp_path / "home"
    home.mkdir()
    for name in ("model.h", "model.c", "notes.h"):
        (home / name).write_text("mine")
    folder.mkdir()
    linked(folder / "src", home)
    names = [*(f"src/{path.name}" for path in home.iterdir()), "../home/notes.h", str(home)]
    said = {"files": names, "digests": dict.fromkeys(names, sha256(b"mine").hexdigest())}
    (folder / "arenite.json").write_text(json.dumps(said))
    for library in LIBRARIES:
        result, _ = export(library)
        assert result.exit_code == 1
        assert contents(home) == dict.fromkeys(("model.c", "model.h", "notes.h"), b"mine")


def test_a_link_to_the_folder_itself_is_followed(arenite, model_file, tmp_path):
    (tmp_path / "real").mkdir()
    linked(tmp_path / "link", tmp_path / "real")
    result = arenite("export", model_file, "-o", tmp_path / "link", *LIBRARIES["tflm"])
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "real" / "src" / "main.cc").exists()
