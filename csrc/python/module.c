#define PY_SSIZE_T_CLEAN
#include "module.h"

int32_t ar_add_functions(PyMethodDef *functions) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *module = PyImport_ImportModule("arenite.native._engine");
  const int added = module && PyModule_AddFunctions(module, functions) == 0;
  Py_XDECREF(module);
  if (!added) PyErr_Clear();
  PyGILState_Release(state);
  return added;
}

PyObject *ar_new_object(PyObject *type) {
  if (!PyType_Check(type)) return PyErr_Format(PyExc_TypeError, "expected a class");
  const newfunc new_plain = (newfunc)PyType_GetSlot(&PyBaseObject_Type, Py_tp_new);
  PyObject *nothing = PyTuple_New(0);
  PyObject *made = nothing ? new_plain((PyTypeObject *)type, nothing, NULL) : NULL;
  Py_XDECREF(nothing);
  return made;
}

int ar_set(PyObject *object, PyObject *name, PyObject *value) {
  const int is_set = value && PyObject_GenericSetAttr(object, name, value) == 0;
  Py_XDECREF(value);
  return is_set;
}
