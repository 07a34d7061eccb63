# python_extension(NAME SOURCE...): an extension module for the Python that asks, or, when what is
# compiled for is another machine, for the stable ABI of every CPython there. Finds Python.

if(ARENITE_ZIG AND APPLE)
  # zig makes a program of what CMake calls a bundle. Python loads a shared library as well.
  set(CMAKE_SHARED_MODULE_CREATE_C_FLAGS "-shared -Wl,-install_name,@rpath/_engine.abi3.so")
endif()

if(NOT CMAKE_CROSSCOMPILING)
  find_package(Python QUIET COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
  if(NOT Python_Development.Module_FOUND)
    message(FATAL_ERROR "${Python_EXECUTABLE} has no header files (Python.h): install them, "
                        "python3-dev on Debian; or install without the native engine: "
                        "pip install --config-settings=arenite.engine=false")
  endif()
  if(SKBUILD_SABI_COMPONENT)
    set(stable_abi USE_SABI ${SKBUILD_SABI_VERSION})
  endif()
  function(python_extension name)
    python_add_library(${name} MODULE ${stable_abi} WITH_SOABI ${ARGN})
  endfunction()
  return()
endif()

# -- for another machine --------------------------------------------------------------------

if(NOT SKBUILD_SABI_VERSION)
  message(FATAL_ERROR "for another machine there is the stable ABI only: expected a CPython with "
                      "the global interpreter lock, got ${Python_EXECUTABLE}")
endif()
find_package(Python REQUIRED COMPONENTS Interpreter)

# The stable ABI is the same in the headers of every Python. What they ask about the machine
# is in pyconfig.h, of which they include the one that lies beside them.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('include'), end='')"
  OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
if(NOT EXISTS ${headers}/Python.h)
  message(FATAL_ERROR "${Python_EXECUTABLE} has no header files (Python.h)")
endif()
set(python_headers ${CMAKE_BINARY_DIR}/python)
file(COPY ${headers}/ DESTINATION ${python_headers} PATTERN pyconfig.h EXCLUDE)
file(COPY ${CMAKE_SOURCE_DIR}/cmake/python/pyconfig.h DESTINATION ${python_headers})

if(WIN32)
  set(python_suffix .pyd)
  # What a library exports, as far as its linker must know it.
  set(definition ${CMAKE_BINARY_DIR}/python3.def)
  set(python_library ${CMAKE_BINARY_DIR}/python3.lib)
  execute_process(
    COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/python_def.py ${definition}
            ${SKBUILD_SABI_VERSION}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND ${ARENITE_ZIG_PROGRAM} dlltool -m i386:x86-64 -d ${definition} -l ${python_library}
            -D python3.dll
    COMMAND_ERROR_IS_FATAL ANY)
else()
  set(python_suffix .abi3.so)
endif()
string(REPLACE "." ";" version ${SKBUILD_SABI_VERSION})
list(POP_BACK version minor)
math(EXPR limited_api "(3 << 24) + (${minor} << 16)" OUTPUT_FORMAT HEXADECIMAL)

function(python_extension name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ${python_suffix})
  target_include_directories(${name} SYSTEM PRIVATE ${python_headers})
  target_compile_definitions(${name} PRIVATE Py_LIMITED_API=${limited_api})
  target_link_libraries(${name} PRIVATE ${python_library})
  if(APPLE)
    target_link_options(${name} PRIVATE -Wl,-undefined,dynamic_lookup)
  endif()
endfunction()
