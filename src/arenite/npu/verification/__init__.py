"""A command stream verified and read into operations, for whichever NPU it is."""
