from typing import Any

ffi: Any
lib: Any
Shortcut: Any
shortened: Any
rows: Any
tensor_rows: Any
know_arrays: Any
fill_struct: Any
