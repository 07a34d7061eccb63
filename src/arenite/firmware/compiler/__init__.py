"""The compiler of emulated firmware: zig's clang (extra ``board``)."""
