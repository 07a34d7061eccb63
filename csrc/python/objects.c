/* What a step's kernel is measured with, out of Python's objects: tensors, and parameter records as
 * structs. Whatever is not as most are is left to functions in Python. Only what the stable ABI has
 * is used, and of NumPy the head of its array objects. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <string.h>

#include "arrays.h"
#include "engine.h"
#include "ndarray.h"
#include "objects.h"

enum { MOST_RANK = 6, MOST_TYPES = 64 };

static PyTypeObject *array_type; /* NumPy's, whose head is what ndarray.h says */
static int32_t bytes_of[MOST_TYPES]; /* an element's, at least 1; 0 for what is no type */
static PyObject *itemsize;

/* An array whose numbers lie in a row, or NULL. */
static const ndarray *arranged(PyObject *object) {
  if (!array_type || Py_TYPE(object) != array_type) return NULL;
  const ndarray *x = (const ndarray *)object;
  return (x->flags & AR_ARRANGED) == AR_ARRANGED ? x : NULL;
}

/* Bytes of an array's element, or -1 with an error. */
static long item_bytes(PyObject *array) {
  PyObject *found = PyObject_GetAttr(array, itemsize);
  const long bytes = found ? PyLong_AsLong(found) : -1;
  Py_XDECREF(found);
  return bytes;
}

/* -- tensors */

/* Whether an array has a shape, without any 0, that fits a tensor, which has it then. */
static int take_shape(const ndarray *x, PyObject *shape, ar_tensor *tensor) {
  if (x->nd > MOST_RANK || PyTuple_Size(shape) != x->nd) return 0;
  for (int i = 0; i < x->nd; ++i) {
    const Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
    if (size < 1 || size > INT32_MAX || size != x->dims[i]) return 0;
    tensor->dims[i] = (int32_t)size;
  }
  tensor->rank = x->nd;
  return 1;
}

/* A NativeTensor as kernels see it when they are measured and when they run; 0 if Python has to look
 * at it, perhaps with an error. */
static int as_most_are(PyObject *given, ar_tensor *measured, ar_tensor *present) {
  PyObject *data = PyTuple_GetItem(given, 0);
  const long type = PyLong_AsLong(PyTuple_GetItem(given, 1));
  PyObject *shape = PyTuple_GetItem(given, 2);
  const int is_constant = PyObject_IsTrue(PyTuple_GetItem(given, 3));
  if (type < 0 || type >= MOST_TYPES || is_constant < 0) return 0;
  const ndarray *x = arranged(data);
  if (!x || !bytes_of[type] || !take_shape(x, shape, present)) return 0;
  if (item_bytes(data) < bytes_of[type]) return 0;
  present->type = (int32_t)type;
  *measured = *present;
  present->data = x->data;
  if (is_constant) measured->data = x->data;
  return 1;
}

/* The same as look(tensor) has it: two tensors' bytes, or None. */
static int as_found(PyObject *found, ar_tensor *measured, ar_tensor *present) {
  char *bytes[2];
  Py_ssize_t size[2];
  if (!found || found == Py_None) return 0;
  if (!PyTuple_Check(found) || PyTuple_Size(found) != 2) return 0;
  for (int i = 0; i < 2; ++i)
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(found, i), &bytes[i], &size[i]) ||
        size[i] != sizeof(ar_tensor))
      return 0;
  memcpy(measured, bytes[0], sizeof *measured);
  memcpy(present, bytes[1], sizeof *present);
  return 1;
}

/* Tensors in a row, as kernels are measured with them and with their data, and what is behind them. */
static int put_rows(char *measured, char *present, PyObject *tensors, PyObject *look) {
  const Py_ssize_t count = PyTuple_Size(tensors);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *given = PyTuple_GetItem(tensors, i);
    ar_tensor own[2] = {{0}, {0}};
    if (!PyTuple_Check(given) || !as_most_are(given, &own[0], &own[1])) {
      PyErr_Clear();
      PyObject *found = PyObject_CallFunctionObjArgs(look, given, NULL);
      const int is_taken = as_found(found, &own[0], &own[1]);
      Py_XDECREF(found);
      if (!is_taken) return 0;
    }
    memcpy(measured + i * (Py_ssize_t)sizeof own[0], &own[0], sizeof own[0]);
    memcpy(present + i * (Py_ssize_t)sizeof own[1], &own[1], sizeof own[1]);
  }
  const ar_tensor behind[AR_BEHIND] = {
      {.type = AR_ABSENT}, {.type = AR_ABSENT}, {.type = AR_ABSENT}, {.type = AR_END}};
  memcpy(measured + count * (Py_ssize_t)sizeof behind[0], behind, sizeof behind);
  memcpy(present + count * (Py_ssize_t)sizeof behind[0], behind, sizeof behind);
  return 1;
}

