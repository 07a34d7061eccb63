"""The README's Python, type-checked as a user would: ``python tools/readme_types.py``.

All blocks are one script, since each uses what those before it have made. mypy is strict. pyright's
rules are checked where ``basedpyright`` is installed, which brings all that it needs (``pyright``
itself fetches Node when it is first run).
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent


def script(page: Path) -> str:
    """The page's Python, every line where the page has it."""
    lines = []
    is_python = False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = re.match(r"```(\w*)", line)
        if fence:
            is_python = fence[1] == "python"
        lines.append(line if is_python and not fence else "")
    return "\n".join(lines) + "\n"


def main() -> int:
    """The worst exit code of the checkers; what they say is printed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "README.py"
        file.write_text(script(ROOT / "README.md"), encoding="utf-8")
        checkers = [
            ["mypy", "--strict", "--config-file=", f"--cache-dir={ROOT}/.mypy_cache/readme"]
        ]
        if find_spec("basedpyright"):
            checkers.append(["basedpyright", "--level=error", f"--pythonpath={sys.executable}"])
        scripts = sysconfig.get_path("scripts")
        codes = [
            subprocess.run([f"{scripts}/{name}", *options, str(file)], check=False).returncode
            for name, *options in checkers
        ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
