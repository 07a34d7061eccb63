# AddressSanitizer and UndefinedBehaviorSanitizer: the first undefined operation ends the process.
# zig takes the two as flags of their own only. It brings UBSan's runtime; ASan's must be
# preloaded, see tools/sanitize.py.
if(NOT ARENITE_ZIG)
  message(FATAL_ERROR "ARENITE_SANITIZE is for zig's clang: unset CC")
endif()
target_compile_options(flags INTERFACE -gline-tables-only -O1 -fno-omit-frame-pointer
                                       -fsanitize=address)
target_link_options(flags INTERFACE -fsanitize=undefined)

# In the unrolled loops of simd/ a check that calls a function compiles ten times faster than one
# that stands there, and undefined is what arithmetic and indices can be: of pointers
# AddressSanitizer and the processor say enough. Nor is there coverage for fuzzers: what was
# reached, with which numbers it was compared.
function(arenite_sanitize name)
  if(name IN_LIST isas)
    target_compile_options(
      ${name}
      PRIVATE
        -fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds
        "SHELL:-mllvm -asan-instrumentation-with-call-threshold=30")
    return()
  endif()
  target_compile_options(${name} PRIVATE -fsanitize=undefined)
  if(ARENITE_COVERAGE)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
