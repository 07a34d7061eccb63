/* What a step's kernel is measured with, out of Python's objects: tensors, and parameter records as
 * structs; and the tensors that kernels in Python see. Whatever is not as most are is left to
 * functions in Python. Only what the stable ABI has is used, and of NumPy the head of its array
 * objects and two functions of its table for C. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <string.h>

#include "arrays.h"
#include "engine.h"
#include "module.h"
#include "ndarray.h"
#include "python_module.h"
#include "tensor_binding.h"

enum { MOST_RANK = 6, MOST_TYPES = 64 };

static PyTypeObject *array_type;     /* NumPy's, whose head is what ndarray.h says */
static int32_t bytes_of[MOST_TYPES]; /* an element's, at least 1; 0 for what is no type */
static void **functions_of_numpy;
static PyObject *itemsize, *name_data, *name_type, *name_shape, *name_value; /* of attributes */

/* An array whose numbers lie in a row, or NULL. */
static const ndarray *arranged(PyObject *object) {
  if (!array_type || Py_TYPE(object) != array_type) return NULL;
  const ndarray *x = (const ndarray *)object;
  return (x->flags & AR_ARRANGED) == AR_ARRANGED ? x : NULL;
}

const ndarray *ar_viewable(PyObject *object) {
  return functions_of_numpy ? arranged(object) : NULL;
}

PyObject *ar_view(PyObject *descr, int nd, const Py_ssize_t *dims, char *data, PyObject *owner) {
  const ar_new_array new_array = (ar_new_array)functions_of_numpy[AR_NEW_FROM_DESCR];
  const ar_set_base set_base = (ar_set_base)functions_of_numpy[AR_SET_BASE_OBJECT];
  Py_INCREF(descr); /* which the new array takes, as it does the owner */
  PyObject *view = new_array(array_type, descr, nd, dims, NULL, data, AR_ARRANGED, NULL);
  if (!view) return NULL;
  Py_INCREF(owner);
  if (set_base(view, owner)) Py_CLEAR(view);
  return view;
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

/* A tensor as kernels see it when they are measured and when they run; 0 if Python has to look at it,
 * perhaps with an error. */
static int as_most_are(PyObject *data, PyObject *type, PyObject *shape, ar_tensor *measured,
                       ar_tensor *present) {
  const ndarray *x = arranged(data);
  const long code = x ? PyLong_AsLong(type) : -1;
  if (code < 0 || code >= MOST_TYPES || !bytes_of[code] || !take_shape(x, shape, present)) return 0;
  if (item_bytes(data) < bytes_of[code]) return 0;
  present->type = (int32_t)code;
  *measured = *present;
  present->data = x->data;
  if (!(x->flags & AR_WRITEABLE)) measured->data = x->data;
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

/* A tensor, which has `data`, `type` and `shape`, as both; `keep` then has the array. */
static int put_tensor(PyObject *tensor, PyObject *look, PyObject *keep, ar_tensor *measured,
                      ar_tensor *present) {
  ar_tensor own[2] = {{0}, {0}};
  PyObject *data = PyObject_GetAttr(tensor, name_data);
  PyObject *type = PyObject_GetAttr(tensor, name_type);
  PyObject *shape = PyObject_GetAttr(tensor, name_shape);
  int is_put = data && type && shape;
  if (is_put && !as_most_are(data, type, shape, &own[0], &own[1])) {
    PyErr_Clear();
    PyObject *found = PyObject_CallFunctionObjArgs(look, tensor, NULL);
    is_put = as_found(found, &own[0], &own[1]);
    Py_XDECREF(found);
  }
  if (is_put) is_put = PyList_Append(keep, data) == 0;
  Py_XDECREF(data);
  Py_XDECREF(type);
  Py_XDECREF(shape);
  memcpy(measured, &own[0], sizeof own[0]);
  memcpy(present, &own[1], sizeof own[1]);
  return is_put;
}

/* Tensors in a row, as kernels are measured with them and with their data, what is behind them, and
 * tensors that no kernel sees. */
typedef struct {
  PyObject *measured, *present; /* bytes */
  PyObject *tensors, *hidden;   /* tuples */
  PyObject *look, *keep;
} rows;

static int put_tensors(const rows *r, PyObject *tensors, Py_ssize_t *place) {
  ar_tensor *measured = (ar_tensor *)PyBytes_AsString(r->measured);
  ar_tensor *present = (ar_tensor *)PyBytes_AsString(r->present);
  const Py_ssize_t count = PyTuple_Size(tensors);
  for (Py_ssize_t i = 0; i < count; ++i, ++*place)
    if (!put_tensor(PyTuple_GetItem(tensors, i), r->look, r->keep, &measured[*place],
                    &present[*place]))
      return 0;
  return 1;
}

static int put_rows(const rows *r) {
  const ar_tensor behind[AR_BEHIND] = {
      {.type = AR_ABSENT}, {.type = AR_ABSENT}, {.type = AR_ABSENT}, {.type = AR_END}};
  Py_ssize_t place = 0;
  if (!put_tensors(r, r->tensors, &place)) return 0;
  const size_t offset = (size_t)place * sizeof(ar_tensor);
  memcpy(PyBytes_AsString(r->measured) + offset, behind, sizeof behind);
  memcpy(PyBytes_AsString(r->present) + offset, behind, sizeof behind);
  place += AR_BEHIND;
  return put_tensors(r, r->hidden, &place);
}

/* Makes both rows; 0 where Python says that C may not read a tensor, or with an error. */
static int make_rows(rows *r) {
  const Py_ssize_t count = PyTuple_Size(r->tensors) + AR_BEHIND + PyTuple_Size(r->hidden);
  r->measured = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(ar_tensor));
  r->present = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(ar_tensor));
  return r->measured && r->present && put_rows(r);
}

