/* The head of NumPy's array objects, whose layout is that of numpy/ndarraytypes.h since NumPy 1.0.
 * Include Python.h before. */
#ifndef ARENITE_NDARRAY_H
#define ARENITE_NDARRAY_H

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

#endif
