/* Arenite's native engine: what every kernel is given, and the program that runs them.
 *
 * No function here allocates, keeps state between calls or knows of Python; the extension
 * module and the firmware compile the same files. Memory comes from the caller, who asks for
 * sizes first (measure), has constants packed once (plan) and then runs as often as wanted.
 *
 * Layouts: activations NHWC, convolution weights OHWI, depthwise weights 1HWC.
 */
#ifndef ARENITE_H
#define ARENITE_H

#include <stdbool.h>
#include <stdint.h>

/* [cdef] from here on the declarations are read by the Python binding as well */

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
  AR_ABSENT = -1 /* an optional input that the model leaves out */
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

/* A kernel. `io` holds the operator's outputs, then its inputs, then at least three absent
 * tensors, so that optional inputs at the end may be left out. measure() and plan() see
 * constants' data only. Plans and workspaces are aligned to 64 bytes. */
typedef struct {
  const char *name; /* the operator's name in the schema */
  ar_measure_fn measure;
  ar_plan_fn plan;
  ar_run_fn run;
} ar_kernel;

/* Best last; one does not contain all others. */
typedef enum { AR_PORTABLE = 0, AR_AVX2 = 1, AR_AVXVNNI = 2, AR_AVX512VNNI = 3 } ar_isa;

/* Whether this CPU has an instruction set, and the best that it has. */
bool ar_has_isa(ar_isa isa);
ar_isa ar_best_isa(void);

/* The fastest kernel for an operator under an instruction set that takes these tensors, with
 * its sizes; NULL where there is none. */
const ar_kernel *ar_find_kernel(const char *name, ar_isa isa, const void *params,
                                const ar_tensor *io, ar_sizes *sizes, ar_isa *found);

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

/* -- parameter records, one per operator: the fields of the Python record of that name ------ */

/* Pairs are (height, width). */
typedef struct {
  int32_t output_size[2];
  int32_t filter_size[2];
  int32_t stride[2];
  int32_t dilation[2];
  int32_t padding[2];
} Window;

/* Convolutions' records and that of FULLY_CONNECTED begin with the same fields. */
typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  const int32_t *multiplier;
  const int32_t *shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  Window window;
  int32_t groups;
  int32_t filter_scratch;
} Conv2DParams;

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  const int32_t *multiplier;
  const int32_t *shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  Window window;
  int32_t depth_multiplier;
  int32_t filter_scratch;
} DepthwiseConv2DParams;

typedef struct {
  int32_t sign;
  double activation_min;
  double activation_max;
  int32_t input1_offset;
  int32_t input2_offset;
  int32_t output_offset;
  int32_t left_shift;
  int32_t input1_multiplier;
  int32_t input1_shift;
  int32_t input2_multiplier;
  int32_t input2_shift;
  int32_t output_multiplier;
  int32_t output_shift;
} AddSubParams;

typedef struct {
  double activation_min;
  double activation_max;
  int32_t input1_offset;
  int32_t input2_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
} MulDivParams;

typedef struct {
  Window window;
  double activation_min;
  double activation_max;
} Pool2DParams;

/* int8 tables hold the results for all inputs, indexed by the byte. */
typedef struct {
  int32_t input_zero_point;
  int32_t input_range_radius;
  int32_t input_multiplier;
  int32_t input_left_shift;
  const int8_t *table;
} SigmoidParams;

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  int32_t activation_min;
  int32_t activation_max;
  const int8_t *table;
} ReluParams;

typedef struct {
  double zero;
  double six;
} Relu6Params;

typedef struct {
  double alpha;
  int32_t input_offset;
  int32_t output_offset;
  int32_t multiplier_alpha;
  int32_t shift_alpha;
  int32_t multiplier_identity;
  int32_t shift_identity;
  int32_t low;
  int32_t high;
  const int8_t *table;
} LeakyReluParams;

typedef struct {
  const int8_t *table;
} EluParams;

typedef struct {
  int32_t input_offset;
  int32_t alpha_offset;
  int32_t output_offset;
  int32_t multiplier_identity;
  int32_t shift_identity;
  int32_t multiplier_alpha;
  int32_t shift_alpha;
  int32_t low;
  int32_t high;
} PreluParams;

typedef struct {
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t reluish_multiplier;
  int32_t reluish_exponent;
  int32_t output_multiplier;
  int32_t output_exponent;
  const int8_t *table;
} HardSwishParams;

typedef struct {
  int32_t zero_point;
  double scale;
  int32_t multiplier;
  int32_t shift;
  int32_t input_zero_point;
  int32_t output_min;
  int32_t output_max;
} QuantizeParams;

typedef struct {
  double scale;
  int32_t zero_point;
} DequantizeParams;

typedef struct {
  int64_t output_min;
  int64_t output_max;
} CastParams;

typedef struct {
  double beta;
  int32_t input_multiplier;
  int32_t input_left_shift;
  const int32_t *exp_table;
  const int32_t *reciprocal_table;
} SoftmaxParams;

typedef struct {
  int32_t input_multiplier;
  int32_t input_left_shift;
  int32_t reverse_multiplier;
  int32_t reverse_shift;
  int32_t diff_min;
  const int32_t *exp_table;
} LogSoftmaxParams;

typedef struct {
  int32_t axis; /* -1: input 1 is no constant */
} ArgMinMaxParams;

