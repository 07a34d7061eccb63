/* The shortest way from a method of a Python class to an inference: no frame of Python's in between.
 *
 * A Shortcut is what an interpreter's calls need: the program, its inputs as NumPy has them,
 * and its outputs. Method descriptors made by shortened() take it where a call fits, and
 * the method that Python has everywhere else: other arguments, arrays that are arranged otherwise, an
 * arena in use. Only what the stable ABI has is used, and of NumPy the head of its array objects: a
 * Shortcut is refused where an array says otherwise of itself.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "engine.h"
#include "ndarray.h"
#include "python_module.h"

enum { MOST_PORTS = 8, MOST_DIMENSIONS = 8, TOKEN = 1 };

/* An input or output: what an array has to be, or is, and its bytes in the arena. */
typedef struct {
  PyObject *descr;
  void *data;
  size_t bytes;
  int nd;
  Py_ssize_t dims[MOST_DIMENSIONS];
} port;

typedef struct {
  PyObject_HEAD
  ar_program *program;
  PyTypeObject *array_type;
  PyObject *turn; /* a list, of native/turn.py: holds a token while nobody works in the arena */
  ar_new_array new_array;
  PyObject *rest; /* rest(status, is_predict): brings an inference to its end */
  PyObject *keep; /* what the program points to */
  int predicts;   /* whether predict() of one sample is a call */
  int inputs, outputs;
  port input[MOST_PORTS], output[MOST_PORTS];
} shortcut;

typedef enum { CALL, INVOKE, PREDICT, KINDS } kind;

static PyTypeObject *shortcut_type;
static PyObject *attribute;
static PyObject *originals[KINDS];
static char *docs[KINDS];

/* -- the shortcut */

static int32_t run(shortcut *s) {
  int32_t status;
  Py_BEGIN_ALLOW_THREADS
  status = ar_invoke(s->program);
  Py_END_ALLOW_THREADS
  return status;
}

/* Whether nobody works in the arena, who has it from now on. */
static int take_turn(shortcut *s) {
  return s->program && PyList_Size(s->turn) == TOKEN + 1 &&
         PyList_SetSlice(s->turn, TOKEN, TOKEN + 1, NULL) == 0;
}

static int fits(const shortcut *s, const port *p, PyObject *object) {
  if (Py_TYPE(object) != s->array_type) return 0;
  const ndarray *x = (const ndarray *)object;
  if (x->descr != p->descr || x->nd != p->nd || (x->flags & AR_ARRANGED) != AR_ARRANGED) return 0;
  for (int i = 0; i < p->nd; ++i)
    if (x->dims[i] != p->dims[i]) return 0;
  return 1;
}

static PyObject *copied(const shortcut *s, const port *p) {
  Py_INCREF(p->descr); /* which the new array takes */
  PyObject *copy = s->new_array(s->array_type, p->descr, p->nd, p->dims, NULL, NULL, 0, NULL);
  if (copy) memcpy(((ndarray *)copy)->data, p->data, p->bytes);
  return copy;
}

static PyObject *outputs(const shortcut *s) {
  if (s->outputs == 1) return copied(s, &s->output[0]);
  PyObject *all = PyTuple_New(s->outputs);
  for (int i = 0; all && i < s->outputs; ++i) {
    PyObject *one = copied(s, &s->output[i]);
    if (!one || PyTuple_SetItem(all, i, one)) Py_CLEAR(all);
  }
  return all;
}

/* The end of an inference in Python: whether all of it ran, as an object. */
static PyObject *finished(shortcut *s, int32_t status, int is_predict) {
  if (status == AR_OK) Py_RETURN_TRUE;
  return PyObject_CallFunction(s->rest, "ii", (int)status, is_predict);
}

/* An inference of these inputs, whose turn it is: its outputs. */
static PyObject *inference(shortcut *s, PyObject *const *args, int is_predict) {
  for (int i = 0; i < s->inputs; ++i) {
    const port *p = &s->input[i];
    memmove(p->data, ((const ndarray *)args[i])->data, p->bytes); /* it may be the input itself */
  }
  PyObject *done = finished(s, run(s), is_predict);
  if (!done) return NULL;
  Py_DECREF(done);
  return outputs(s);
}

/* Gives the turn back, whatever came of it. */
static PyObject *given_back(shortcut *s, PyObject *result) {
  PyObject *type = NULL, *value = NULL, *traceback = NULL;
  if (!result) PyErr_Fetch(&type, &value, &traceback);
  if (PyList_Append(s->turn, Py_None)) Py_CLEAR(result);
  if (type) PyErr_Restore(type, value, traceback);
  Py_DECREF(s);
  return result;
}

