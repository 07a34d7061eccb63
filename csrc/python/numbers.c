/* Numbers in arrays, without a call of NumPy for every array. Only what the stable ABI has is used,
 * and of NumPy the head of its array objects: nothing is taken before know_numbers() has seen that
 * arrays are laid out as they say of themselves. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "numbers.h"
#include "module.h"
#include "ndarray.h"
#include "parameters.h"

enum { REALS, LONGS, INTS, KINDS }; /* float32, int64, int32 */

static PyTypeObject *array_type;
static PyObject *descrs[KINDS];

/* An array of a kind, of so many dimensions and with these flags, or NULL. */
static const ndarray *known(PyObject *object, int kind, int nd, int flags) {
  if (!array_type || Py_TYPE(object) != array_type) return NULL;
  const ndarray *x = (const ndarray *)object;
  return x->descr == descrs[kind] && x->nd == nd && (x->flags & flags) == flags ? x : NULL;
}

/* multipliers(before, scales, behind, rounding, found): ar_quantize_multipliers() into the two rows
 * of `found`, a column per channel. Returns whether it is what it says, False for scales that are
 * not float32 in a row, or more than channels. */
static PyObject *multipliers(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  (void)module;
  if (count != 5) return PyErr_Format(PyExc_TypeError, "expected 5 arguments, got %zd", count);
  const double before = PyFloat_AsDouble(args[0]), behind = PyFloat_AsDouble(args[2]);
  const long rounding = PyLong_AsLong(args[3]);
  if (PyErr_Occurred()) return NULL;
  const ndarray *scales = known(args[1], REALS, 1, AR_IN_A_ROW);
  const ndarray *found = known(args[4], INTS, 2, AR_ARRANGED);
  if (!scales || !found || found->dims[0] != 2 || scales->dims[0] > found->dims[1])
    Py_RETURN_FALSE;
  const int64_t channels = (int64_t)found->dims[1];
  int32_t *into = (int32_t *)(void *)found->data;
  return PyBool_FromLong(ar_quantize_multipliers(before, scales->data, (int64_t)scales->dims[0],
                                                 behind, (int32_t)rounding, channels, into,
                                                 into + channels));
}

static int reals_within(const ndarray *x, double low, double high) {
  const float *values = (const float *)(const void *)x->data;
  int all = 1;
  for (Py_ssize_t i = 0; i < x->dims[0]; ++i) all &= values[i] >= low && values[i] <= high;
  return all;
}

static int longs_within(const ndarray *x, double low, double high) {
  const int64_t *values = (const int64_t *)(const void *)x->data;
  int all = 1;
  for (Py_ssize_t i = 0; i < x->dims[0]; ++i)
    all &= (double)values[i] >= low && (double)values[i] <= high;
  return all;
}

/* are_within(arrays, low, high): whether all numbers of a list of arrays lie in [low, high], which
 * NaN does not; None where one is no float32 or int64 in a row. */
static PyObject *are_within(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *arrays;
  double low, high;
  if (!PyArg_ParseTuple(args, "O!dd", &PyList_Type, &arrays, &low, &high)) return NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(arrays); ++i) {
    PyObject *array = PyList_GetItem(arrays, i);
    const ndarray *reals = known(array, REALS, 1, AR_ARRANGED);
    const ndarray *longs = known(array, LONGS, 1, AR_ARRANGED);
    if (!reals && !longs) Py_RETURN_NONE;
    if (!(reals ? reals_within(reals, low, high) : longs_within(longs, low, high)))
      Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

/* know_numbers(arrays, addresses, flags): one array of each kind, of one dimension and element, and
 * what it says of itself. Returns whether that is so. */
static PyObject *know_numbers(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *arrays[KINDS];
  Py_ssize_t addresses[KINDS];
  int flags[KINDS];
  if (!PyArg_ParseTuple(args, "(OOO)(nnn)(iii)", &arrays[REALS], &arrays[LONGS], &arrays[INTS],
                        &addresses[REALS], &addresses[LONGS], &addresses[INTS], &flags[REALS],
                        &flags[LONGS], &flags[INTS]))
    return NULL;
  for (int kind = 0; kind < KINDS; ++kind) {
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
    {"are_within", are_within, METH_VARARGS, NULL},
    {"know_numbers", know_numbers, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int32_t ar_add_numbers(void) { return ar_add_functions(functions); }
