"""Prints the path of zig's compiler, and what it shall compile for: this Python's platform."""

import re
import sysconfig
from pathlib import Path

import ziglang

# glibc 2.17 is the oldest that today's wheels are made for (manylinux2014).
LIBRARIES = {"gnu": "gnu.2.17", "musl": "musl"}

found = re.search(r"(x86_64|aarch64)-linux-(gnu|musl)\b", sysconfig.get_config_var("EXT_SUFFIX"))
target = f"{found[1]}-linux-{LIBRARIES[found[2]]}" if found else "native"
print(f"{Path(ziglang.__file__).with_name('zig')};{target}", end="")