/* tensor_rows(tensors, look): the bytes of NativeTensors as kernels are measured with them, and with
 * their data; None where look(tensor) says so, which is asked for what is not as most are. */
static PyObject *tensor_rows(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *tensors, *look, *result = NULL;
  if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &tensors, &look)) return NULL;
  const Py_ssize_t bytes = (PyTuple_Size(tensors) + AR_BEHIND) * (Py_ssize_t)sizeof(ar_tensor);
  PyObject *measured = PyBytes_FromStringAndSize(NULL, bytes);
  PyObject *present = PyBytes_FromStringAndSize(NULL, bytes);
  if (measured && present) {
    if (put_rows(PyBytes_AsString(measured), PyBytes_AsString(present), tensors, look))
      result = PyTuple_Pack(2, measured, present);
    else if (!PyErr_Occurred()) result = Py_NewRef(Py_None);
  }
  Py_XDECREF(measured);
  Py_XDECREF(present);
  return result;
}

/* -- records */

/* A record's field in its struct, which Python has as a tuple of these. */
typedef struct {
  PyObject *name;
  int kind;                      /* an ar_field_kind */
  Py_ssize_t offset, count, item; /* where it is; 0, or of how many and how large elements */
  PyObject *fields;              /* of AR_AS_STRUCT */
} field;

/* What arrays need: arrange(value, item) makes one of another value, `keep` is for what structs point to. */
typedef struct {
  PyObject *arrange, *keep;
} arrays;

static int fill(char *place, PyObject *fields, PyObject *record, const arrays *with);

static int put_integer(char *place, Py_ssize_t bytes, PyObject *value) {
  const int64_t wide = PyLong_AsLongLong(value);
  const int32_t narrow = (int32_t)wide;
  if (wide == -1 && PyErr_Occurred()) return 0;
  if (bytes == sizeof narrow && wide != narrow) {
    PyErr_SetString(PyExc_OverflowError, "a number does not fit int32");
    return 0;
  }
  if (bytes == sizeof narrow) memcpy(place, &narrow, sizeof narrow);
  else memcpy(place, &wide, sizeof wide);
  return 1;
}

static int put_real(char *place, PyObject *value) {
  const double number = PyFloat_AsDouble(value);
  memcpy(place, &number, sizeof number);
  return number != -1.0 || !PyErr_Occurred();
}

static int put_truth(char *place, PyObject *value) {
  const int truth = PyObject_IsTrue(value);
  *place = (char)(truth > 0);
  return truth >= 0;
}

/* An array's address, and its length, which kernels check. */
static int put_array(char *place, Py_ssize_t item, PyObject *value, const arrays *with) {
  PyObject *array = value;
  if (arranged(value) && item_bytes(value) == item) Py_INCREF(array);
  else if (PyErr_Occurred()) return 0;
  else array = PyObject_CallFunction(with->arrange, "On", value, item);
  if (!array) return 0;
  const ndarray *x = arranged(array);
  if (!x) PyErr_SetString(PyExc_TypeError, "expected an array in C's order");
  const int is_kept = x && PyList_Append(with->keep, array) == 0;
  Py_DECREF(array);
  if (!is_kept) return 0;
  int64_t count = 1;
  for (int i = 0; i < x->nd; ++i) count *= x->dims[i];
  memcpy(place, &x->data, sizeof x->data);
  memcpy(place + offsetof(ar_int32s, count), &count, sizeof count);
  return 1;
}

static int put_one(char *place, const field *f, PyObject *value, const arrays *with) {
  switch (f->kind) {
    case AR_AS_INTEGER: return put_integer(place, f->item, value);
    case AR_AS_REAL: return put_real(place, value);
    case AR_AS_TRUTH: return put_truth(place, value);
    case AR_AS_ARRAY: return put_array(place, f->item, value, with);
    default: return fill(place, f->fields, value, with);
  }
}