/* An interpreter's shortcut, which has the turn; NULL where there is none, or no turn. */
static shortcut *taken(PyObject *self) {
  PyObject *found = PyObject_GetAttr(self, attribute);
  if (!found) {
    PyErr_Clear();
    return NULL;
  }
  if (Py_TYPE(found) == shortcut_type && take_turn((shortcut *)found)) return (shortcut *)found;
  if (PyErr_Occurred()) PyErr_Clear();
  Py_DECREF(found);
  return NULL;
}

/* -- the methods */

/* What the method in Python makes of these arguments. */
static PyObject *original(kind which, PyObject *self, PyObject *const *args, Py_ssize_t count,
                          PyObject *names) {
  PyObject *result = NULL, *named = NULL, *all = PyTuple_New(count + 1);
  if (!all) return NULL;
  Py_INCREF(self);
  PyTuple_SetItem(all, 0, self);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Py_INCREF(args[i]);
    PyTuple_SetItem(all, i + 1, args[i]);
  }
  const Py_ssize_t more = names ? PyTuple_Size(names) : 0;
  if (more && !(named = PyDict_New())) goto end;
  for (Py_ssize_t i = 0; i < more; ++i)
    if (PyDict_SetItem(named, PyTuple_GetItem(names, i), args[count + i])) goto end;
  result = PyObject_Call(originals[which], all, named);
end:
  Py_DECREF(all);
  Py_XDECREF(named);
  return result;
}

static PyObject *with_inputs(kind which, PyObject *self, PyObject *const *args, Py_ssize_t count,
                             PyObject *names) {
  if (names && PyTuple_Size(names)) return original(which, self, args, count, names);
  PyObject *found = PyObject_GetAttr(self, attribute);
  if (!found) PyErr_Clear();
  shortcut *s = found && Py_TYPE(found) == shortcut_type ? (shortcut *)found : NULL;
  int all_fit = s && count == s->inputs && (which == CALL || s->predicts);
  for (int i = 0; all_fit && i < s->inputs; ++i) all_fit = fits(s, &s->input[i], args[i]);
  if (all_fit && take_turn(s)) return given_back(s, inference(s, args, which == PREDICT));
  if (PyErr_Occurred()) PyErr_Clear();
  Py_XDECREF(found);
  return original(which, self, args, count, names);
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  return with_inputs(CALL, self, args, count, names);
}

static PyObject *predict(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  return with_inputs(PREDICT, self, args, count, names);
}

static PyObject *invoke(PyObject *self, PyObject *) {
  shortcut *s = taken(self);
  if (!s) return original(INVOKE, self, NULL, 0, NULL);
  return given_back(s, finished(s, run(s), 0));
}

/* shortened(class, kind, doc, function): a method of the class that takes the shortcut, or is the
 * function. `doc` begins with the signature. */
static PyObject *shortened(PyObject *, PyObject *args) {
  static PyMethodDef methods[KINDS] = {
      {"__call__", (PyCFunction)(void (*)(void))call, METH_FASTCALL | METH_KEYWORDS, NULL},
      {"invoke", invoke, METH_NOARGS, NULL},
      {"predict", (PyCFunction)(void (*)(void))predict, METH_FASTCALL | METH_KEYWORDS, NULL},
  };
  PyObject *owner, *function;
  int which;
  const char *doc;
  if (!PyArg_ParseTuple(args, "O!isO", &PyType_Type, &owner, &which, &doc, &function)) return NULL;
  if (which < 0 || which >= KINDS || originals[which]) {
    PyErr_SetString(PyExc_ValueError, "expected a kind that was not there before");
    return NULL;
  }
  docs[which] = PyMem_Malloc(strlen(doc) + 1);
  if (!docs[which]) return PyErr_NoMemory();
  methods[which].ml_doc = strcpy(docs[which], doc);
  Py_INCREF(function);
  originals[which] = function;
  return PyDescr_NewMethod((PyTypeObject *)owner, &methods[which]);
}

/* -- the type */

