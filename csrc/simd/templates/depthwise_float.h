/* DEPTHWISE_CONV_2D on float32 with one output channel per input channel, a register of
 * AR_LANES channels at a time. Include an instruction set's lanes.h before.
 *
 * 3x3 windows over whole registers of channels leave out the taps beside the image. For others only the
 * rows that windows meet next have their border, in a ring: a copy of the whole image would leave the
 * first cache. */
#include <string.h>

#include "engine.h"
#include "convolution/staging.h"
#include "records/depthwise_conv_2d.h"
#include "records/window.h"

typedef struct {
  ar_staging staging;
  int32_t batches, rows, columns, channels;
  int32_t units; /* of AR_LANES: all channels, or one with repeated channels */
  int32_t flat;  /* whole columns lie side by side in a unit */
  int32_t taps_high, taps_wide;
  int32_t stride_rows, tap_rows;       /* in rows, from one output or tap to the next */
  int32_t stride_columns, tap_columns; /* likewise, in floats */
  int32_t ring_rows;                   /* that are given their border; 0 where there is none */
  int64_t ring_floats;                 /* of one of them */
  int32_t slides;                      /* see slide_block */
  int32_t beside;                      /* LEFT or RIGHT, of rows without a border */
  float low, high;
} float_plan;

enum { HEADER = 192, MOST_ROWS = 128 };
/* Outputs that share what is loaded, as registers allow: see slide_block. */
enum { ROWS_AT_ONCE = AR_LANES == 8 ? 1 : 2, COLUMNS_AT_ONCE = 4 };

static float *packed_of(void *plan) { return (float *)((uint8_t *)plan + HEADER); }

/* What is beside a row of the image, or 0: taps there may be left out. */
enum { LEFT = 1, RIGHT = 2 };

/* LEFT and RIGHT where windows reach one position beyond an end of a row; -1 where they reach further. */
static int32_t beside_row(const ar_staging *s, int32_t position_bytes) {
  const int32_t left = s->left_bytes / position_bytes;
  const int32_t right = (s->staged_row_bytes - s->row_bytes) / position_bytes - left;
  return left > 1 || right > 1 ? -1 : (left ? LEFT : 0) | (right ? RIGHT : 0);
}

static ar_status describe(const DepthwiseConv2DParams *params, const ar_tensor *io,
                          float_plan *plan) {
  const ar_tensor *y = &io[0], *x = &io[1], *weights = &io[2], *bias = &io[3];
  if (x->type != AR_FLOAT32 || weights->type != AR_FLOAT32 || y->type != AR_FLOAT32)
    return AR_UNSUPPORTED;
  if (bias->type != AR_ABSENT && (bias->type != AR_FLOAT32 || !bias->data)) return AR_UNSUPPORTED;
  if (params->depth_multiplier != 1 || !weights->data) return AR_UNSUPPORTED;
  if (x->rank != 4 || weights->rank != 4 || weights->dims[0] != 1) return AR_UNSUPPORTED;
  const Window window = ar_plain_window(&params->window), *w = &window;
  const int32_t c = x->dims[3];
  if (!ar_slides(&params->window, y, x, weights->dims[1], weights->dims[2], c) ||
      weights->dims[3] != c || !ar_has_or_lacks(bias, c))
    return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  const ar_status staged = ar_stage_window(&plan->staging, w, x->dims[1], x->dims[2], c * 4, 0);
  if (staged != AR_OK) return staged;
  /* An infinity times the zeros of the border is no number. */
  if (!ar_needs_no_border(&plan->staging) && !ar_are_finite(weights->data, ar_elements(weights)))
    return AR_UNSUPPORTED;
  if (w->filter_size[0] >= MOST_ROWS) return AR_UNSUPPORTED;
  plan->batches = x->dims[0];
  plan->rows = w->output_size[0];
  plan->columns = w->output_size[1];
  plan->channels = c;
  plan->flat = c < AR_LANES && AR_LANES % c == 0 && w->stride[1] == 1;
  plan->units = plan->flat ? 1 : (c + AR_LANES - 1) / AR_LANES;
  plan->taps_high = w->filter_size[0];
  plan->taps_wide = w->filter_size[1];
  plan->stride_rows = w->stride[0];
  plan->stride_columns = w->stride[1] * c;
  plan->tap_rows = w->dilation[0];
  plan->tap_columns = w->dilation[1] * c;
  plan->low = (float)params->activation_min;
  plan->high = (float)params->activation_max;
  plan->slides = !plan->flat && plan->taps_high == 3 && plan->taps_wide == 3 &&
                 w->stride[0] == w->stride[1] && w->stride[0] <= 2 && w->dilation[0] == 1 &&
                 w->dilation[1] == 1;
  /* Loads of whole vectors go past the last channels. */
  const int32_t beside = c % AR_LANES ? -1 : beside_row(&plan->staging, c * 4);
  const int direct = beside == 0 || (beside > 0 && plan->slides);
  plan->beside = direct ? beside : 0;
  const int32_t together = plan->slides ? ROWS_AT_ONCE : 1;
  const int64_t met = 1 + (int64_t)(plan->taps_high - 1) * plan->tap_rows +
                      (int64_t)(together - 1) * plan->stride_rows;
  plan->ring_rows = direct ? 0 : met < x->dims[1] ? (int32_t)met : x->dims[1];
  plan->ring_floats = (plan->staging.staged_row_bytes / 4 + 2 * AR_LANES) / AR_LANES * AR_LANES;
  return AR_OK;
}

