"""Manifests that say anything: a folder with one is read, shown, and exported into."""

import json
import random
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from arenite.errors import BoardError
from arenite.firmware.folder.exported import export_of
from arenite.firmware.folder.io_spec import ports_model
from arenite.firmware.folder.manifest import MANIFEST, manifest_of
from arenite.firmware.folder.writing import write_folder
from arenite.report.export import render_export
from arenite.report.text import shown

#: What is in the folder besides the manifest, and what is beside it; nothing may become of `mine`.
OURS = {"src/model.c": "one\n", "README.md": "two\n", "src/gone.c": "three\n"}
MINE = {"folder/mine.txt": "mine\n", "folder/src/mine.py": "mine\n", "beside.txt": "beside\n"}
NEW = {"src/model.c": "new\n", "README.md": "new\n", "src/main.cc": "new\n"}
PATHS = (*OURS, *MINE, "mine.txt", "src/mine.py", "../beside.txt", "/etc/hostname", "src", "src/..")
HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1 << 31, 1 << 62, 1 << 70, 1e300, 0.5, "", [], {}, [[]], {"a": 1}),
    *("\x1b[31m\x9b\u202e\n\x7f", "[red]x[/red]", "[link=http://x]x[/link]", "a" * 70_000, "m-1"),
    *("int8", "int4", "string", "rows", "kept", "tflm", "cortex-m4", *PATHS),
)


def outcome(data: bytes, root: Path) -> str:
    """What came of a manifest of these bytes: raises what must not be raised."""
    folder = root / "folder"
    for path, text in {**{f"folder/{path}": text for path, text in OURS.items()}, **MINE}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (folder / MANIFEST).write_bytes(data)
    try:
        said = _shown(folder)
        return f"{said}, {_written(folder)}"
    finally:
        lost = [path for path, text in MINE.items() if (root / path).read_text() != text]
        shutil.rmtree(root)
        if lost:
            raise RuntimeError(f"lost {lost}")


def _shown(folder: Path) -> str:
    try:
        facts = manifest_of(folder)
        result = export_of(facts, folder)
        _ = ports_model(facts, str(folder)), result.row_bytes, repr(result)
    except BoardError as error:
        _require_shown(str(error))
        return "refused"
    for line in render_export(replace(result, folder="x"), 80):
        _require_shown(shown(line).plain)
    return "read"


def _written(folder: Path) -> str:
    try:
        kept = write_folder(folder, NEW, {"files": list(NEW)})
    except FileExistsError:
        return "changed"
    new = {path: (folder / path).read_text() for path in NEW}
    if any(new[path] != (OURS[path] if path in kept else text) for path, text in NEW.items()):
        raise RuntimeError(f"kept {kept}, got {new}")
    return "kept" if kept else "written"


def _require_shown(text: str) -> None:
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in text):
        raise RuntimeError(f"a terminal would act on {text!r}")


def facts() -> dict[str, Any]:
    """A sound manifest of the folder."""
    port = {"name": "x", "type": "int8", "shape": [1, 4, 4, 3], "scale": 0.5, "zero_point": -1}
    layer = {
        **{"name": "ADD", "shapes": "int8[1]", "function": "f", "language": "c", "reason": ""},
        **{"index": 0, "constant_bytes": 1, "scratch_bytes": 0, "rows": 0, "instructions": None},
    }
    sizes = {"arena_bytes": 64, "constant_bytes": 8, "state_bytes": 0}
    return {
        **{"name": "m", "target": "cortex-m4", **sizes, "inputs": [port], "outputs": [port]},
        **{"layers": [layer], "files": list(OURS), "input_mode": "rows", "equal": True},
        "digests": {path: sha256(text.encode()).hexdigest() for path, text in OURS.items()},
    }


def seeds() -> list[bytes]:
    """Sound manifests, and some that are not quite."""
    sound = facts()
    tflm = {"library": "tflm", "model_bytes": 4, "operators": 1}
    rows = [sound, {**sound, **tflm}, {**sound, "digests": {}}, {**sound, "input_mode": "kept"}]
    rows.append({**sound, "before": sound["digests"], "digests": {"src/model.c": "0" * 64}})
    many = [mutated(json.dumps(sound).encode(), number) for number in range(60)]
    return [*(json.dumps(row).encode() for row in rows), *(one for one in many if one), b"[", b""]


def mutated(data: bytes, seed: int) -> bytes | None:
    """A manifest after one to three changes of what it says; None of what is none."""
    rng = random.Random(seed)
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        row = facts()
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = list(_places(row))
        if not places:
            return None
        within, key = rng.choice(places)
        match rng.randrange(4):
            case 0:
                del within[key]
            case 1 if isinstance(within, dict):
                within[rng.choice((*PATHS, *facts()))] = within[key]
            case 1:
                within.insert(0, within[key])
            case _:
                within[key] = rng.choice(HOSTILE)
    return json.dumps(row, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def _places(row: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(row) if isinstance(row, dict) else range(len(row)) if isinstance(row, list) else ()
    for key in keys:
        yield row, key
        yield from _places(row[key])
