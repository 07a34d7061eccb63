"""A firmware's files as text: C, headers, self-test, README, project files."""