static ar_status float_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  float_plan plan;
  ar_status status = describe(params, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan =
      HEADER + (int64_t)4 * AR_LANES * plan.units * (1 + (int64_t)plan.taps_high * plan.taps_wide);
  sizes->workspace = (1 + plan.ring_rows) * plan.ring_floats * 4;
  return AR_OK;
}

/* Per unit: biases, then the weights of each tap; lanes without a channel hold zeros. */
static ar_status float_make_plan(const void *params, const ar_tensor *io, void *memory) {
  float_plan *plan = memory;
  ar_status status = describe(params, io, plan);
  if (status != AR_OK) return status;
  const float *weights = io[2].data, *bias = io[3].type == AR_ABSENT ? 0 : io[3].data;
  const int32_t taps = plan->taps_high * plan->taps_wide;
  float *packed = packed_of(memory);
  for (int32_t u = 0; u < plan->units; ++u, packed += AR_LANES * (1 + taps))
    for (int32_t lane = 0; lane < AR_LANES; ++lane) {
      const int32_t i = u * AR_LANES + lane, c = plan->flat ? i % plan->channels : i;
      const int exists = c < plan->channels;
      packed[lane] = exists && bias ? bias[c] : 0.0f;
      for (int32_t t = 0; t < taps; ++t)
        packed[(1 + t) * AR_LANES + lane] =
            exists ? weights[(int64_t)t * plan->channels + c] : 0.0f;
    }
  return AR_OK;
}

/* -- single rows ------------------------------------------------------------------------------- */

/* Where the rows of a window begin. */
typedef const float *const *row_list;

AR_INLINE ar_vector one_unit(const float_plan *plan, row_list rows, int64_t at,
                             const float *packed) {
  ar_vector acc = ar_load_vector(packed);
  packed += AR_LANES;
  for (int32_t i = 0; i < plan->taps_high; ++i)
    for (int32_t j = 0; j < plan->taps_wide; ++j, packed += AR_LANES)
      acc = ar_fma_vector(ar_load_vector(rows[i] + at + j * plan->tap_columns),
                          ar_load_vector(packed), acc);
  return acc;
}

/* `count` vectors, `advance` floats apart in the input. */
typedef struct {
  int64_t at, count, advance;
  int32_t lanes;
  int64_t y_advance;
} vector_run;

/* 3x3 with weights in registers. */
static void three_by_three(const float_plan *plan, row_list rows, vector_run run,
                           const float *packed, float *y) {
  const int64_t column = plan->tap_columns;
  const ar_vector bias = ar_load_vector(packed);
  const ar_vector low = ar_set_vector(plan->low), high = ar_set_vector(plan->high);
  const float *const x[3] = {rows[0] + run.at, rows[1] + run.at, rows[2] + run.at};
  ar_vector w[9];
#pragma clang loop unroll(full)
  for (int t = 0; t < 9; ++t) w[t] = ar_load_vector(packed + AR_LANES * (1 + t));
  for (int64_t i = 0, at = 0; i < run.count; ++i, at += run.advance, y += run.y_advance) {
    ar_vector acc[3];
#pragma clang loop unroll(full)
    for (int r = 0; r < 3; ++r) {
      const float *taps = x[r] + at;
      acc[r] = ar_fma_vector(ar_load_vector(taps), w[3 * r], r ? ar_set_vector(0.0f) : bias);
      acc[r] = ar_fma_vector(ar_load_vector(taps + column), w[3 * r + 1], acc[r]);
      acc[r] = ar_fma_vector(ar_load_vector(taps + 2 * column), w[3 * r + 2], acc[r]);
    }
    const ar_vector sum = ar_add_vector(acc[0], ar_add_vector(acc[1], acc[2]));
    ar_store_vector(y, sum, low, high, run.lanes);
  }
}

