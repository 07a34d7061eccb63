/* Tables that the verifier has found to be sound (formats/flatbuffer.c), as tuples of the values of
 * some of their fields. Only what the stable ABI has is used. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "module.h"
#include "rows.h"

enum { MOST_NUMBERS = 3 };

typedef struct {
  const uint8_t *data;        /* the file */
  const int64_t *room;        /* the numbers that were found */
  const ar_row_field *fields;
  Py_ssize_t field_count;
  PyObject *absent;           /* what stands for a field that is not there */
  PyObject *helpers;          /* of a slice the whole array or None, of what is decoded a function */
  PyObject *loose;            /* makes a slice that is not aligned */
} reading;

static PyObject *kept(PyObject *object) {
  Py_INCREF(object);
  return object;
}

static int64_t integer_at(const uint8_t *place, int32_t bytes) {
  uint64_t value = 0;
  for (int32_t i = 0; i < bytes; ++i)
    value |= (uint64_t)place[i] << (8 * i);
  const int32_t above = 64 - 8 * bytes;
  return (int64_t)(value << above) >> above;
}

static PyObject *integers(const uint8_t *place, int64_t count, const ar_row_field *f) {
  PyObject *all = PyTuple_New((Py_ssize_t)count);
  for (Py_ssize_t i = 0; all && i < count; ++i) {
    const int64_t value = integer_at(place + i * f->item, f->item);
    PyObject *one = f->kind == AR_ROW_TRUTHS ? PyBool_FromLong(value != 0)
                                             : PyLong_FromLongLong(value);
    if (!one || PyTuple_SetItem(all, i, one)) Py_CLEAR(all);
  }
  return all;
}

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

static PyObject *value(const reading *r, Py_ssize_t number, const int64_t *row) {
  const ar_row_field *f = &r->fields[number];
  if (f->child >= 0) {
    if (!row[f->child]) return kept(Py_None);
    row = r->room + row[f->child];
  }
  const int64_t *numbers = row + f->column, first = numbers[0];
  if (f->kind == AR_ROW_INTEGER) return PyLong_FromLongLong(first);
  if (f->kind == AR_ROW_TRUTH) return PyBool_FromLong(first != 0);
  if (!first) return kept(PyTuple_GetItem(r->absent, number));
  PyObject *helper = PyTuple_GetItem(r->helpers, number);
  const char *text = (const char *)r->data + first;
  switch (f->kind) {
    case AR_ROW_TEXT:
      return PyUnicode_DecodeUTF8(text, (Py_ssize_t)numbers[1], "replace");
    case AR_ROW_INTEGERS:
    case AR_ROW_TRUTHS:
      return integers(r->data + first, numbers[1], f);
    case AR_ROW_SLICE:
      if (helper == Py_None || first % f->item)
        return PyObject_CallFunction(r->loose, "nLL", number, (long long)first,
                                     (long long)numbers[1]);
      return PySequence_GetSlice(helper, (Py_ssize_t)(first / f->item),
                                 (Py_ssize_t)(first / f->item + numbers[1]));
    default:
      return decoded(helper, numbers, f->item);
  }
}

static PyObject *row_of(const reading *r, const int64_t *numbers) {
  PyObject *row = PyTuple_New(r->field_count);
  for (Py_ssize_t i = 0; row && i < r->field_count; ++i) {
    PyObject *one = value(r, i, numbers);
    if (!one || PyTuple_SetItem(row, i, one)) Py_CLEAR(row);
  }
  return row;
}

/* rows(data, room, fields, place, step, count, absent, helpers, loose): a list of `count` tuples. The
 * first three are addresses; `place` is the number of the room at which the first table's row
 * begins, `step` how far the next one is. */
static PyObject *rows(PyObject *module, PyObject *args) {
  (void)module;
  Py_ssize_t data, room, fields, place, step, count;
  reading r;
  if (!PyArg_ParseTuple(args, "nnnnnnO!O!O", &data, &room, &fields, &place, &step, &count,
                        &PyTuple_Type, &r.absent, &PyTuple_Type, &r.helpers, &r.loose))
    return NULL;
  r.data = (const uint8_t *)data;
  r.room = (const int64_t *)room;
  r.fields = (const ar_row_field *)fields;
  r.field_count = PyTuple_Size(r.absent);
  if (PyTuple_Size(r.helpers) != r.field_count) {
    PyErr_SetString(PyExc_ValueError, "expected a helper for every field");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < r.field_count; ++i)
    if (r.fields[i].kind == AR_ROW_DECODED && (uint32_t)r.fields[i].item > MOST_NUMBERS) {
      PyErr_SetString(PyExc_ValueError, "a field has more numbers than any");
      return NULL;
    }
  PyObject *all = PyList_New(count);
  for (Py_ssize_t i = 0; all && i < count; ++i) {
    PyObject *row = row_of(&r, r.room + place + i * step);
    if (!row || PyList_SetItem(all, i, row)) Py_CLEAR(all);
  }
  return all;
}

static PyMethodDef functions[] = {{"rows", rows, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int32_t ar_add_rows(void) { return ar_add_functions(functions); }
