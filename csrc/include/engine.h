/* Arenite's native engine: what every kernel is given, and the program that runs them.
 *
 * No function here allocates, keeps state between calls or knows of Python. Memory comes from
 * the caller, who asks for sizes first (measure), has constants packed once (plan) and then runs
 * as often as wanted.
 *
 * Layouts: activations NHWC, convolution weights OHWI, depthwise weights 1HWC.
 *
 * Parameter records are in records/, one header per Python module that defines some. The Python
 * binding reads this folder as well: declarations only, nothing for the preprocessor but includes,
 * each header once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  AR_OK = 0,
  AR_UNSUPPORTED = 1,  /* this kernel does not take these types or shapes: ask the next one */
  AR_BAD_ARGUMENT = 2, /* the parameters contradict each other */
  AR_ABORTED = 3,      /* the step has run, and ends the inference: nothing is wrong */
  AR_PAUSED = 4,       /* a loop has run for a while: ar_resume() goes on */
  AR_REFUSED = 5,      /* a caller's sample has a number that no value of the input stands for */
  AR_SPENT = 6         /* a control would call a subgraph, and no calls are left */
} ar_status;

/* Element types, with the codes of the TensorFlow Lite schema. */
enum {
  AR_FLOAT32 = 0,
  AR_FLOAT16 = 1,
  AR_INT32 = 2,
  AR_UINT8 = 3,
  AR_INT64 = 4,
  AR_BOOL = 6,
  AR_INT16 = 7,
  AR_COMPLEX64 = 8,
  AR_INT8 = 9,
  AR_FLOAT64 = 10,
  AR_UINT64 = 12,
  AR_RESOURCE = 13, /* the number of a variable, an int32 */
  AR_UINT32 = 15,
  AR_UINT16 = 16,
  AR_INT4 = 17, /* two in a byte */
  AR_BFLOAT16 = 18,
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
  int64_t work;  /* about as many products of int8 as run() takes the time of; 0 where unknown */
  int64_t order; /* of sums of floats: two of a kernel that say the same add in the same order */
} ar_sizes;

typedef ar_status (*ar_measure_fn)(const void *params, const ar_tensor *io, ar_sizes *sizes);
typedef ar_status (*ar_plan_fn)(const void *params, const ar_tensor *io, void *plan);
typedef ar_status (*ar_run_fn)(const void *params, const void *plan, const ar_tensor *io,
                               uint8_t *workspace);

/* Part `number` of `count` parts of a kernel's work. */
typedef struct {
  int32_t number;
  int32_t count;
} ar_share;

/* What run() does, in parts: all of them, in any order and at the same time, write what run() does.
 * A part may be empty. */
typedef ar_status (*ar_part_fn)(const void *params, const void *plan, const ar_tensor *io,
                                uint8_t *workspace, ar_share share);

/* A kernel. `io` holds the operator's outputs, at least one, then its inputs, at least one, then
 * the buffers in which it keeps its state (AR_UINT8 of rank 1, aligned to 16 bytes), then three
 * absent tensors, so that optional inputs at the end may be left out, and AR_END.
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
  ar_part_fn part; /* NULL where it cannot be shared; takes run()'s workspace for every part */
} ar_kernel;

