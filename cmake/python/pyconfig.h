/* What CPython's headers ask of a system, for the stable ABI on every system that wheels are built
 * for. The file of this name beside a Python's headers describes the machine that it was made on;
 * see cmake/python.cmake. The types are the compiler's, the names CPython's (pyconfig.h.in,
 * PC/pyconfig.h). */
#ifndef Py_PYCONFIG_H
#define Py_PYCONFIG_H

/* All that a system's headers declare. */
#define _GNU_SOURCE 1
#define _DARWIN_C_SOURCE 1

#define HAVE_STDINT_H 1
#define HAVE_STDDEF_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_LONG_LONG 1
#define HAVE_PROTOTYPES 1
#define STDC_HEADERS 1

#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_FLOAT __SIZEOF_FLOAT__
#define SIZEOF_DOUBLE __SIZEOF_DOUBLE__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_UINTPTR_T __SIZEOF_POINTER__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_TIME_T 8

#ifdef _WIN32
#define MS_WINDOWS
#define MS_WIN32
#ifdef _WIN64
#define MS_WIN64
#endif
/* Python's objects are in python3.dll. */
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#else
#define HAVE_SSIZE_T 1
#define HAVE_UNISTD_H 1
#define HAVE_PTHREAD_H 1
#endif

#endif
