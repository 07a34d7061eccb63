# Before project(): chooses zig's clang unless CC or CMAKE_C_COMPILER names a compiler.
# Sets ARENITE_ZIG, for what it compiles: -DARENITE_TARGET=, or for the Python that asks.

if(NOT DEFINED ENV{CC} AND NOT CMAKE_C_COMPILER)
  execute_process(
    COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/zig.py
    OUTPUT_VARIABLE zig
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "no C compiler: install ziglang beside ${Python_EXECUTABLE}, or set CC")
  endif()
  list(POP_BACK zig target)
  if(ARENITE_TARGET)
    set(target ${ARENITE_TARGET})
  endif()
  set(ENV{CC} "${zig} cc")
  set(ARENITE_ZIG ${target} CACHE INTERNAL "what zig's clang compiles for, if that is the compiler")
  set(ARENITE_ZIG_PROGRAM ${zig} CACHE INTERNAL "where zig is")
endif()
if(NOT ARENITE_ZIG)
  return()
endif()
set(CMAKE_C_COMPILER_TARGET ${ARENITE_ZIG})

# zig's defaults are those of a debug build. CMake's first look at the compiler takes 20 s with
# the sanitizer that is among them.
set(CMAKE_C_FLAGS_INIT -fno-sanitize=undefined)
set(CMAKE_TRY_COMPILE_CONFIGURATION Release)
# What the linker does not know.
set(CMAKE_C_LINKER_DEPFILE_SUPPORTED OFF)
set(CMAKE_LINK_DEPENDS_USE_LINKER OFF)

# zig keeps what it compiled: in the build folder, not at home.
if(NOT DEFINED ENV{ZIG_GLOBAL_CACHE_DIR})
  set(folders ZIG_GLOBAL_CACHE_DIR=${CMAKE_BINARY_DIR}/zig ZIG_LOCAL_CACHE_DIR=${CMAKE_BINARY_DIR}/zig)
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env ${folders})
  set(CMAKE_C_LINKER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
  set(ENV{ZIG_GLOBAL_CACHE_DIR} ${CMAKE_BINARY_DIR}/zig)
  set(ENV{ZIG_LOCAL_CACHE_DIR} ${CMAKE_BINARY_DIR}/zig)
endif()
