"""The example's scripts import each other by name, as they do when run from their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "digits"))
