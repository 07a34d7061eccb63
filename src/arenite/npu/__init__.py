"""Ethos-U: what Vela's files hold, without an NPU (``docs/ethos-u.md``)."""
