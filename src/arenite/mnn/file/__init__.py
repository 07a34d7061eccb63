"""The ``.mnn`` file: its tables, the verified net, its weights."""
