"""Commands and weights of U85, where they differ from those of U55 and U65."""
