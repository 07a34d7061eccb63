/* Numbers in arrays, without a call of NumPy for every array. Only what the stable ABI has is used,
 * and of NumPy the head of its array objects: nothing is taken before know_numbers() has seen that
 * arrays are laid out as they say of themselves. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>

#include "numbers.h"
#include "module.h"
#include "ndarray.h"
#include "parameters.h"

enum { REALS, LONGS, INTS, KINDS }; /* float32, int64, int32 */

/* Attributes of tensors and of their quantisation. */
typedef enum {
  SHAPE, TYPE, DATA, BUFFER, QUANTIZATION, SCALE, ZERO_POINT, QUANTIZED_DIMENSION, NAMES
} name;

static PyTypeObject *array_type;
static PyObject *descrs[KINDS];
static PyObject *names[NAMES];

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

/* Whether all numbers lie in [low, high], which NaN does not. */
static int reals_within(const ndarray *x, float low, float high) {
  const float *values = (const float *)(const void *)x->data;
  int all = 1;
  for (Py_ssize_t i = 0; i < x->dims[0]; ++i) all &= values[i] >= low && values[i] <= high;
  return all;
}

static int longs_within(const ndarray *x, int64_t low, int64_t high) {
  const int64_t *values = (const int64_t *)(const void *)x->data;
  int all = 1;
  for (Py_ssize_t i = 0; i < x->dims[0]; ++i)
    all &= values[i] >= low && values[i] <= high;
  return all;
}

/* -- what has to hold of tensors */

enum { MOST_RANK = 32 };

/* What of a type counts: bits of an element, and the range of its zero points. */
typedef struct {
  int64_t bits, low, high;
} element;

/* Elements of a shape without a 0 or an open dimension; -1 for another one, or where they are too
 * many for a tensor. */
static int64_t elements(PyObject *shape) {
  if (!PyTuple_Check(shape) || PyTuple_Size(shape) > MOST_RANK) return -1;
  int64_t count = 1;
  for (Py_ssize_t i = 0; i < PyTuple_Size(shape); ++i) {
    const int64_t size = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    if (size < 1 || size > INT32_MAX / count) return -1;
    count *= size;
  }
  return count;
}

/* An attribute that is an integer; -1 with or without an error where it is none, or negative. */
static int64_t whole(PyObject *object, name which) {
  PyObject *found = PyObject_GetAttr(object, names[which]);
  const int64_t number = found ? PyLong_AsLongLong(found) : -1;
  Py_XDECREF(found);
  return number < 0 ? -1 : number;
}

static int has_sound_arrays(PyObject *scales, PyObject *zero_points, const element *type) {
  const ndarray *reals = known(scales, REALS, 1, AR_ARRANGED);
  const ndarray *longs = known(zero_points, LONGS, 1, AR_ARRANGED);
  return reals && longs && (longs->dims[0] < 2 || longs->dims[0] == reals->dims[0]) &&
         reals_within(reals, 0, FLT_MAX) && longs_within(longs, type->low, type->high);
}

static int is_quantized_well(PyObject *quantization, const element *type) {
  if (quantization == Py_None) return 1;
  PyObject *scales = PyObject_GetAttr(quantization, names[SCALE]);
  PyObject *zero_points = PyObject_GetAttr(quantization, names[ZERO_POINT]);
  const int64_t axis = whole(quantization, QUANTIZED_DIMENSION);
  const int is_sound = scales && zero_points && axis >= 0 && axis < MOST_RANK &&
                       has_sound_arrays(scales, zero_points, type);
  Py_XDECREF(scales);
  Py_XDECREF(zero_points);
  return is_sound;
}

/* Whether a constant has all its bytes; None is what is no constant. */
static int has_bytes(PyObject *data, int64_t bytes) {
  if (data == Py_None) return 1;
  if (!array_type || Py_TYPE(data) != array_type) return 0;
  const ndarray *x = (const ndarray *)data;
  return x->nd == 1 && x->dims[0] >= bytes;
}

