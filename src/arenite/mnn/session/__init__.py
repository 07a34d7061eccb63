"""MNN's session API, a file per class, and the plan of a session."""
