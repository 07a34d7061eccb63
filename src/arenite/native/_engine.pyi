from typing import Any

ffi: Any
lib: Any
Shortcut: Any
shortened: Any
rows: Any
tensor_rows: Any
eval_tensors: Any
know_arrays: Any
multipliers: Any
all_params_of: Any
are_plain: Any
in_order: Any
know_numbers: Any
find_step: Any
greedy_places: Any
make_struct: Any
