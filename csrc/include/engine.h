/* Arenite's native engine: what every kernel is given, and the program that runs them.
 *
 * No function here allocates, keeps state between calls or knows of Python. Memory comes from
 * the caller, who asks for sizes first (measure), has constants packed once (plan) and then runs
 * as often as wanted.
 *
 * Layouts: activations NHWC, convolution weights OHWI, depthwise weights 1HWC.
 *
 * Parameter records are in records/, one header per Python module that defines some. The Python
 * binding reads this folder as well: declarations only, nothing for the preprocessor but guards
 * and includes.
 */
#ifndef ARENITE_ENGINE_H
#define ARENITE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  AR_OK = 0,
  AR_UNSUPPORTED = 1,  /* this kernel does not take these types or shapes: ask the next one */
  AR_BAD_ARGUMENT = 2  /* the parameters contradict each other */
} ar_status;

/* Element types, with the codes of the TensorFlow Lite schema. */
enum {
  AR_FLOAT32 = 0,
  AR_INT32 = 2,
  AR_UINT8 = 3,
  AR_INT64 = 4,
  AR_BOOL = 6,
  AR_INT16 = 7,
  AR_INT8 = 9,
  AR_UINT32 = 15,
  AR_INT4 = 17,
  AR_ABSENT = -1, /* an optional input that the model leaves out */
  AR_END = -2     /* no tensor: behind it there is no memory */
};

/* One tensor of one run: where its data are, its type and shape (1 <= rank <= 6 in use). */
typedef struct {
  void *data;
  int32_t type;
  int32_t rank;
  int32_t dims[6];
} ar_tensor;

/* What a kernel needs besides its tensors, in bytes. */
typedef struct {
  int64_t plan;      /* lives as long as the program; filled by plan() */
  int64_t workspace; /* shared by all kernels of a program, valid during one run() */
} ar_sizes;

typedef ar_status (*ar_measure_fn)(const void *params, const ar_tensor *io, ar_sizes *sizes);
typedef ar_status (*ar_plan_fn)(const void *params, const ar_tensor *io, void *plan);
typedef ar_status (*ar_run_fn)(const void *params, const void *plan, const ar_tensor *io,
                               uint8_t *workspace);

/* A kernel. `io` holds the operator's outputs, at least one, then its inputs, at least one, then
 * three absent tensors, so that optional inputs at the end may be left out, and AR_END.
 * measure() and plan() see constants' data only. Plans and workspaces are aligned to 64 bytes.
 *
 * measure() takes a node if it can prove from types, dimensions and parameters that plan() and
 * run() stay inside the tensors, the parameters' arrays, the plan and the workspace, whatever
 * the tensors hold and however they overlap: see engine/proof.h. run() sees the tensors that
 * measure() saw, with their data. */
typedef struct {
  const char *name; /* the operator's name in the schema */
  ar_measure_fn measure;
  ar_plan_fn plan;
  ar_run_fn run;
} ar_kernel;

/* Best last; one does not contain all others. */
typedef enum {
  AR_PORTABLE = 0,
  AR_AVX2 = 1,
  AR_AVXVNNI = 2,
  AR_AVX512VNNI = 3,
  AR_ISA_COUNT
} ar_isa;

/* Whether this CPU has an instruction set, and the best that it has. */
bool ar_has_isa(ar_isa isa);
ar_isa ar_best_isa(void);

/* The fastest kernel for an operator under an instruction set that takes these tensors, with
 * its sizes; NULL where there is none. Before AR_END there are `count` tensors, the first
 * `outputs` of them written. */
const ar_kernel *ar_find_kernel(const char *name, ar_isa isa, const void *params,
                                const ar_tensor *io, int32_t outputs, int32_t count,
                                ar_sizes *sizes, ar_isa *found);

/* One step of a program: a kernel's run function and where its arguments are. */
typedef struct {
  ar_run_fn run;
  const void *params;
  const void *plan;
  int32_t first_tensor; /* into the tensors given to ar_run */
} ar_step;

/* Runs the steps [begin, end) in order; stops at the first that fails and tells which. */
ar_status ar_run(const ar_step *steps, int32_t begin, int32_t end, const ar_tensor *tensors,
                 uint8_t *workspace, int32_t *failed);

/* An input or output of a program: its tensor's memory. */
typedef struct {
  void *data;
  int64_t bytes;
} ar_port;

/* A whole inference. */
typedef struct {
  const ar_step *steps;
  int32_t count;
  const ar_tensor *tensors;
  uint8_t *workspace;
  const ar_port *inputs;
  const ar_port *outputs;
  int32_t input_count;
  int32_t output_count;
  int32_t failed; /* the step that failed, where a call returns anything but AR_OK */
} ar_program;

/* One inference of a program with one input and one output: copies x in, runs all steps, copies
 * the output to y unless that is NULL. */
ar_status ar_call(ar_program *program, const void *x, void *y);

/* As many inferences as there are samples. x[i] and y[i] hold the samples of input and output
 * i, one after the other; `done` counts the samples. */
ar_status ar_predict(ar_program *program, const uint8_t *const *x, uint8_t *const *y,
                     int64_t samples, int64_t *done);

/* A buffer that is to have a place, see src/arenite/memory/problem.py. */
typedef struct {
  int64_t size;       /* a multiple of the alignment */
  int64_t offset;     /* where it must be, or -1; then where it is */
  int32_t begin, end; /* alive at the moments [begin, end), at least one */
  int32_t rank;       /* its place in by_begin */
  int32_t before;     /* how many begin before it ends */
  int32_t together;   /* how many are alive with it, itself included */
  int32_t unused;
} ar_buffer;

/* Gives places to buffers in this order, each the lowest that is free; `by_begin` has their
 * numbers ordered by `begin`. Takes ar_greedy_bytes(count) of memory, aligned to 8 bytes. */
int64_t ar_greedy_bytes(int32_t count);
void ar_greedy(ar_buffer *buffers, const int32_t *order, const int32_t *by_begin, int32_t count,
               int64_t alignment, void *memory);

#endif
