/* The greedy planner's places out of Python's buffers, as src/arenite/memory/greedy.py defines them.
 * Only what the stable ABI has is used. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "module.h"
#include "python_module.h"

enum { SIZE, BEGIN, END, ALIGNMENT, OFFLINE, FIELDS }; /* of a Buffer of memory/problem.py */

static const int64_t most_bytes = (int64_t)1 << 40, most_buffers = 1 << 24;

/* A buffer's turn: those with fixed places as they come, then by descending size, of equal ones the
 * last first. */
typedef struct {
  int64_t size;
  int32_t number, is_fixed;
} turn;

typedef struct {
  int32_t count;
  int64_t alignment, first, last; /* moments */
  ar_buffer *buffers;
  int64_t *lives;   /* begin and end of each */
  int64_t *moments; /* the same, in their order */
  turn *turns;
  int32_t *order;
  void *room;
} plan;

static int take_memory(plan *p) {
  const size_t count = (size_t)p->count;
  p->buffers = PyMem_Malloc(count * sizeof *p->buffers);
  p->lives = PyMem_Malloc(2 * count * sizeof *p->lives);
  p->moments = PyMem_Malloc(2 * count * sizeof *p->moments);
  p->turns = PyMem_Malloc(count * sizeof *p->turns);
  p->order = PyMem_Malloc(count * sizeof *p->order);
  p->room = PyMem_Malloc((size_t)ar_greedy_bytes(p->count));
  return p->buffers && p->lives && p->moments && p->turns && p->order && p->room;
}

static void drop_memory(plan *p) {
  PyMem_Free(p->buffers);
  PyMem_Free(p->lives);
  PyMem_Free(p->moments);
  PyMem_Free(p->turns);
  PyMem_Free(p->order);
  PyMem_Free(p->room);
}

/* A field of a buffer that lies between two numbers; 0 for another one. */
static int integer(PyObject *buffer, int field, int64_t low, int64_t high, int64_t *into) {
  *into = PyLong_AsLongLong(PyTuple_GetItem(buffer, field));
  if (*into == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return 0;
  }
  return low <= *into && *into <= high;
}

/* Whether C may place a buffer, which it has then. */
static int read_buffer(plan *p, PyObject *given, int32_t number) {
  int64_t size, alignment, offset = -1, *life = p->lives + 2 * number;
  if (!PyTuple_Check(given) || PyTuple_Size(given) != FIELDS) return 0;
  if (!integer(given, BEGIN, -INT32_MAX, INT32_MAX, &life[0])) return 0;
  if (!integer(given, END, life[0] + 1, INT32_MAX, &life[1])) return 0;
  if (!integer(given, ALIGNMENT, 1, INT32_MAX, &alignment)) return 0;
  if (number && alignment != p->alignment) return 0;
  if (!integer(given, SIZE, 0, most_bytes, &size)) return 0;
  const int is_fixed = PyTuple_GetItem(given, OFFLINE) != Py_None;
  if (is_fixed && (!size || !integer(given, OFFLINE, 0, most_bytes, &offset))) return 0;
  p->alignment = alignment;
  if (!number || life[0] < p->first) p->first = life[0];
  if (!number || life[1] > p->last) p->last = life[1];
  size = (size + alignment - 1) / alignment * alignment;
  p->buffers[number] = (ar_buffer){.size = size, .offset = offset};
  p->turns[number] = (turn){size, number, is_fixed};
  return 1;
}

static int by_number(const void *a, const void *b) {
  const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

static int by_turn(const void *a, const void *b) {
  const turn *left = a, *right = b;
  if (left->is_fixed != right->is_fixed) return right->is_fixed - left->is_fixed;
  if (left->is_fixed) return left->number - right->number;
  if (left->size != right->size) return left->size < right->size ? 1 : -1;
  return right->number - left->number;
}

/* Gives lifetimes numbers below twice the buffers' count; returns how many there may be. */
static int32_t number_moments(plan *p) {
  const size_t all = 2 * (size_t)p->count;
  if (p->last - p->first < (int64_t)all) {
    for (int32_t i = 0; i < p->count; ++i) {
      p->buffers[i].begin = (int32_t)(p->lives[2 * i] - p->first);
      p->buffers[i].end = (int32_t)(p->lives[2 * i + 1] - p->first);
    }
    return (int32_t)(p->last - p->first + 1);
  }
  memcpy(p->moments, p->lives, all * sizeof *p->moments);
  qsort(p->moments, all, sizeof *p->moments, by_number);
  size_t count = 1;
  for (size_t i = 1; i < all; ++i)
    if (p->moments[i] != p->moments[count - 1]) p->moments[count++] = p->moments[i];
  for (size_t i = 0; i < all; ++i) {
    const int64_t *found = bsearch(&p->lives[i], p->moments, count, sizeof *p->moments, by_number);
    *(i % 2 ? &p->buffers[i / 2].end : &p->buffers[i / 2].begin) = (int32_t)(found - p->moments);
  }
  return (int32_t)count;
}

static void place(plan *p) {
  const int32_t moments = number_moments(p);
  qsort(p->turns, (size_t)p->count, sizeof *p->turns, by_turn);
  for (int32_t i = 0; i < p->count; ++i) p->order[i] = p->turns[i].number;
  ar_greedy(p->buffers, p->order, p->count, moments, p->alignment, p->room);
}

/* The offsets, and the end of the highest buffer. */
static PyObject *places_of(const plan *p) {
  int64_t top = 0;
  PyObject *offsets = PyTuple_New(p->count);
  for (int32_t i = 0; offsets && i < p->count; ++i) {
    const ar_buffer *b = &p->buffers[i];
    PyObject *offset = PyLong_FromLongLong(b->offset);
    if (b->offset + b->size > top) top = b->offset + b->size;
    if (!offset || PyTuple_SetItem(offsets, i, offset)) Py_CLEAR(offsets);
  }
  return offsets ? Py_BuildValue("(NL)", offsets, (long long)top) : NULL;
}

/* greedy_places(buffers): offsets of a tuple of buffers, and the size of the memory; None for what C
 * does not take: numbers that are too large or make no sense, alignments that differ. */
static PyObject *greedy_places(PyObject *, PyObject *buffers) {
  if (!PyTuple_Check(buffers) || PyTuple_Size(buffers) < 1) Py_RETURN_NONE;
  if (PyTuple_Size(buffers) > most_buffers) Py_RETURN_NONE;
  plan p = {.count = (int32_t)PyTuple_Size(buffers)};
  PyObject *found = NULL;
  int is_read = take_memory(&p);
  if (!is_read) PyErr_NoMemory();
  for (int32_t i = 0; is_read && i < p.count; ++i)
    is_read = read_buffer(&p, PyTuple_GetItem(buffers, i), i);
  if (is_read) {
    Py_BEGIN_ALLOW_THREADS;
    place(&p);
    Py_END_ALLOW_THREADS;
    found = places_of(&p);
  } else if (!PyErr_Occurred()) {
    found = Py_BuildValue("");
  }
  drop_memory(&p);
  return found;
}

static PyMethodDef functions[] = {{"greedy_places", greedy_places, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int32_t ar_add_greedy_planner(void) { return ar_add_functions(functions); }
