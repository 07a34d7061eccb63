/* Tables that the verifier has found to be sound (formats/flatbuffer.c), as objects whose attributes, or
 * tuples whose items, are the values of some of their fields. Only what the stable ABI has is used. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "flatbuffer.h"
#include "module.h"
#include "ndarray.h"
#include "fb_objects.h"
#include "python_module.h"

enum { MOST_NUMBERS = 3, MOST_OPAQUE = 64 };

/* What to make of a table. In Python a tuple of the fields' address, what stands for each that is not
 * there, the helpers, the objects' class or None for tuples, and the attributes' names. */
typedef struct {
  const ar_row_field *fields;
  Py_ssize_t count;
  PyObject *absent, *helpers, *type, *names;
} form;

typedef struct {
  ar_fb_scan *scan;    /* the file, and what is left of the budget */
  const int64_t *room; /* the numbers that were found */
  Py_ssize_t number;   /* of the table in its vector */
} reading;

/* Values are new references, or NULL: with an error, or where Python has to look at the file. */
static PyObject *object_of(const reading *r, const form *f, const int64_t *row);

static int read_form(PyObject *given, form *f) {
  if (PyTuple_Size(given) == 5) { /* by hand, since most tables of a file have one that is nested */
    f->fields = PyLong_AsVoidPtr(PyTuple_GetItem(given, 0));
    f->absent = PyTuple_GetItem(given, 1);
    f->helpers = PyTuple_GetItem(given, 2);
    f->type = PyTuple_GetItem(given, 3);
    f->names = PyTuple_GetItem(given, 4);
    f->count = PyTuple_Size(f->absent);
    if (f->fields && PyTuple_Size(f->helpers) == f->count && PyTuple_Size(f->names) == f->count)
      return !PyErr_Occurred();
  }
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "expected a form");
  return 0;
}

static PyObject *kept(PyObject *object) {
  Py_XINCREF(object);
  return object;
}

static uint64_t bits_at(const uint8_t *place, int32_t bytes) {
  uint64_t value = 0;
  for (int32_t i = 0; i < bytes; ++i) value |= (uint64_t)place[i] << (8 * i);
  return value;
}

static int64_t integer_at(const uint8_t *place, int32_t bytes) {
  const int32_t above = 64 - 8 * bytes;
  return (int64_t)(bits_at(place, bytes) << above) >> above;
}

static PyObject *real(const uint8_t *place, int32_t bytes) {
  const uint64_t wide = bits_at(place, bytes);
  const uint32_t narrow = (uint32_t)wide;
  double number;
  float single;
  memcpy(&number, &wide, sizeof number);
  memcpy(&single, &narrow, sizeof single);
  return PyFloat_FromDouble(bytes == sizeof single ? (double)single : number);
}

static PyObject *integers(const uint8_t *place, int64_t count, const ar_row_field *f) {
  PyObject *all = PyTuple_New((Py_ssize_t)count);
  for (Py_ssize_t i = 0; all && i < count; ++i) {
    const int64_t value = integer_at(place + i * f->item, f->item);
    PyObject *one =
        f->kind == AR_ROW_TRUTHS ? PyBool_FromLong(value != 0) : PyLong_FromLongLong(value);
    if (!one || PyTuple_SetItem(all, i, one)) Py_CLEAR(all);
  }
  return all;
}

/* What a function makes of numbers. */
static PyObject *decoded(PyObject *function, const int64_t *numbers, int32_t count) {
  PyObject *args = PyTuple_New(count);
  for (int32_t i = 0; args && i < count; ++i) {
    PyObject *one = PyLong_FromLongLong(numbers[i]);
    if (!one || PyTuple_SetItem(args, i, one)) Py_CLEAR(args);
  }
  PyObject *value = args ? PyObject_CallObject(function, args) : NULL;
  Py_XDECREF(args);
  return value;
}

static PyObject *placed(PyObject *helper, const reading *r, const int64_t *numbers) {
  PyObject *class, *given, *vector, *field;
  if (!PyArg_ParseTuple(helper, "O!OUU", &PyType_Type, &class, &given, &vector, &field))
    return NULL;
  const newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
  PyObject *path = PyUnicode_FromFormat("%U[%zd].%U", vector, r->number, field);
  PyObject *args =
      Py_BuildValue("((LOLN))", (long long)numbers[0], given, (long long)numbers[1], path);
  PyObject *made = args ? make((PyTypeObject *)class, args, NULL) : NULL;
  Py_XDECREF(args);
  return made;
}

static PyObject *slice(PyObject *helper, int64_t start, int64_t count, int32_t item) {
  PyObject *whole = PyTuple_GetItem(helper, 0), *loose = PyTuple_GetItem(helper, 1);
  if (!whole || !loose) return NULL;
  if (whole == Py_None || start % item)
    return PyObject_CallFunction(loose, "LL", (long long)start, (long long)count);
  const Py_ssize_t first = (Py_ssize_t)(start / item), length = (Py_ssize_t)count;
  const ndarray *x = ar_viewable(whole);
  if (x) return ar_view(x->descr, 1, &length, x->data + start, whole);
  return PySequence_GetSlice(whole, first, first + length);
}

/* What a tuple has at a place: a borrowed reference, NULL where that is nothing to be used. */
static PyObject *at(PyObject *all, int64_t place) {
  if (place < 0 || place >= PyTuple_Size(all)) return NULL;
  PyObject *found = PyTuple_GetItem(all, (Py_ssize_t)place);
  return found == Py_NotImplemented ? NULL : found;
}

