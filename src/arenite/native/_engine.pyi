from typing import Any

ffi: Any
lib: Any
Shortcut: Any
shortened: Any
rows: Any