typedef struct {
  int32_t axis_mask; /* bit i: axis i goes; -1: input 1 is no constant */
  int32_t input_zero_point;
  int32_t output_zero_point;
  int32_t multiplier;
  int32_t shift;
  int32_t output_min;
  int32_t output_max;
  int32_t accumulator_scratch;
  int32_t input_index_scratch;
  int32_t axes_scratch;
} MeanParams;

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  const int32_t *multiplier;
  const int32_t *shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  int32_t filter_offset;
  int32_t filter_scratch;
} FullyConnectedParams;

typedef struct {
  int32_t input_offset;
  int32_t output_offset;
  const int32_t *multiplier;
  const int32_t *shift;
  double activation_min;
  double activation_max;
  bool accumulates_64_bits;
  int32_t stride[2];
  int32_t padding[2]; /* of the output */
  int32_t sums_scratch;
  int32_t bias_scratch;
} TransposeConvParams;

typedef struct {
  bool adj_x;
  bool adj_y;
  int32_t lhs_offset;
  int32_t rhs_offset;
  int32_t output_offset;
  int32_t output_multiplier;
  int32_t output_shift;
  int32_t activation_min;
  int32_t activation_max;
  bool accumulates_64_bits;
} BatchMatMulParams;

typedef struct {
  int64_t nbytes;
} CopyParams;

/* Parts in a whole: rounds of one block from each part, in elements. */
typedef struct {
  int64_t outer_size;
  int32_t parts;
  const int64_t *copy_sizes;
} Interleaving;

typedef struct {
  int32_t output_shape[5];
  int32_t start[5];
  int32_t stop[5];
  int32_t pad_value;
} PadParams;

typedef struct {
  int32_t start[4];
  int32_t size[4];
  int32_t stride[4];
} StridedSliceParams;

typedef struct {
  int32_t axis;
  int32_t batch_dims;
} GatherParams;

typedef struct {
  int64_t strides[5];
  int64_t slice_size;
} GatherNdParams;

typedef struct {
  int32_t multiples[6];
} TileParams;

typedef struct {
  int32_t perm[5];
  int32_t output_shape[5];
} TransposeParams;

typedef struct {
  const int32_t *lower;
  const int32_t *upper;
  const int32_t *fraction;
  const float *float_fraction;
} Interpolation;

typedef struct {
  Interpolation rows;
  Interpolation columns;
} ResizeBilinearParams;

typedef struct {
  const int32_t *rows;
  const int32_t *columns;
} ResizeNearestNeighborParams;

typedef struct {
  int32_t batches;
  int32_t filters;
  int32_t memory;
  int32_t rank;
  int32_t activation;
  int32_t input_zero_point;
  int32_t state_zero_point;
  int32_t output_zero_point;
  int32_t feature_multiplier;
  int32_t feature_shift;
  int32_t time_multiplier;
  int32_t time_shift;
  int32_t state_min;
  int32_t state_max;
  int32_t filter_scratch;
  int32_t unit_scratch;
} SvdfParams;

typedef struct {
  int32_t input_weights_offset;
  int32_t input_multiplier;
  int32_t input_shift;
  int32_t recurrent_weights_offset;
  int32_t recurrent_multiplier;
  int32_t recurrent_shift;
} GateParams;

typedef struct {
  int32_t multiplier;
  int32_t shift;
  int32_t output_offset;
  int32_t output_min;
  int32_t output_max;
} ProductParams;

/* Gates: forget, input, output, cell. */
typedef struct {
  bool time_major;
  int32_t batches;
  int32_t steps;
  int32_t inputs;
  int32_t units;
  int32_t input_offset;
  int32_t hidden_offset;
  GateParams gates[4];
  ProductParams forget_times_cell;
  ProductParams input_times_cell;
  ProductParams tanh_times_output;
  bool cell_gate_tanh;
  bool accumulates_64_bits;
  int32_t cell_scale_power;
  double cell_clip;
  int32_t quantized_cell_clip;
  int32_t scratch[4];
} LstmParams;

/* -- operators of .mnn files --------------------------------------------------------------- */

typedef struct {
  Window window;
  int32_t groups;
  bool is_depthwise;
  int32_t input_offset;
  double activation_min;
  double activation_max;
  bool fits_int32;
  const int32_t *start;
  const float *factor;
  const float *offset;
} MnnConvInt8Params;

/* Functions: see AR_MNN_FUNCTIONS in portable/mnn_binary_int8.c. */
typedef struct {
  int32_t function;
  double scale1;
  double scale2;
  double output_scale;
  int32_t zero_point1;
  int32_t zero_point2;
  int32_t output_zero_point;
  int32_t activation_min;
  int32_t activation_max;
} MnnBinaryInt8Params;

typedef struct {
  const int8_t *table;
} MnnLookupParams;

typedef struct {
  int32_t channels;
  const float *factors;
  double zero;
  int32_t activation_min;
  int32_t activation_max;
} MnnFloatToInt8Params;

typedef struct {
  int32_t channels;
  const float *factors;
  double zero;
} MnnInt8ToFloatParams;

/* For each output row and column two positions and two weights. */
typedef struct {
  int32_t input_zero_point;
  int32_t output_zero_point;
  const int32_t *rows;
  const int32_t *row_weights;
  const int32_t *columns;
  const int32_t *column_weights;
} MnnResizeBilinearInt8Params;

/* Rows of `pieces`: input, start, start in the output, sizes, strides, strides in the output. */
typedef struct {
  int32_t count;
  int32_t rank;
  const int64_t *pieces;
  bool clears;
} MnnRasterParams;

/* [/cdef] */

#endif