/* Elements of a field that has many: records all of them, of numbers perhaps fewer. */
static int put_all(char *place, const field *f, PyObject *values, const arrays *with) {
  const Py_ssize_t size = PySequence_Size(values);
  if (size < 0) return 0;
  if (size > f->count || (f->kind == AR_AS_STRUCT && size < f->count)) {
    PyErr_Format(PyExc_ValueError, "%U: expected %zd elements, got %zd", f->name, f->count, size);
    return 0;
  }
  int is_put = 1;
  for (Py_ssize_t i = 0; is_put && i < size; ++i) {
    PyObject *value = PySequence_GetItem(values, i);
    is_put = value && put_one(place + i * f->item, f, value, with);
    Py_XDECREF(value);
  }
  return is_put;
}

/* A number of a tuple, which has it. */
static Py_ssize_t number(PyObject *tuple, Py_ssize_t place) {
  PyObject *one = PyTuple_GetItem(tuple, place);
  return one ? PyLong_AsSsize_t(one) : -1;
}

/* Reads (name, kind, offset, count, item, fields). */
static int read_field(PyObject *tuple, field *f) {
  f->name = PyTuple_GetItem(tuple, 0);
  f->kind = (int)number(tuple, 1);
  f->offset = number(tuple, 2);
  f->count = number(tuple, 3);
  f->item = number(tuple, 4);
  f->fields = PyTuple_GetItem(tuple, 5);
  return !PyErr_Occurred();
}

static int fill(char *place, PyObject *fields, PyObject *record, const arrays *with) {
  const Py_ssize_t count = PyTuple_Size(fields);
  int is_put = count >= 0;
  for (Py_ssize_t i = 0; is_put && i < count; ++i) {
    field f;
    if (!read_field(PyTuple_GetItem(fields, i), &f)) return 0;
    PyObject *value = PyObject_GetAttr(record, f.name);
    is_put = value && (f.count ? put_all : put_one)(place + f.offset, &f, value, with);
    Py_XDECREF(value);
  }
  return is_put;
}

/* fill_struct(address, fields, record, arrange, keep): a record's values in a struct of zeros. */
static PyObject *fill_struct(PyObject *module, PyObject *args) {
  (void)module;
  Py_ssize_t address;
  PyObject *fields, *record;
  arrays with;
  if (!PyArg_ParseTuple(args, "nO!OOO!", &address, &PyTuple_Type, &fields, &record, &with.arrange,
                        &PyList_Type, &with.keep))
    return NULL;
  if (!fill((char *)address, fields, record, &with)) return NULL;
  Py_RETURN_NONE;
}

/* -- the module's */

/* know_arrays(array, address, flags, shape, sizes): NumPy's type, if its objects are laid out as an
 * array says of itself; and the bytes of elements, by type. Returns whether they are. */
static PyObject *know_arrays(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *array, *shape, *sizes;
  Py_ssize_t address;
  int flags;
  if (!PyArg_ParseTuple(args, "OniO!O!", &array, &address, &flags, &PyTuple_Type, &shape,
                        &PyTuple_Type, &sizes))
    return NULL;
  const ndarray *x = (const ndarray *)array;
  ar_tensor unused;
  for (Py_ssize_t i = 0; i < PyTuple_Size(sizes) && i < MOST_TYPES; ++i)
    bytes_of[i] = (int32_t)PyLong_AsLong(PyTuple_GetItem(sizes, i));
  if ((Py_ssize_t)x->data != address || x->flags != flags || !take_shape(x, shape, &unused))
    Py_RETURN_FALSE;
  array_type = Py_TYPE(array);
  Py_INCREF((PyObject *)array_type);
  Py_RETURN_TRUE;
}

static PyMethodDef functions[] = {
    {"tensor_rows", tensor_rows, METH_VARARGS, NULL},
    {"fill_struct", fill_struct, METH_VARARGS, NULL},
    {"know_arrays", know_arrays, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int32_t ar_add_objects(void) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *module = PyImport_ImportModule("arenite.native._engine");
  itemsize = PyUnicode_InternFromString("itemsize");
  const int added = module && itemsize && PyModule_AddFunctions(module, functions) == 0;
  Py_XDECREF(module);
  if (!added) PyErr_Clear();
  PyGILState_Release(state);
  return added;
}
