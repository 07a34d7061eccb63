"""Users' C++ kernels in exported firmware."""