static void drop_rows(rows *r) {
  Py_XDECREF(r->measured);
  Py_XDECREF(r->present);
}

static PyObject *none_or_error(void) {
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

/* tensor_rows(tensors, look, keep): the bytes of tensors as kernels are measured with them, and with
 * their data; None where look(tensor) says so, which is asked for what is not as most are. */
static PyObject *tensor_rows(PyObject *, PyObject *args) {
  rows r = {0};
  if (!PyArg_ParseTuple(args, "O!OO!", &PyTuple_Type, &r.tensors, &r.look, &PyList_Type, &r.keep))
    return NULL;
  r.hidden = PyTuple_New(0);
  const int made = r.hidden && make_rows(&r);
  PyObject *result = made ? PyTuple_Pack(2, r.measured, r.present) : none_or_error();
  Py_XDECREF(r.hidden);
  drop_rows(&r);
  return result;
}

/* Whether a constant's bytes can be seen as an array of a type and shape, which has `dims` then. */
static int is_in_place(const ndarray *x, long code, PyObject *shape, Py_ssize_t *dims) {
  if (x->nd != 1 || x->flags & AR_WRITEABLE || code < 0 || code >= MOST_TYPES) return 0;
  if (!PyTuple_Check(shape) || PyTuple_Size(shape) > MOST_RANK || !bytes_of[code]) return 0;
  Py_ssize_t bytes = bytes_of[code];
  if ((uintptr_t)x->data % (uintptr_t)bytes) return 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(shape); ++i) {
    dims[i] = PyLong_AsSsize_t(PyTuple_GetItem(shape, i));
    if (dims[i] < 1 || bytes > x->dims[0] / dims[i]) return 0;
    bytes *= dims[i];
  }
  return bytes <= x->dims[0];
}

/* A model's constant as an array: in C as most are, else its `value`. */
static PyObject *value_of(PyObject *tensor, PyObject *data, PyObject *type, PyObject *shape,
                          PyObject *dtypes) {
  Py_ssize_t dims[MOST_RANK];
  const ndarray *x = ar_viewable(data);
  const long code = PyLong_AsLong(type);
  PyObject *descr =
      code >= 0 && code < PyTuple_Size(dtypes) ? PyTuple_GetItem(dtypes, code) : Py_None;
  if (x && descr != Py_None && is_in_place(x, code, shape, dims))
    return ar_view(descr, (int)PyTuple_Size(shape), dims, x->data, data);
  PyErr_Clear();
  return PyObject_GetAttr(tensor, name_value);
}

