"""Users' C++ kernels in an exported firmware: their work, the C++ around them, their build."""