/* Best last, by processor; one does not contain all others. */
typedef enum {
  AR_PORTABLE = 0,
  AR_AVX2 = 1,
  AR_AVXVNNI = 2,
  AR_AVX512VNNI = 3,
  AR_NEON = 4,
  AR_NEONDOT = 5,
  AR_NEONI8MM = 6,
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

/* A copy of one tensor to another, by their numbers. */
typedef struct {
  int32_t from;
  int32_t to;
  int64_t bytes;
} ar_copy;

typedef struct {
  const ar_copy *data;
  int64_t count;
} ar_copies;

typedef enum {
  AR_NOTHING = 0,   /* nothing is to be done */
  AR_IF = 1,        /* part 0 if the flag is set, else part 1 */
  AR_WHILE = 2,     /* part 0; as long as that sets the flag, part 1 and part 0 again */
  AR_CALL_ONCE = 3, /* part 0 unless the flag is set, which it is then */
  AR_STEPS = 4      /* part 0: the steps of one operator, which are no subgraph's; no flag */
} ar_control_kind;

/* A subgraph that a control calls: its steps [begin, end), what is copied before they run and
 * what behind them. The copies before part 0 of a WHILE are made once, when it begins. */
typedef struct {
  int32_t begin;
  int32_t end;
  ar_copies before;
  ar_copies after;
} ar_part;

/* A step that runs other steps. The flag is the first byte of a tensor. */
typedef struct {
  int32_t kind;
  int32_t flag;
  ar_part parts[2];
} ar_control;

/* One step of a program: a kernel's run function and where its arguments are; or a control; or
 * neither, which is a node for Python. Before a kernel runs, inputs that its output reaches into are
 * copied to where it reads them. */
typedef struct ar_step {
  ar_run_fn run;
  const void *params;
  const void *plan;
  int32_t first_tensor; /* into the program's tensors */
  const ar_control *control;
  ar_copies before;
  ar_part_fn part; /* for a program with a team; NULL where one thread runs the step */
  int32_t parts;
  const struct ar_step *both; /* instead of this and the next one where a walk runs both, or NULL */
} ar_step;

/* Two steps in a row that go through elements of one type one by one (AR_FLAT_KERNEL): the first makes y of x,
 * the second z of x and y, and nobody else reads y. The parameters of the kernel PAIR, which makes z of
 * x. */
typedef struct {
  const ar_step *first;
  bool reads_y[2]; /* which inputs of the second are y; others are x */
} ar_pair;

/* A kernel whose constants are to be packed, before its step runs for the first time. */
typedef struct {
  const ar_kernel *kernel;
  const void *params;
  const ar_tensor *tensors; /* as measure() saw them */
  void *plan;
  int32_t step;
} ar_parcel;

/* All of them, for all programs of the same steps; `count` is 0 once they are packed. */
typedef struct {
  const ar_parcel *parcels;
  int32_t count;
  ar_step *steps;
} ar_parcels;

/* A step before there is memory for its plan; all zeros but for `isa` where it is for Python. */
typedef struct {
  const ar_kernel *kernel; /* NULL for a control */
  const void *params;
  const ar_tensor *tensors; /* as measure() saw them */
  ar_sizes sizes;
  int32_t isa; /* whose kernel it is, -1 for Python */
  int32_t first_tensor;
  const ar_control *control;
  ar_copies before;
} ar_draft;

/* What all of them take: plans aligned to 64 bytes, and the largest workspace. */
void ar_add_up(const ar_draft *drafts, int32_t count, ar_sizes *total);

/* Makes steps of them, for one thread, whose plans lie from `plan` on; returns how many parcels that
 * is. There is room for as many as steps. */
int32_t ar_lay_out(const ar_draft *drafts, int32_t count, uint8_t *plan, ar_step *steps,
                   ar_parcel *parcels);

/* Packs constants. Two threads must not do it at once. Returns how many kernels could not, against
 * what they said when they were measured: their steps are AR_UNSUPPORTED from then on. */
int32_t ar_pack(ar_parcels *parcels);

/* What a caller gives for a quantised input, see src/arenite/runtime/io_conversion.py: the parameters of the
 * kernel FEED, which is no operator's. */
typedef struct {
  double scale;
  int32_t zero_point;
} ar_feed;

/* An input or output of a program: its tensor's memory, and how many bytes of the caller's are a
 * sample. Where the caller has another type than the tensor, `convert` is a kernel's run(), and `io`
 * its tensors: the output, which is the caller's behind an inference, and the input. */
typedef struct {
  void *data;
  int64_t bytes;
  ar_run_fn convert;
  const void *params;
  ar_tensor *io;
} ar_port;

/* Memory that an inference leaves to the next one, and what it held before the first. */
typedef struct {
  void *memory;
  const void *first;
  int64_t bytes;
} ar_state;

/* Where a walk is in one subgraph: the next step and the end, and which part of the control in the
 * frame below called it. That frame's next step is the control, until it is through. */
typedef struct {
  int32_t next;
  int32_t end;
  int32_t part;
} ar_frame;

/* Threads that share a program's steps, see team.h. */
typedef struct ar_team ar_team;

/* A whole inference. */
typedef struct {
  const ar_step *steps;
  int32_t count; /* of the main subgraph, which comes first */
  const ar_tensor *tensors;
  uint8_t *workspace; /* with a team, one after the other for every thread of it */
  ar_team *team;      /* NULL: the caller's thread runs all steps */
  const ar_port *inputs;
  const ar_port *outputs;
  int32_t input_count;
  int32_t output_count;
  const ar_state *states; /* with which every sample of ar_predict() begins; none: it goes on */
  int32_t state_count;
  ar_frame *frames; /* room for as many as calls are deep, and one more */
  int32_t frame_count;
  int32_t depth;  /* of the walk: frames[depth] is the current one */
  int32_t rounds; /* of loops, until the next look at the clock, which comes every so many */
  int32_t interval;
  int64_t since; /* when the walk began or went on, and the last look at the clock, in ns */
  int64_t last;
  ar_parcels *parcels; /* what the first run packs; NULL where there is nothing to pack */
  int64_t *calls;      /* how many subgraphs controls may still call; NULL: any number */
} ar_program;

/* Runs the steps [begin, end) in order, and what they call, once constants are packed. Where that ends before, frames[depth]
 * says at which step: AR_UNSUPPORTED is for whoever runs that step in another way, moves the frame's
 * next step on by one and goes on with ar_resume(). */
ar_status ar_run(ar_program *program, int32_t begin, int32_t end);
ar_status ar_resume(ar_program *program);

/* One inference on what the inputs hold: ar_run() of all steps. Its status comes as a number, and it
 * takes one argument, because both take cffi less time. */
int32_t ar_invoke(ar_program *program);

/* One inference of a program with one input and one output: copies x in, runs all steps, copies
 * the output to y unless that is NULL, also where a step has ended the inference. */
ar_status ar_call(ar_program *program, const void *x, void *y);

/* As many inferences as there are samples. x[i] and y[i] hold the samples of input and output
 * i, one after the other; `done` counts the samples. AR_REFUSED is for the next sample, before its
 * inference. */
ar_status ar_predict(ar_program *program, const uint8_t *const *x, uint8_t *const *y,
                     int64_t samples, int64_t *done);

/* What the outputs hold, as sample `number` of y. */
void ar_take_outputs(const ar_program *program, uint8_t *const *y, int64_t number);

/* A buffer that is to have a place, see src/arenite/memory/problem.py. */
typedef struct {
  int64_t size;       /* a multiple of the alignment */
  int64_t offset;     /* where it must be, or -1; then where it is */
  int32_t begin, end; /* alive at the moments [begin, end), at least one */
} ar_buffer;

/* Gives places to buffers in this order, each the lowest that is free: first those whose place is
 * known, then by descending size. Begins and ends are below `moments`, which is at most 2 * count.
 * Takes ar_greedy_bytes(count) of memory, aligned to 8 bytes. */
int64_t ar_greedy_bytes(int32_t count);
void ar_greedy(ar_buffer *buffers, const int32_t *order, int32_t count, int32_t moments,
               int64_t alignment, void *memory);
