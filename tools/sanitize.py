"""Runs the tests of the native kernels on a build with AddressSanitizer and UBSan.

``python tools/sanitize.py BUILD_FOLDER``. zig's clang instruments the kernels and brings the
runtime of UndefinedBehaviorSanitizer; that of AddressSanitizer is clang's own, from the
wheel of atheris (``asan_with_fuzzer.so``), and must be in the process before all else.
:mod:`tests.native.sanitizer` puts the build in the engine's place.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = "asan_with_fuzzer.so"
TESTS = ("tests/native", "tests/runtime/test_npu_steps.py", "tests/npu/test_damage.py")


def runtime() -> Path | None:
    """AddressSanitizer's runtime, if there is one for this machine."""
    spec = find_spec("atheris")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.parent / RUNTIME
    return path if path.exists() else None


def build(folder: Path, *options: str) -> Path:
    """Build the extension module with both sanitizers; its path."""
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    configure = [
        "cmake",
        "-S",
        str(ROOT),
        "-B",
        str(folder),
        "-G",
        "Ninja",
        "-DARENITE_SANITIZE=ON",
    ]
    run([*configure, f"-DPython_EXECUTABLE={sys.executable}", *options], env=tools)
    run(["cmake", "--build", str(folder)], env=tools)
    return next(folder.glob("_engine*.so"))


def run(command: list[str], env: dict[str, str]) -> None:
    """Run a command; show what it printed only if it fails."""
    done = subprocess.run(command, env=env, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def environment_of(asan: Path, engine: Path, *options: str) -> dict[str, str]:
    """What Python is started with; ``options`` are more ones of AddressSanitizer."""
    return {
        **os.environ,
        "LD_PRELOAD": str(asan),
        # Python frees little at exit. NumPy's cache of small arrays would hide their ends.
        "ASAN_OPTIONS": ":".join(("detect_leaks=0", "allocator_may_return_null=1", *options)),
        "PYTHONMALLOC": "malloc",
        "ARENITE_SANITIZED_ENGINE": str(engine),
    }


def main() -> int:
    """Build, then run the tests; the status of the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", default="auto")
    parser.add_argument("tests", nargs="*", default=TESTS)
    options = parser.parse_args()
    asan = runtime()
    if asan is None:
        print(f"sanitize: {RUNTIME} of atheris is not installed (Linux on x86-64 has it)")
        return 1
    engine = build(options.folder.resolve())
    environment = environment_of(asan, engine)
    pytest = [sys.executable, "-m", "pytest", "--capture=sys", "-p", "tests.native.sanitizer"]
    return subprocess.run(
        [*pytest, "-n", options.jobs, *options.tests], env=environment, cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