static PyObject *eval_tensor(PyObject *tensor, PyObject *class, PyObject *dtypes) {
  PyObject *made = ar_new_object(class), *value = NULL;
  PyObject *data = made ? PyObject_GetAttr(tensor, name_data) : NULL;
  PyObject *type = data ? PyObject_GetAttr(tensor, name_type) : NULL;
  PyObject *shape = type ? PyObject_GetAttr(tensor, name_shape) : NULL;
  if (data == Py_None) Py_INCREF(value = data);
  else if (shape) value = value_of(tensor, data, type, shape, dtypes);
  Py_XDECREF(data);
  int is_made = made != NULL;
  PyObject *const named[][2] = {{name_type, type}, {name_shape, shape}, {name_data, value}};
  for (int i = 0; i < 3; ++i)
    if (is_made) is_made = ar_set(made, named[i][0], named[i][1]);
    else Py_XDECREF(named[i][1]);
  if (!is_made) Py_CLEAR(made);
  return made;
}

/* eval_tensors(tensors, class, dtypes): of every tensor of a model an object of the class with its
 * `type` and `shape`, and with its value as `data`. `dtypes` are a tuple by the type's code, None for
 * types whose value has another shape. */
static PyObject *eval_tensors(PyObject *, PyObject *args) {
  PyObject *tensors, *class, *dtypes;
  if (!PyArg_ParseTuple(args, "O!OO!", &PyTuple_Type, &tensors, &class, &PyTuple_Type, &dtypes))
    return NULL;
  PyObject *all = PyList_New(PyTuple_Size(tensors));
  for (Py_ssize_t i = 0; all && i < PyTuple_Size(tensors); ++i) {
    PyObject *made = eval_tensor(PyTuple_GetItem(tensors, i), class, dtypes);
    if (!made || PyList_SetItem(all, i, made)) Py_CLEAR(all);
  }
  return all;
}

/* What find_step() is given, but for tensors. */
typedef struct {
  const char *name;
  int isa;
  int first_tensor;
  int outputs;
  PyObject *params;
} wanted;

/* A step's draft, as bytes; NULL where no kernel takes the tensors, or with an error. */
static PyObject *draft_of(const wanted *w, const rows *r) {
  ar_draft draft = {.first_tensor = w->first_tensor};
  ar_isa found = AR_PORTABLE;
  draft.tensors = (const ar_tensor *)PyBytes_AsString(r->measured);
  if (w->params != Py_None) draft.params = PyBytes_AsString(w->params);
  if (PyErr_Occurred()) return NULL;
  draft.kernel = ar_find_kernel(w->name, (ar_isa)w->isa, draft.params, draft.tensors, w->outputs,
                                (int32_t)PyTuple_Size(r->tensors), &draft.sizes, &found);
  draft.isa = found;
  if (!draft.kernel || PyList_Append(r->keep, r->measured)) return NULL;
  return PyBytes_FromStringAndSize((const char *)&draft, sizeof draft);
}

/* find_step(name, isa, first_tensor, params, tensors, outputs, hidden, look, keep): an ar_draft and its
 * tensors with their data, as bytes; None where there is no kernel, or C may not read a tensor.
 * `params` is a struct's bytes or None. What both point to is appended to `keep`. */
static PyObject *find_step(PyObject *, PyObject *args) {
  wanted w;
  rows r = {0};
  if (!PyArg_ParseTuple(args, "siiOO!iO!OO!", &w.name, &w.isa, &w.first_tensor, &w.params,
                        &PyTuple_Type, &r.tensors, &w.outputs, &PyTuple_Type, &r.hidden, &r.look,
                        &PyList_Type, &r.keep))
    return NULL;
  PyObject *draft = make_rows(&r) ? draft_of(&w, &r) : NULL;
  PyObject *result = draft ? PyTuple_Pack(2, draft, r.present) : none_or_error();
  Py_XDECREF(draft);
  drop_rows(&r);
  return result;
}

/* -- records */

/* What arrays need: arrange(value, item) makes one of another value, `keep` is for what structs point to. */
typedef struct {
  PyObject *arrange, *keep;
} arrays;

static int fill(char *place, PyObject *layout, PyObject *record, const arrays *with);

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

/* A field's value, or one of its elements; `nested` is the layout of a struct. */
static int put_one(char *place, const ar_field *f, PyObject *nested, PyObject *value,
                   const arrays *with) {
  switch (f->kind) {
    case AR_AS_INTEGER: return put_integer(place, f->item, value);
    case AR_AS_REAL: return put_real(place, value);
    case AR_AS_TRUTH: return put_truth(place, value);
    case AR_AS_ARRAY: return put_array(place, f->item, value, with);
    default: return fill(place, nested, value, with);
  }
}

