"""A network as exported C sees it: its layers, and what a kernel says of one."""
