"""Builds a wheel for every platform, the pure one and the sdist: ``tools/wheels.py FOLDER``.

``--only TAG`` builds one of them (several times: some), by the platform's tag, ``any``,
``sdist`` or ``here``. Everything is built on this machine, by zig's clang.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from platforms import BY_TAG, PURE, Platform, here

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "wheels"
SDIST, HERE = "sdist", "here"
HOOK = (
    "import json, sys, scikit_build_core.build as backend\n"
    "print(getattr(backend, sys.argv[1])(sys.argv[2], json.loads(sys.argv[3])))\n"
)


def call_hook(
    name: str,
    folder: Path,
    settings: dict[str, str],
    environment: dict[str, str],
    expected: str,
) -> Path:
    """Call one of the build backend's functions (PEP 517); the file that it made.

    Raises:
        SystemExit: It fails, or its file's name has another end: without the native engine, say.
    """
    command = [sys.executable, "-c", HOOK, name, str(folder), json.dumps(settings)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    made = (done.stdout.splitlines() or [""])[-1]
    if done.returncode or not made.endswith(expected):
        sys.exit(f"{done.stdout}\n{done.stderr}\n{name}: expected a file *{expected}, see above")
    return folder / made


def environment_for(tag: str) -> dict[str, str]:
    """In which the wheel of a platform is built: without the day, and without a CC."""
    environment = {name: value for name, value in os.environ.items() if name != "CC"}
    cache = str(BUILD / "zig")
    for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"):
        environment.setdefault(name, cache)
    environment.setdefault("SOURCE_DATE_EPOCH", last_change())
    if tag in BY_TAG:
        environment["_PYTHON_HOST_PLATFORM"] = tag  # scikit-build-core names the wheel by it
    return environment


def last_change() -> str:
    """When the last commit was made, in seconds."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def settings_for(platform: Platform) -> dict[str, str]:
    """What the build backend is told for a platform: CMake's variables of cross-compiling."""
    return {
        "build-dir": str(BUILD / platform.tag),
        "cmake.define.CMAKE_SYSTEM_NAME": platform.system,
        "cmake.define.CMAKE_SYSTEM_PROCESSOR": platform.processor,
        "cmake.define.ARENITE_TARGET": platform.target,
    }


def build(tag: str, folder: Path) -> Path:
    """Build one of them into a folder.

    Raises:
        SystemExit: It cannot be built, or got another name than it should.
    """
    environment = environment_for(tag)
    if tag == SDIST:
        return call_hook("build_sdist", folder, {}, environment, ".tar.gz")
    if tag == PURE:
        settings, expected = {"arenite.engine": "false"}, f"-py3-none-{PURE}.whl"
    else:
        settings, expected = settings_for(BY_TAG[tag]), f"-cp310-abi3-{tag}.whl"
    return call_hook("build_wheel", folder, settings, environment, expected)


def main() -> None:
    """Build what is asked for, one after the other."""
    everything = [SDIST, PURE, *BY_TAG]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", choices=[*everything, HERE])
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for asked in arguments.only or everything:
        tag = here().tag if asked == HERE else asked
        start = time.monotonic()
        made = build(tag, folder)
        seconds = time.monotonic() - start
        print(f"{made.name}  {made.stat().st_size / 1e6:.2f} MB  {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
