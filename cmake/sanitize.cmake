# AddressSanitizer and UndefinedBehaviorSanitizer: the first undefined operation ends the process.
# zig takes the two as flags of their own only. It brings UBSan's runtime; ASan's must be
# preloaded, see tools/sanitize.py.
if(NOT ARENITE_ZIG)
  message(FATAL_ERROR "ARENITE_SANITIZE is for zig's clang: unset CC")
endif()
target_compile_options(flags INTERFACE -g -O1 -fno-omit-frame-pointer
                                       -fsanitize=undefined -fsanitize=address)
target_link_options(flags INTERFACE -fsanitize=undefined)
