"""Users' own C++ kernels, unmodified: compiled against their TFLM, run in the arena."""
