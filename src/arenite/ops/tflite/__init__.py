"""The builtin operators of TFLM, one file each, named like the operator in lower case."""