static void vectors(const float_plan *plan, row_list rows, vector_run run, const float *packed,
                    float *y) {
  if (plan->taps_high == 3 && plan->taps_wide == 3) {
    three_by_three(plan, rows, run, packed, y);
    return;
  }
  const ar_vector low = ar_set_vector(plan->low), high = ar_set_vector(plan->high);
  for (int64_t i = 0; i < run.count; ++i, run.at += run.advance, y += run.y_advance)
    ar_store_vector(y, one_unit(plan, rows, run.at, packed), low, high, run.lanes);
}

static void output_row(const float_plan *plan, row_list rows, const float *packed, float *y) {
  const int32_t c = plan->channels;
  if (plan->flat) {
    const int64_t elements = (int64_t)plan->columns * c, whole = elements / AR_LANES;
    vectors(plan, rows, (vector_run){0, whole, AR_LANES, AR_LANES, AR_LANES}, packed, y);
    const int32_t rest = (int32_t)(elements % AR_LANES);
    const int64_t done = whole * AR_LANES;
    if (rest) vectors(plan, rows, (vector_run){done, 1, 0, rest, 0}, packed, y + done);
    return;
  }
  const int64_t unit = AR_LANES * (1 + plan->taps_high * plan->taps_wide);
  for (int32_t first = 0; first < c; first += AR_LANES, packed += unit) {
    const int32_t left = c - first;
    const int32_t lanes = left < AR_LANES ? left : AR_LANES;
    vectors(plan, rows, (vector_run){first, plan->columns, plan->stride_columns, lanes, c}, packed,
            y + first);
  }
}

/* -- rows that share what is loaded ------------------------------------------------------------ */

/* 3x3 with dilation 1: ROWS times COUNT outputs from one vector of channels, which lie `step` floats
 * apart in a row, and taps too. A vector of inputs serves all outputs that meet it. The first input is
 * beside the image with LEFT, the last one with RIGHT. */
AR_INLINE void slide_block(const int ROWS, const int STRIDE, const int COUNT, const int BESIDE,
                           row_list rows, int64_t at, int64_t step, const ar_vector *w,
                           const float_plan *plan, const float *packed, int32_t lanes, float *y) {
  const int LAST = STRIDE * (COUNT - 1) + 2;
  const ar_vector bias = ar_load_vector(packed);
  ar_vector acc[ROWS_AT_ONCE][COLUMNS_AT_ONCE]; /* ROWS by COUNT would grow the stack */
#pragma clang loop unroll(full)
  for (int r = 0; r < ROWS; ++r)
#pragma clang loop unroll(full)
    for (int k = 0; k < COUNT; ++k) acc[r][k] = bias;
#pragma clang loop unroll(full)
  for (int c = BESIDE & LEFT ? 1 : 0; c <= LAST - (BESIDE & RIGHT ? 1 : 0); ++c)
#pragma clang loop unroll(full)
    for (int i = 0; i < STRIDE * (ROWS - 1) + 3; ++i) {
      const ar_vector x = ar_load_vector(rows[i] + at + c * step);
#pragma clang loop unroll(full)
      for (int r = 0; r < ROWS; ++r)
#pragma clang loop unroll(full)
        for (int k = 0; k < COUNT; ++k) {
          const int down = i - STRIDE * r, along = c - STRIDE * k;
          if (down >= 0 && down < 3 && along >= 0 && along < 3)
            acc[r][k] = ar_fma_vector(x, w[3 * down + along], acc[r][k]);
        }
    }
  const ar_vector low = ar_set_vector(plan->low), high = ar_set_vector(plan->high);
  const int64_t row = (int64_t)plan->columns * plan->channels;
#pragma clang loop unroll(full)
  for (int r = 0; r < ROWS; ++r)
#pragma clang loop unroll(full)
    for (int k = 0; k < COUNT; ++k)
      ar_store_vector(y + r * row + k * step, acc[r][k], low, high, lanes);
}

