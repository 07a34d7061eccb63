"""The boundary to compiled kernels (none yet)."""
