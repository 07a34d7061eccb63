"""Bytes to models and back."""