/* Whether an array is what its own words say, and lies as a copy of it would. */
static int set_port(port *p, PyObject *array, Py_ssize_t address, Py_ssize_t bytes, int flags) {
  const ndarray *x = (const ndarray *)array;
  if ((Py_ssize_t)x->data != address || x->flags != flags) return 0;
  if (x->nd < 0 || x->nd > MOST_DIMENSIONS || (x->flags & AR_ARRANGED) != AR_ARRANGED) return 0;
  p->descr = PyObject_GetAttrString(array, "dtype");
  if (!p->descr || p->descr != x->descr) return 0;
  p->data = x->data;
  p->bytes = (size_t)bytes;
  p->nd = x->nd;
  if (x->nd) memcpy(p->dims, x->dims, (size_t)x->nd * sizeof p->dims[0]);
  return 1;
}

/* Arrays as (array, address, bytes, flags); how many, or -1 where one is not what is said. */
static int set_ports(shortcut *s, port *ports, PyObject *arrays) {
  const Py_ssize_t count = PyTuple_Size(arrays);
  if (count < 1 || count > MOST_PORTS) return -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *array;
    Py_ssize_t address, bytes;
    int flags;
    if (!PyArg_ParseTuple(PyTuple_GetItem(arrays, i), "Onni", &array, &address, &bytes, &flags))
      return -1;
    if (s->array_type && s->array_type != Py_TYPE(array)) return -1;
    s->array_type = Py_TYPE(array);
    if (!set_port(&ports[i], array, address, bytes, flags)) return -1;
  }
  return (int)count;
}

/* Shortcut(program, inputs, outputs, turn, rest, keep, functions, predicts): the program is
 * an address, arrays are as set_ports() takes them, functions NumPy's table. */
static PyObject *new_shortcut(PyTypeObject *type, PyObject *args, PyObject *) {
  Py_ssize_t program;
  PyObject *inputs, *results, *turn, *rest, *keep, *functions;
  int predicts;
  if (!PyArg_ParseTuple(args, "nO!O!O!OOOp", &program, &PyTuple_Type, &inputs, &PyTuple_Type,
                        &results, &PyList_Type, &turn, &rest, &keep, &functions, &predicts))
    return NULL;
  void **table = PyCapsule_GetPointer(functions, NULL);
  if (!table) return NULL;
  shortcut *s = (shortcut *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!s) return NULL;
  s->program = (ar_program *)program;
  s->new_array = (ar_new_array)table[AR_NEW_FROM_DESCR];
  s->turn = (Py_INCREF(turn), turn);
  s->rest = (Py_INCREF(rest), rest);
  s->keep = (Py_INCREF(keep), keep);
  s->predicts = predicts;
  s->inputs = set_ports(s, s->input, inputs);
  s->outputs = set_ports(s, s->output, results);
  if (s->inputs > 0 && s->outputs > 0) return (PyObject *)s;
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "arrays are not what they are known as");
  Py_DECREF(s);
  return NULL;
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
  shortcut *s = (shortcut *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(s->turn);
  Py_VISIT(s->rest);
  Py_VISIT(s->keep);
  return 0;
}

static int clear(PyObject *self) {
  shortcut *s = (shortcut *)self;
  s->program = NULL; /* no turn is taken any more */
  Py_CLEAR(s->rest);
  Py_CLEAR(s->keep);
  return 0;
}

static void dealloc(PyObject *self) {
  shortcut *s = (shortcut *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  Py_CLEAR(s->turn);
  for (int i = 0; i < MOST_PORTS; ++i) {
    Py_CLEAR(s->input[i].descr);
    Py_CLEAR(s->output[i].descr);
  }
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_new, new_shortcut},
    {Py_tp_dealloc, dealloc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {0, NULL},
};
static PyType_Spec spec = {"arenite.native._engine.Shortcut", sizeof(shortcut), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
static PyMethodDef function = {"shortened", shortened, METH_VARARGS, NULL};

int32_t ar_add_fast_call(void) {
#ifdef Py_GIL_DISABLED
  return 0; /* two threads could find the same token */
#endif
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *module = PyImport_ImportModule("arenite.native._engine");
  PyObject *type = PyType_FromSpec(&spec), *made = PyCFunction_NewEx(&function, NULL, NULL);
  attribute = PyUnicode_InternFromString("_shortcut");
  const int added = module && type && made && attribute &&
                    PyObject_SetAttrString(module, "Shortcut", type) == 0 &&
                    PyObject_SetAttrString(module, "shortened", made) == 0;
  shortcut_type = (PyTypeObject *)type;
  Py_XDECREF(module);
  Py_XDECREF(made);
  if (!added) PyErr_Clear();
  PyGILState_Release(state);
  return added;
}
