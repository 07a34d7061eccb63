"""Interpreters: a model, its operators and a host context put together."""
