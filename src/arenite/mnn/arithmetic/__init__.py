"""Functions of MNN's operators, in NumPy."""
