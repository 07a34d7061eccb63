/* The head of NumPy's array objects, whose layout is that of numpy/ndarraytypes.h since NumPy 1.0.
 * Include Python.h before. */
#pragma once

/* NumPy's flags: in C's order, and aligned as well; and what is no constant. */
enum { AR_IN_A_ROW = 0x0001, AR_ARRANGED = AR_IN_A_ROW | 0x0100, AR_WRITEABLE = 0x0400 };

typedef struct {
  PyObject_HEAD
  char *data;
  int nd;
  Py_ssize_t *dims;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descr;
  int flags;
} ndarray;

/* Functions in NumPy's table for C, whose places are part of its ABI: PyArray_NewFromDescr and
 * PyArray_SetBaseObject. */
enum { AR_NEW_FROM_DESCR = 94, AR_SET_BASE_OBJECT = 282 };
typedef PyObject *(*ar_new_array)(PyTypeObject *, PyObject *, int, const Py_ssize_t *,
                                  const Py_ssize_t *, void *, int, PyObject *);
typedef int (*ar_set_base)(PyObject *, PyObject *);

/* Of numbers that are known: float32, int64 and int32. */
typedef enum { AR_REALS, AR_LONGS, AR_INTS, AR_KINDS } ar_number_kind;

/* An array of NumPy's own class, of a kind, of so many dimensions and with these flags, or NULL. */
const ndarray *ar_numbers(PyObject *object, ar_number_kind kind, int nd, int flags);

/* An array of NumPy's own class whose numbers lie in a row and are aligned, if there is NumPy's table of
 * functions for C; or NULL. */
const ndarray *ar_viewable(PyObject *object);

/* A read-only array of a dtype in the memory of one that is viewable, at an address that suits it: a new
 * reference, or NULL with an error. A slice in Python takes twice as long. */
PyObject *ar_view(PyObject *descr, int nd, const Py_ssize_t *dims, char *data, PyObject *owner);
