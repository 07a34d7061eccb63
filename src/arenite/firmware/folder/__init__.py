"""An exported folder: written whole, and read back as data."""