static PyObject *child(const reading *r, PyObject *helper, const ar_row_field *f, int64_t place) {
  form inner;
  if (!read_form(helper, &inner)) return NULL;
  const int64_t *row = r->room + place;
  int is_there = 0;
  for (int32_t i = 0; i < f->item; ++i) is_there |= row[inner.fields[i].column] != 0;
  return is_there ? object_of(r, &inner, row) : kept(Py_None);
}

/* A union's table; `numbers` are its type, its place, and whether it is empty. */
static PyObject *opaque(const reading *r, PyObject *known, const int64_t *numbers) {
  Py_ssize_t schema;
  int type;
  PyObject *given, *keep;
  form inner;
  int64_t room[MOST_OPAQUE];
  if (!known) return NULL;
  if (!PyTuple_Check(known)) return kept(numbers[2] ? known : Py_None);
  if (!PyArg_ParseTuple(known, "niOO", &schema, &type, &given, &keep)) return NULL;
  if (!read_form(given, &inner)) return NULL;
  if (numbers[0] != type) return kept(Py_None);
  ar_fb_scan scan = *r->scan;
  scan.room = room, scan.room_count = MOST_OPAQUE, scan.used = 0;
  if (!ar_fb_verify_table((const ar_fb_schema *)schema, &scan, numbers[1])) return NULL;
  if (scan.used > MOST_OPAQUE) return NULL;
  r->scan->budget = scan.budget;
  const reading within = {&scan, room, 0};
  return object_of(&within, &inner, room);
}

static PyObject *value(const reading *r, const form *all, Py_ssize_t number, const int64_t *row) {
  const ar_row_field *f = &all->fields[number];
  if (f->child >= 0) {
    if (!row[f->child]) return kept(Py_None);
    row = r->room + row[f->child];
  }
  const int64_t *numbers = row + f->column, first = numbers[0];
  PyObject *helper = PyTuple_GetItem(all->helpers, number);
  if (f->kind == AR_ROW_INTEGER) return PyLong_FromLongLong(first);
  if (f->kind == AR_ROW_TRUTH) return PyBool_FromLong(first != 0);
  if (f->kind == AR_ROW_ITEM) return kept(at(helper, first));
  if (!first) return kept(PyTuple_GetItem(all->absent, number));
  /* Of all that is left `first` is a place, or of no use. */
  const uint8_t *place = r->scan->data + first;
  switch (f->kind) {
    case AR_ROW_TEXT:
      return PyUnicode_DecodeUTF8((const char *)place, (Py_ssize_t)numbers[1], "replace");
    case AR_ROW_BYTES:
      return PyBytes_FromStringAndSize((const char *)place, (Py_ssize_t)numbers[1]);
    case AR_ROW_REAL: return real(place, f->item);
    case AR_ROW_INTEGERS:
    case AR_ROW_TRUTHS: return integers(place, numbers[1], f);
    case AR_ROW_SLICE: return slice(helper, first, numbers[1], f->item);
    case AR_ROW_OBJECT: return child(r, helper, f, first);
    case AR_ROW_OPAQUE: return opaque(r, at(helper, row[f->item]), numbers);
    case AR_ROW_PLACED: return placed(helper, r, numbers);
    case AR_ROW_NOTHING: return NULL;
    default: return decoded(helper, numbers, f->item);
  }
}

/* Gives an object, or a tuple, its next value, whose reference it takes. */
static int put(const form *f, PyObject *made, Py_ssize_t number, PyObject *value) {
  if (f->type == Py_None) return PyTuple_SetItem(made, number, value) == 0;
  return ar_set(made, PyTuple_GetItem(f->names, number), value);
}

/* A tuple for as many values as there are. */
static PyObject *new_tuple(const form *f) {
  Py_ssize_t count = f->count;
  while (count > 0 && f->fields[count - 1].kind == AR_ROW_NOTHING) --count;
  return PyTuple_New(count);
}

static PyObject *object_of(const reading *r, const form *f, const int64_t *row) {
  PyObject *made = f->type == Py_None ? new_tuple(f) : ar_new_object(f->type);
  for (Py_ssize_t i = 0; made && i < f->count; ++i) {
    PyObject *one = value(r, f, i, row);
    const int has_value = f->fields[i].kind != AR_ROW_NOTHING;
    if (one && !has_value) Py_DECREF(one);
    else if (!one || !put(f, made, i, one)) Py_CLEAR(made);
  }
  return made;
}

/* rows(scan, place, step, count, form): a list of `count` objects or tuples, or None where the reader
 * in Python has to look at the file. `scan` is an address; `place` is the number of its room at which
 * the first table's row begins, `step` how far the next one is. */
static PyObject *rows(PyObject *, PyObject *args) {
  Py_ssize_t scan, place, step, count;
  PyObject *given;
  form f;
  if (!PyArg_ParseTuple(args, "nnnnO!", &scan, &place, &step, &count, &PyTuple_Type, &given))
    return NULL;
  if (!read_form(given, &f)) return NULL;
  reading r = {(ar_fb_scan *)scan, ((ar_fb_scan *)scan)->room, 0};
  PyObject *all = PyList_New(count);
  for (; all && r.number < count; ++r.number) {
    PyObject *one = object_of(&r, &f, r.room + place + r.number * step);
    if (!one || PyList_SetItem(all, r.number, one)) Py_CLEAR(all);
  }
  if (all || PyErr_Occurred()) return all;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"rows", rows, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int32_t ar_add_fb_objects(void) { return ar_add_functions(functions); }
