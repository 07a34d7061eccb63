"""Integer arithmetic of quantised kernels, written once."""
