"""MNN's operators as Arenite's."""
