/* What has to hold of models, where all is as it is in most: model/check.py and model/consistency.py
 * look at the others, and say what is wrong. Only what the stable ABI has is used, and of NumPy the head
 * of its array objects. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>

#include "python_module.h"
#include "module.h"
#include "ndarray.h"

/* Attributes of tensors, their quantisation, and operators. */
typedef enum {
  SHAPE,
  TYPE,
  DATA,
  BUFFER,
  QUANTIZATION,
  SCALE,
  ZERO_POINT,
  QUANTIZED_DIMENSION,
  IS_VARIABLE,
  NAME,
  INPUTS,
  OUTPUTS,
  INTERMEDIATES,
  IS_CUSTOM,
  CUSTOM_OPTIONS,
  NAMES
} name;

static PyObject *names[NAMES];

/* An attribute; NULL with an error, or where there is one already: Python wants none when it is asked. */
static PyObject *attribute(PyObject *object, name which) {
  return PyErr_Occurred() ? NULL : PyObject_GetAttr(object, names[which]);
}

/* -- tensors */

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
  for (Py_ssize_t i = 0; i < x->dims[0]; ++i) all &= values[i] >= low && values[i] <= high;
  return all;
}

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
  PyObject *found = attribute(object, which);
  const int64_t number = found ? PyLong_AsLongLong(found) : -1;
  Py_XDECREF(found);
  return number < 0 ? -1 : number;
}

static int has_sound_arrays(PyObject *scales, PyObject *zero_points, const element *type) {
  const ndarray *reals = ar_numbers(scales, AR_REALS, 1, AR_ARRANGED);
  const ndarray *longs = ar_numbers(zero_points, AR_LONGS, 1, AR_ARRANGED);
  return reals && longs && (longs->dims[0] < 2 || longs->dims[0] == reals->dims[0]) &&
         reals_within(reals, 0, FLT_MAX) && longs_within(longs, type->low, type->high);
}

static int is_quantized_well(PyObject *quantization, const element *type) {
  if (quantization == Py_None) return 1;
  PyObject *scales = attribute(quantization, SCALE);
  PyObject *zero_points = attribute(quantization, ZERO_POINT);
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
  const ndarray *x = ar_viewable(data);
  return x && x->nd == 1 && x->dims[0] >= bytes;
}

static int is_plain(PyObject *tensor, const element *types, Py_ssize_t type_count) {
  PyObject *shape = attribute(tensor, SHAPE);
  PyObject *data = attribute(tensor, DATA);
  PyObject *quantization = attribute(tensor, QUANTIZATION);
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
static PyObject *are_plain(PyObject *, PyObject *args) {
  PyObject *tensors;
  const char *types;
  Py_ssize_t bytes;
  if (!PyArg_ParseTuple(args, "O!y#", &PyTuple_Type, &tensors, &types, &bytes)) return NULL;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tensors); ++i) {
    const Py_ssize_t count = bytes / (Py_ssize_t)sizeof(element);
    if (is_plain(PyTuple_GetItem(tensors, i), (const element *)(const void *)types, count))
      continue;
    PyErr_Clear();
    Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

/* -- operators */

/* What is known of a tensor before an operator runs. */
enum { READY = 1, VARIABLE = 2, WRITABLE = 4, WRITTEN = 8 };

typedef struct {
  unsigned char *of; /* every tensor, its flags */
  Py_ssize_t count;
} states;

/* Whether an attribute is true; -1 with an error. */
static int truth(PyObject *object, name which) {
  PyObject *found = attribute(object, which);
  const int is_true = found ? PyObject_IsTrue(found) : -1;
  Py_XDECREF(found);
  return is_true;
}

static int look_at(states *s, PyObject *tensors) {
  for (Py_ssize_t i = 0; i < s->count; ++i) {
    PyObject *tensor = PyTuple_GetItem(tensors, i);
    PyObject *data = attribute(tensor, DATA);
    const int is_variable = truth(tensor, IS_VARIABLE), is_constant = data && data != Py_None;
    Py_XDECREF(data);
    if (!data || is_variable < 0) return 0;
    s->of[i] = is_variable ? READY | VARIABLE | WRITABLE : is_constant ? READY : WRITABLE;
  }
  return 1;
}

/* Whether all tensors that are there, by index, have some flags; -1 is one that is not. */
static int all_have(const states *s, PyObject *indices, int flags) {
  if (!indices || !PyTuple_Check(indices)) return 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(indices); ++i) {
    const Py_ssize_t index = PyLong_AsSsize_t(PyTuple_GetItem(indices, i));
    if (index == -1 && !PyErr_Occurred()) continue;
    if (index < 0 || index >= s->count || (s->of[index] & flags) != flags) return 0;
  }
  return 1;
}