/* Elements of a field that has many: records all of them, of numbers perhaps fewer. */
static int put_all(char *place, const ar_field *f, PyObject *name, PyObject *nested,
                   PyObject *values, const arrays *with) {
  const Py_ssize_t size = PySequence_Size(values), count = f->count;
  if (size < 0) return 0;
  if (size > count || (f->kind == AR_AS_STRUCT && size < count)) {
    PyErr_Format(PyExc_ValueError, "%U: expected %zd elements, got %zd", name, count, size);
    return 0;
  }
  int is_put = 1;
  for (Py_ssize_t i = 0; is_put && i < size; ++i) {
    PyObject *value = PySequence_GetItem(values, i);
    is_put = value && put_one(place + i * f->item, f, nested, value, with);
    Py_XDECREF(value);
  }
  return is_put;
}

/* A layout is (bytes of the struct, ar_fields as bytes, their names, the layouts of structs). */
static int fill(char *place, PyObject *layout, PyObject *record, const arrays *with) {
  const ar_field *fields = (const ar_field *)PyBytes_AsString(PyTuple_GetItem(layout, 1));
  PyObject *names = PyTuple_GetItem(layout, 2), *nested = PyTuple_GetItem(layout, 3);
  const Py_ssize_t count = fields ? PyTuple_Size(names) : -1;
  int is_put = count >= 0;
  for (Py_ssize_t i = 0; is_put && i < count; ++i) {
    const ar_field *f = &fields[i];
    PyObject *name = PyTuple_GetItem(names, i), *inner = PyTuple_GetItem(nested, i);
    PyObject *value = PyObject_GetAttr(record, name);
    char *to = place + f->offset;
    is_put = value && (f->count ? put_all(to, f, name, inner, value, with)
                                : put_one(to, f, inner, value, with));
    Py_XDECREF(value);
  }
  return is_put;
}

/* make_struct(layout, record, arrange, keep): a record's values as a struct's bytes. */
static PyObject *make_struct(PyObject *, PyObject *args) {
  PyObject *layout, *record;
  arrays with;
  if (!PyArg_ParseTuple(args, "O!OOO!", &PyTuple_Type, &layout, &record, &with.arrange,
                        &PyList_Type, &with.keep))
    return NULL;
  const Py_ssize_t bytes = PyLong_AsSsize_t(PyTuple_GetItem(layout, 0));
  PyObject *made = bytes < 0 ? NULL : PyBytes_FromStringAndSize(NULL, bytes);
  if (!made) return NULL;
  memset(PyBytes_AsString(made), 0, (size_t)bytes);
  if (fill(PyBytes_AsString(made), layout, record, &with)) return made;
  Py_DECREF(made);
  return NULL;
}

/* -- the module's */

/* know_arrays(array, address, flags, shape, sizes, functions): NumPy's type, if its objects are laid out
 * as an array says of itself; the bytes of elements, by type; and NumPy's table of functions, or None.
 * Returns whether they are. */
static PyObject *know_arrays(PyObject *, PyObject *args) {
  PyObject *array, *shape, *sizes, *table;
  Py_ssize_t address;
  int flags;
  if (!PyArg_ParseTuple(args, "OniO!O!O", &array, &address, &flags, &PyTuple_Type, &shape,
                        &PyTuple_Type, &sizes, &table))
    return NULL;
  if (table != Py_None && !(functions_of_numpy = PyCapsule_GetPointer(table, NULL))) return NULL;
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
    {"eval_tensors", eval_tensors, METH_VARARGS, NULL},
    {"tensor_rows", tensor_rows, METH_VARARGS, NULL},
    {"find_step", find_step, METH_VARARGS, NULL},
    {"make_struct", make_struct, METH_VARARGS, NULL},
    {"know_arrays", know_arrays, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int32_t ar_add_tensor_binding(void) {
  PyGILState_STATE state = PyGILState_Ensure();
  itemsize = PyUnicode_InternFromString("itemsize");
  name_data = PyUnicode_InternFromString("data");
  name_type = PyUnicode_InternFromString("type");
  name_shape = PyUnicode_InternFromString("shape");
  name_value = PyUnicode_InternFromString("value");
  const int has_names = itemsize && name_data && name_type && name_shape && name_value;
  if (!has_names) PyErr_Clear();
  PyGILState_Release(state);
  return has_names && ar_add_functions(functions);
}
