"""Common parts of families of operators; no operators."""
