/* Numbers in arrays, without a call of NumPy for every array. Only what the stable ABI has is used,
 * and of NumPy the head of its array objects: nothing is taken before know_numbers() has seen that
 * arrays are laid out as they say of themselves. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python_module.h"
#include "module.h"
#include "ndarray.h"
#include "parameters.h"

static PyTypeObject *array_type;
static PyObject *descrs[AR_KINDS];             /* dtypes */
static PyObject *name_scale, *name_zero_point; /* of attributes */

const ndarray *ar_numbers(PyObject *object, ar_number_kind kind, int nd, int flags) {
  if (!array_type || Py_TYPE(object) != array_type) return NULL;
  const ndarray *x = (const ndarray *)object;
  return x->descr == descrs[kind] && x->nd == nd && (x->flags & flags) == flags ? x : NULL;
}

/* multipliers(before, scales, behind, rounding, found): ar_quantize_multipliers() into the two rows
 * of `found`, a column per channel. Returns whether it is what it says, False for scales that are
 * not float32 in a row, or more than channels. */
static PyObject *multipliers(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 5) return PyErr_Format(PyExc_TypeError, "expected 5 arguments, got %zd", count);
  const double before = PyFloat_AsDouble(args[0]), behind = PyFloat_AsDouble(args[2]);
  const long rounding = PyLong_AsLong(args[3]);
  if (PyErr_Occurred()) return NULL;
  const ndarray *scales = ar_numbers(args[1], AR_REALS, 1, AR_IN_A_ROW);
  const ndarray *found = ar_numbers(args[4], AR_INTS, 2, AR_ARRANGED);
  if (!scales || !found || found->dims[0] != 2 || scales->dims[0] > found->dims[1]) Py_RETURN_FALSE;
  const int64_t channels = (int64_t)found->dims[1];
  int32_t *into = (int32_t *)(void *)found->data;
  return PyBool_FromLong(ar_quantize_multipliers(before, scales->data, (int64_t)scales->dims[0],
                                                 behind, (int32_t)rounding, channels, into,
                                                 into + channels));
}

/* What full tensors say of arrays of scales and zero points, see params_of() of ops/context.py; None
 * where Python has to look at them. */
static PyObject *params_of(PyObject *scales, PyObject *zero_points) {
  const ndarray *real = ar_numbers(scales, AR_REALS, 1, AR_ARRANGED);
  const ndarray *whole = ar_numbers(zero_points, AR_LONGS, 1, AR_ARRANGED);
  if (!real || !whole) Py_RETURN_NONE;
  const Py_ssize_t count = whole->dims[0] ? real->dims[0] : 0;
  const int64_t first = whole->dims[0] ? *(const int64_t *)(const void *)whole->data : 0;
  const double scale = count ? (double)*(const float *)(const void *)real->data : 0.0;
  return Py_BuildValue("(din)", scale, (int)(int32_t)(uint32_t)(uint64_t)first, count);
}

static PyObject *params_of_one(PyObject *quantization, PyObject *otherwise) {
  if (quantization == Py_None) return Py_BuildValue("(dii)", 0.0, 0, 0);
  PyObject *scales = PyObject_GetAttr(quantization, name_scale);
  PyObject *zero_points = scales ? PyObject_GetAttr(quantization, name_zero_point) : NULL;
  PyObject *params = zero_points ? params_of(scales, zero_points) : NULL;
  Py_XDECREF(scales);
  Py_XDECREF(zero_points);
  if (params != Py_None) return params;
  Py_DECREF(params);
  return PyObject_CallFunctionObjArgs(otherwise, quantization, NULL);
}

/* all_params_of(quantizations, params_of): a list of what params_of says of each of a list, which is
 * asked itself for other arrays than float32 and int64 in a row. */
static PyObject *all_params_of(PyObject *, PyObject *args) {
  PyObject *quantizations, *otherwise;
  if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &quantizations, &otherwise)) return NULL;
  const Py_ssize_t count = PyList_Size(quantizations);
  PyObject *all = PyList_New(count);
  for (Py_ssize_t i = 0; all && i < count; ++i) {
    PyObject *one = PyList_GetItem(quantizations, i);
    PyObject *params = one ? params_of_one(one, otherwise) : NULL;
    if (!params || PyList_SetItem(all, i, params)) Py_CLEAR(all);
  }
  return all;
}

/* know_numbers(arrays, addresses, flags): one array of each kind, of one dimension and element, and
 * what it says of itself. Returns whether that is so. */
static PyObject *know_numbers(PyObject *, PyObject *args) {
  PyObject *arrays[AR_KINDS];
  Py_ssize_t addresses[AR_KINDS];
  int flags[AR_KINDS];
  if (!PyArg_ParseTuple(args, "(OOO)(nnn)(iii)", &arrays[AR_REALS], &arrays[AR_LONGS],
                        &arrays[AR_INTS], &addresses[AR_REALS], &addresses[AR_LONGS],
                        &addresses[AR_INTS], &flags[AR_REALS], &flags[AR_LONGS], &flags[AR_INTS]))
    return NULL;
  for (int kind = 0; kind < AR_KINDS; ++kind) {
    const ndarray *x = (const ndarray *)arrays[kind];
    if (Py_TYPE(arrays[kind]) != Py_TYPE(arrays[0]) || x->flags != flags[kind] ||
        (Py_ssize_t)x->data != addresses[kind] || x->nd != 1 || x->dims[0] != 1)
      Py_RETURN_FALSE;
    PyObject *descr = PyObject_GetAttrString(arrays[kind], "dtype");
    if (!descr) return NULL;
    const int is_its = descr == x->descr;
    Py_XDECREF(descrs[kind]);
    descrs[kind] = descr;
    if (!is_its) Py_RETURN_FALSE;
  }
  array_type = Py_TYPE(arrays[0]);
  Py_INCREF((PyObject *)array_type);
  Py_RETURN_TRUE;
}

static PyMethodDef functions[] = {
    {"multipliers", (PyCFunction)(void (*)(void))multipliers, METH_FASTCALL, NULL},
    {"all_params_of", all_params_of, METH_VARARGS, NULL},
    {"know_numbers", know_numbers, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int32_t ar_add_array_numbers(void) {
  PyGILState_STATE state = PyGILState_Ensure();
  name_scale = PyUnicode_InternFromString("scale");
  name_zero_point = PyUnicode_InternFromString("zero_point");
  const int has_names = name_scale && name_zero_point;
  if (!has_names) PyErr_Clear();
  PyGILState_Release(state);
  return has_names && ar_add_functions(functions);
}
