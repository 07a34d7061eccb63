"""Facts about a model turned into text and pictures."""
