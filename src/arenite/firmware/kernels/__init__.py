"""Kernels of exported firmware: a folder per kind of instruction set."""
