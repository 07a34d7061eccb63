"""Costs of ESP-NN's kernels: generic C loop by loop; the chips' assembly as others measured it."""
