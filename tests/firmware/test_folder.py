"""A folder that is written whole."""

from __future__ import annotations

import json
import os

import pytest

from arenite.firmware.folder import write_folder

OLD = {"a.txt": "a", "src/b.c": "b", "arenite.json": json.dumps({"files": ["a.txt", "src/b.c"]})}


def contents(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def test_a_new_folder_has_all_files_and_nothing_lies_beside_it(tmp_path):
    write_folder(tmp_path / "x" / "y", OLD)
    assert contents(tmp_path / "x" / "y") == dict(sorted(OLD.items()))
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["y"]


def test_what_an_earlier_export_left_over_goes_and_what_is_mine_stays(tmp_path):
    write_folder(tmp_path, OLD)
    (tmp_path / "mine.txt").write_text("mine")
    write_folder(tmp_path, {"a.txt": "new", "arenite.json": "{}"})
    assert contents(tmp_path) == {"a.txt": "new", "arenite.json": "{}", "mine.txt": "mine"}
    assert not (tmp_path / "src").exists()


def test_a_manifest_cannot_name_files_outside(tmp_path):
    (tmp_path / "precious").write_text("p")
    folder = tmp_path / "x"
    files = ["../precious", str(tmp_path / "precious"), "a\0", 7, "", "..\\precious", "C:precious"]
    for name in ("..\\precious", "C:precious"):  # only here these are names in the folder
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("p")
    (folder / "arenite.json").write_text(json.dumps({"files": files}))
    write_folder(folder, {"arenite.json": "{}"})
    assert (tmp_path / "precious").read_text() == "p"
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize("broken", ["", "[", "[]", '{"files": {"a": 1}}'])
def test_a_broken_manifest_is_replaced(tmp_path, broken):
    (tmp_path / "arenite.json").write_text(broken)
    write_folder(tmp_path, OLD)
    assert contents(tmp_path) == dict(sorted(OLD.items()))


@pytest.mark.parametrize("there", [False, True], ids=["new", "exported before"])
def test_an_interrupted_export_leaves_what_was_there(tmp_path, there, monkeypatch):
    folder = tmp_path / "x"
    if there:
        write_folder(folder, OLD)

    def interrupted(self, data):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, {"a.txt": "new", "arenite.json": "{}"})
    assert folder.exists() == there
    assert contents(tmp_path) == ({f"x/{k}": v for k, v in sorted(OLD.items())} if there else {})


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(FileExistsError, match="expected a folder, got the file"):
        write_folder(tmp_path / "x", OLD)
    assert (tmp_path / "x").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_an_error_and_stays(tmp_path):
    write_folder(tmp_path / "x", OLD)
    (tmp_path / "x").chmod(0o555)
    with pytest.raises(PermissionError):
        write_folder(tmp_path / "x", {"arenite.json": "{}"})
    assert contents(tmp_path / "x") == dict(sorted(OLD.items()))