/* Whether tensors may be written now, which they are then; variables may be once more. */
static int write_all(states *s, PyObject *indices) {
  if (!indices || !PyTuple_Check(indices)) return 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(indices); ++i) {
    const Py_ssize_t index = PyLong_AsSsize_t(PyTuple_GetItem(indices, i));
    if (index < 0 || index >= s->count) return 0;
    if ((s->of[index] & (WRITABLE | WRITTEN)) != WRITABLE) return 0;
    if (!(s->of[index] & VARIABLE)) s->of[index] |= READY | WRITTEN;
  }
  return 1;
}

/* Whether an operator is a builtin or a custom one, and has options as such. */
static int is_known(PyObject *operator, PyObject *builtins) {
  PyObject *found = attribute(operator, NAME);
  const int is_builtin = found ? PySet_Contains(builtins, found) : -1;
  const int is_custom = truth(operator, IS_CUSTOM);
  Py_XDECREF(found);
  if (is_builtin < 0 || is_custom < 0 || is_builtin == is_custom) return 0;
  return is_custom || truth(operator, CUSTOM_OPTIONS) == 0;
}

static int run(states *s, PyObject *operator, PyObject *builtins) {
  PyObject *inputs = attribute(operator, INPUTS);
  PyObject *outputs = attribute(operator, OUTPUTS);
  PyObject *intermediates = attribute(operator, INTERMEDIATES);
  const int runs = is_known(operator, builtins) && all_have(s, intermediates, 0) &&
                   all_have(s, inputs, READY) && write_all(s, outputs);
  Py_XDECREF(inputs);
  Py_XDECREF(outputs);
  Py_XDECREF(intermediates);
  return runs;
}

/* in_order(tensors, operators, inputs, outputs, builtins): whether nothing is to be said against the
 * operators of a subgraph, its inputs and outputs, and every tensor is written once, before it is
 * read; False as well where that cannot be told. `builtins` are a frozenset of names. */
static PyObject *in_order(PyObject *, PyObject *args) {
  PyObject *tensors, *operators, *inputs, *outputs, *builtins;
  if (!PyArg_ParseTuple(args, "O!O!OOO", &PyTuple_Type, &tensors, &PyTuple_Type, &operators,
                        &inputs, &outputs, &builtins))
    return NULL;
  states s = {NULL, PyTuple_Size(tensors)};
  s.of = PyMem_Malloc((size_t)s.count);
  if (!s.of) return PyErr_NoMemory();
  int is_so = look_at(&s, tensors) && write_all(&s, inputs);
  for (Py_ssize_t i = 0; is_so && i < PyTuple_Size(operators); ++i)
    is_so = run(&s, PyTuple_GetItem(operators, i), builtins);
  is_so = is_so && all_have(&s, outputs, READY);
  for (Py_ssize_t i = 0; is_so && i < PyTuple_Size(outputs); ++i)
    is_so = PyLong_AsSsize_t(PyTuple_GetItem(outputs, i)) >= 0;
  PyMem_Free(s.of);
  PyErr_Clear();
  return PyBool_FromLong(is_so);
}

static PyMethodDef functions[] = {
    {"are_plain", are_plain, METH_VARARGS, NULL},
    {"in_order", in_order, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int32_t ar_add_models(void) {
  static const char *const texts[NAMES] = {
      "shape",         "type",      "data",          "buffer",
      "quantization",  "scale",     "zero_point",    "quantized_dimension",
      "is_variable",   "name",      "inputs",        "outputs",
      "intermediates", "is_custom", "custom_options"};
  PyGILState_STATE state = PyGILState_Ensure();
  int has_names = 1;
  for (int i = 0; has_names && i < NAMES; ++i)
    has_names = (names[i] = PyUnicode_InternFromString(texts[i])) != NULL;
  if (!has_names) PyErr_Clear();
  PyGILState_Release(state);
  return has_names && ar_add_functions(functions);
}
