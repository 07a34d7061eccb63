/* What is added to the module that cffi makes. */
#ifndef ARENITE_MODULE_H
#define ARENITE_MODULE_H

#include <Python.h>

/* Adds functions, whose table ends with zeros and stays; 0 where that fails, without an error. */
int32_t ar_add_functions(PyMethodDef *functions);

#endif
