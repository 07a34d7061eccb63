/* What is added to the module that cffi makes. */
#pragma once

#include <Python.h>

/* Adds functions, whose table ends with zeros and stays; 0 where that fails, without an error. */
int32_t ar_add_functions(PyMethodDef *functions);

/* An object of a class without its __init__: without attributes; NULL with an error. */
PyObject *ar_new_object(PyObject *type);

/* Gives an object an attribute as object.__setattr__ does: its class may be frozen. Takes the reference
 * to the value, which may be NULL; 0 with an error. */
int ar_set(PyObject *object, PyObject *name, PyObject *value);