static int is_plain(PyObject *tensor, const element *types, Py_ssize_t type_count) {
  PyObject *shape = PyObject_GetAttr(tensor, names[SHAPE]);
  PyObject *data = PyObject_GetAttr(tensor, names[DATA]);
  PyObject *quantization = PyObject_GetAttr(tensor, names[QUANTIZATION]);
  const int64_t code = whole(tensor, TYPE), count = shape ? elements(shape) : -1;
  int plain = data && quantization && code >= 0 && code < type_count && count >= 0;
  if (plain) {
    const int64_t bytes = (count * types[code].bits + 7) / 8;
    plain = bytes <= INT32_MAX && has_bytes(data, bytes) && whole(tensor, BUFFER) >= 0 &&
            is_quantized_well(quantization, &types[code]);
  }
  Py_XDECREF(shape);
  Py_XDECREF(data);
  Py_XDECREF(quantization);
  return plain;
}

/* are_plain(tensors, types): whether nothing is to be said against a tuple of tensors, and all
 * their dimensions are 1 or more; False as well where that cannot be told. `types` are elements, by
 * the type's code, as bytes. */
static PyObject *are_plain(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *tensors;
  const char *types;
  Py_ssize_t bytes;
  if (!PyArg_ParseTuple(args, "O!y#", &PyTuple_Type, &tensors, &types, &bytes)) return NULL;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tensors); ++i) {
    const Py_ssize_t count = bytes / (Py_ssize_t)sizeof(element);
    if (is_plain(PyTuple_GetItem(tensors, i), (const element *)(const void *)types, count)) continue;
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

/* What full tensors say of arrays of scales and zero points, see params_of() of ops/context.py; None
 * where Python has to look at them. */
static PyObject *params_of(PyObject *scales, PyObject *zero_points) {
  const ndarray *real = known(scales, REALS, 1, AR_ARRANGED);
  const ndarray *whole = known(zero_points, LONGS, 1, AR_ARRANGED);
  if (!real || !whole) Py_RETURN_NONE;
  const Py_ssize_t count = whole->dims[0] ? real->dims[0] : 0;
  const int64_t first = whole->dims[0] ? *(const int64_t *)(const void *)whole->data : 0;
  const double scale = count ? (double)*(const float *)(const void *)real->data : 0.0;
  return Py_BuildValue("(din)", scale, (int)(int32_t)(uint32_t)(uint64_t)first, count);
}

static PyObject *params_of_one(PyObject *quantization, PyObject *otherwise) {
  if (quantization == Py_None) return Py_BuildValue("(dii)", 0.0, 0, 0);
  PyObject *scales = PyObject_GetAttr(quantization, names[SCALE]);
  PyObject *zero_points = scales ? PyObject_GetAttr(quantization, names[ZERO_POINT]) : NULL;
  PyObject *params = zero_points ? params_of(scales, zero_points) : NULL;
  Py_XDECREF(scales);
  Py_XDECREF(zero_points);
  if (params != Py_None) return params;
  Py_DECREF(params);
  return PyObject_CallFunctionObjArgs(otherwise, quantization, NULL);
}

/* all_params_of(quantizations, params_of): a list of what params_of says of each of a list, which is
 * asked itself for other arrays than float32 and int64 in a row. */
static PyObject *all_params_of(PyObject *module, PyObject *args) {
  (void)module;
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
    {"are_plain", are_plain, METH_VARARGS, NULL},
    {"all_params_of", all_params_of, METH_VARARGS, NULL},
    {"know_numbers", know_numbers, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int32_t ar_add_numbers(void) {
  static const char *const texts[NAMES] = {"shape",        "type",  "data",       "buffer",
                                           "quantization", "scale", "zero_point", "quantized_dimension"};
  PyGILState_STATE state = PyGILState_Ensure();
  int has_names = 1;
  for (int i = 0; has_names && i < NAMES; ++i)
    has_names = (names[i] = PyUnicode_InternFromString(texts[i])) != NULL;
  if (!has_names) PyErr_Clear();
  PyGILState_Release(state);
  return has_names && ar_add_functions(functions);
}
