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