AR_INLINE void slide(const int ROWS, const int STRIDE, const float_plan *plan, row_list rows,
                     const float *packed, float *y) {
  const int32_t c = plan->channels, columns = plan->columns;
  const int32_t parts = (columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE;
  for (int32_t first = 0; first < c; first += AR_LANES, packed += AR_LANES * 10) {
    const int32_t lanes = c - first < AR_LANES ? c - first : AR_LANES;
    ar_vector w[9];
#pragma clang loop unroll(full)
    for (int t = 0; t < 9; ++t) w[t] = ar_load_vector(packed + AR_LANES * (1 + t));
#define SLIDE(COUNT, BESIDE)                                                            \
  case COUNT << 2 | BESIDE:                                                             \
    slide_block(ROWS, STRIDE, COUNT, BESIDE, rows, at, c, w, plan, packed, lanes, out); \
    break;
#define SLIDE_BESIDE(COUNT) SLIDE(COUNT, 0) SLIDE(COUNT, LEFT) SLIDE(COUNT, RIGHT) SLIDE(COUNT, 3)
    int64_t at = first - (int64_t)(plan->beside & LEFT ? c : 0);
    float *out = y + first;
    for (int32_t i = 0; i < parts; ++i) {
      const int32_t count = columns / parts + (i < columns % parts);
      const int32_t ends = (i == 0 ? LEFT : 0) | (i == parts - 1 ? RIGHT : 0);
      switch (count << 2 | (ends & plan->beside)) {
        SLIDE_BESIDE(1) SLIDE_BESIDE(2) SLIDE_BESIDE(3) SLIDE_BESIDE(4)
      }
      at += (int64_t)count * STRIDE * c;
      out += (int64_t)count * c;
    }
#undef SLIDE_BESIDE
#undef SLIDE
  }
}

#define SLIDE_ROWS(NAME, ROWS, STRIDE)                                                     \
  static void NAME(const float_plan *plan, row_list rows, const float *packed, float *y) { \
    slide(ROWS, STRIDE, plan, rows, packed, y);                                            \
  }
SLIDE_ROWS(slide_row, 1, 1)
SLIDE_ROWS(slide_rows, ROWS_AT_ONCE, 1)
SLIDE_ROWS(stride_row, 1, 2)
SLIDE_ROWS(stride_rows, ROWS_AT_ONCE, 2)

/* Computes one row of outputs, or ROWS_AT_ONCE. */
typedef void (*rows_fn)(const float_plan *, row_list, const float *, float *);

static rows_fn rows_function(const float_plan *plan, int32_t count) {
  const int is_last = count < ROWS_AT_ONCE;
  if (!plan->slides) return output_row;
  if (plan->stride_rows == 1) return is_last ? slide_row : slide_rows;
  return is_last ? stride_row : stride_rows;
}

/* -- rows of the image, with their border ------------------------------------------------------ */

/* Rows that windows meet get their border in a ring, each once; one of zeros stands for all beside
 * the image. */
typedef struct {
  const float *image;
  float *zeros, *ring;
  int32_t next; /* row of the image that is not in the ring yet */
} bordered;

static const float *row_at(const float_plan *plan, bordered *b, int64_t y) {
  const ar_staging *s = &plan->staging;
  const int32_t floats = s->row_bytes / 4;
  y -= s->top;
  if (y < 0 || y >= s->rows) return b->zeros;
  if (!plan->ring_rows) return b->image + y * floats;
  const int64_t slot = plan->ring_floats;
  for (; b->next <= y; ++b->next)
    memcpy(b->ring + b->next % plan->ring_rows * slot + s->left_bytes / 4,
           b->image + (int64_t)b->next * floats, s->row_bytes);
  return b->ring + y % plan->ring_rows * slot;
}

static ar_status float_run(const void *, const void *memory, const ar_tensor *io,
                           uint8_t *workspace) {
  const float_plan *plan = memory;
  const int64_t image = (int64_t)plan->staging.rows * plan->staging.row_bytes / 4;
  const int64_t row = (int64_t)plan->columns * plan->channels;
  const float *packed = (const float *)((const uint8_t *)memory + HEADER);
  const int32_t together = plan->slides ? ROWS_AT_ONCE : 1;
  float *y = io[0].data, *zeros = (float *)workspace;
  memset(workspace, 0, (size_t)plan->ring_floats * 4 * (1 + plan->ring_rows));
  for (int32_t batch = 0; batch < plan->batches; ++batch) {
    bordered b = {(const float *)io[1].data + batch * image, zeros, zeros + plan->ring_floats, 0};
    for (int32_t i = 0; i < plan->rows;) {
      const float *rows[MOST_ROWS];
      const int32_t count = i + together <= plan->rows ? together : 1;
      for (int32_t t = 0; t < plan->taps_high + (count - 1) * plan->stride_rows; ++t)
        rows[t] = row_at(plan, &b, (int64_t)i * plan->stride_rows + (int64_t)t * plan->tap_rows);
      rows_function(plan, count)(plan, rows, packed, y);
      i += count;
      y += row * count;
    }
  }
  return AR_OK;
}

_Static_assert(sizeof(float_plan) <= HEADER, "the header holds the plan");
