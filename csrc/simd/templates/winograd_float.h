/* float32 convolutions of 3x3 filters with stride 1 in fewer products, by Winograd's minimal
 * filtering: 16 products for 2x2 outputs instead of 36.
 *
 * Two outputs in a row are a product of polynomials, had from their values at 0, 1, -1 and
 * infinity. Those take sums of two inputs and halves of sums of weights: no factor makes errors
 * grow, so that results stay as near as a plain sum's. More outputs at a time would take less
 * products, and lose two digits. An output hangs on no input that its filter does not meet, so a
 * NaN of the input stays where it belongs, and outputs are clamped without an invalid operation;
 * what becomes an infinity or a NaN on the way is left to the reference.
 *
 * Facts: A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks, 2015.
 *
 * Include an instruction set's lanes.h and define before this:
 * - AR_POINT_TILES(T), which calls T(P) for each number P of tiles whose products registers hold
 *   at once, the largest first.
 */
#include <math.h>

#define AR_IN_FLIGHT 1 /* the products of a point are independent */
#define AR_TILES(T)
#define AR_TAP_TILES(T)
#include "convolution/gemm_conv.h"
#include "engine/kernel.h"
#include "simd/templates/gemm_float.h"
#include "simd/templates/nan_flag.h"

enum { POINTS = 16, LEAST_DEPTH = 8, HEADER = 192 };

typedef struct {
  ar_staging staging;
  int32_t batches, rows, columns; /* of the output */
  int32_t tile_columns, tiles;    /* of 2x2 outputs */
  int32_t group;                  /* tiles that are under way together */
  int32_t depth, filters;
  int32_t units, blocks; /* of 16 channels, of 16 filters */
  float low, high;
  int64_t values, products; /* byte offsets in the workspace, behind the staged image */
} winograd_plan;

/* -- what is planned --------------------------------------------------------------------------- */

/* How many tiles are multiplied at once, of so many. */
static int32_t group_of(int32_t tiles) {
#define AR_TAKE(P) \
  if (tiles >= P) return P;
  AR_POINT_TILES(AR_TAKE)
  return 0;
}

/* In cycles of one product each, as on Zen 4; a direct convolution takes a tenth more than its
 * products. */
static int pays(const winograd_plan *p) {
  const int64_t direct = (int64_t)p->rows * p->columns * 9 * p->depth * p->blocks * 11 / 10;
  const int64_t products = (int64_t)POINTS * (p->depth + 3) * p->blocks;
  return p->tiles * (products + 50 * p->units + 50 * p->blocks) < direct;
}

/* Whether no sum of three weights leaves float32. */
static int are_tame(const float *weights, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!(fabsf(weights[i]) < 1e37f)) return 0;
  return 1;
}

static ar_status describe(const ar_gemm_conv *c, winograd_plan *plan) {
  Window w = c->window;
  if (!c->is_float || c->depth < LEAST_DEPTH) return AR_UNSUPPORTED;
  for (int i = 0; i < 2; ++i)
    if (w.filter_size[i] != 3 || w.dilation[i] != 1 || w.stride[i] != 1) return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  plan->rows = w.output_size[0];
  plan->columns = w.output_size[1];
  for (int i = 0; i < 2; ++i) w.output_size[i] += w.output_size[i] % 2;
  const ar_status staged =
      ar_stage_window(&plan->staging, &w, c->height, c->width, c->depth * 4, 0);
  if (staged != AR_OK) return staged;
  plan->batches = c->batches;
  plan->tile_columns = w.output_size[1] / 2;
  plan->tiles = w.output_size[0] / 2 * plan->tile_columns;
  plan->group = group_of(plan->tiles);
  plan->depth = c->depth;
  plan->filters = c->filters;
  plan->units = ar_round_up(c->depth, AR_BLOCK) / AR_BLOCK;
  plan->blocks = ar_round_up(c->filters, AR_BLOCK) / AR_BLOCK;
  plan->low = (float)c->activation_min;
  plan->high = (float)c->activation_max;
  plan->values = ar_staged_bytes(&plan->staging);
  plan->products = plan->values + (int64_t)POINTS * plan->group * plan->units * 64;
  return plan->group && pays(plan) ? AR_OK : AR_UNSUPPORTED;
}

static int64_t block_bytes(const winograd_plan *plan) {
  return 64 + (int64_t)POINTS * plan->depth * 64;
}

static ar_status winograd_measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  ar_gemm_conv conv;
  winograd_plan plan;
  ar_status status = ar_conv_2d_problem(params, io, &conv);
  if (status == AR_OK) status = describe(&conv, &plan);
  if (status != AR_OK) return status;
  if (!are_tame(conv.weights, (int64_t)conv.filters * conv.filter_step)) return AR_UNSUPPORTED;
  sizes->plan = HEADER + plan.blocks * block_bytes(&plan);
  sizes->workspace = plan.products + (int64_t)POINTS * plan.group * 64;
  return AR_OK;
}

/* Three weights of AR_LANES filters at the four points. */
AR_INLINE void weights_at_points(ar_vector a, ar_vector b, ar_vector c, ar_vector *v) {
  const ar_vector half = ar_set_vector(0.5f), outer = ar_add_vector(a, c);
  v[0] = a;
  v[1] = ar_mul_vector(half, ar_add_vector(outer, b));
  v[2] = ar_mul_vector(half, ar_sub_vector(outer, b));
  v[3] = c;
}

/* One channel of AR_LANES filters, [tap][16], at all points; those of a point lie `step` floats
 * behind those of the one before. */
static void pack_channel(const float *taps, int64_t step, float *packed) {
  ar_vector rows[3][4], columns[4];
  for (int y = 0; y < 3; ++y, taps += 3 * AR_BLOCK)
    weights_at_points(ar_load_vector(taps), ar_load_vector(taps + AR_BLOCK),
                      ar_load_vector(taps + 2 * AR_BLOCK), rows[y]);
  for (int x = 0; x < 4; ++x) {
    weights_at_points(rows[0][x], rows[1][x], rows[2][x], columns);
    for (int y = 0; y < 4; ++y) ar_save_vector(packed + (4 * y + x) * step, columns[y]);
  }
}

/* Per block of 16 filters: biases, then [point][channel][16]. */
static ar_status winograd_make_plan(const void *params, const ar_tensor *io, void *memory) {
  ar_gemm_conv conv;
  winograd_plan *plan = memory;
  ar_status status = ar_conv_2d_problem(params, io, &conv);
  if (status == AR_OK) status = describe(&conv, plan);
  if (status != AR_OK) return status;
  const float *bias = conv.bias;
  for (int32_t block = 0; block < plan->blocks; ++block) {
    float *packed = (float *)((uint8_t *)memory + HEADER + block * block_bytes(plan));
    const int32_t first = block * AR_BLOCK, rest = plan->filters - first;
    const int32_t lanes = rest < AR_BLOCK ? rest : AR_BLOCK;
    memset(packed, 0, 64);
    if (bias) memcpy(packed, bias + first, (size_t)lanes * 4);
    for (int32_t c = 0; c < plan->depth; ++c) {
      float taps[9 * AR_BLOCK] = {0};
      const float *weights = (const float *)conv.weights + first * conv.filter_step + c;
      for (int32_t lane = 0; lane < lanes; ++lane, weights += conv.filter_step)
        for (int t = 0; t < 9; ++t) taps[t * AR_BLOCK + lane] = weights[t * plan->depth];
      for (int n = 0; n < AR_BLOCK; n += AR_LANES)
        pack_channel(taps + n, (int64_t)plan->depth * AR_BLOCK, packed + AR_BLOCK * (1 + c) + n);
    }
  }
  return AR_OK;
}

/* -- what is run ------------------------------------------------------------------------------- */

/* Four inputs to the values at four points. */
AR_INLINE void at_points(const ar_vector *x, ar_vector *v) {
  v[0] = ar_sub_vector(x[0], x[2]);
  v[1] = ar_add_vector(x[1], x[2]);
  v[2] = ar_sub_vector(x[2], x[1]);
  v[3] = ar_sub_vector(x[1], x[3]);
}

/* AR_LANES channels of one tile; points are `step` floats apart. */
static void transform_input(const float *x, int64_t row, int64_t depth, int64_t step,
                            float *values) {
  ar_vector columns[4][4], v[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i, x += depth) {
    const ar_vector column[4] = {ar_load_vector(x), ar_load_vector(x + row),
                                 ar_load_vector(x + 2 * row), ar_load_vector(x + 3 * row)};
    at_points(column, columns[i]);
  }
#pragma clang loop unroll(full)
  for (int y = 0; y < 4; ++y) {
    const ar_vector line[4] = {columns[0][y], columns[1][y], columns[2][y], columns[3][y]};
    at_points(line, v);
#pragma clang loop unroll(full)
    for (int x = 0; x < 4; ++x) ar_save_vector(values + (4 * y + x) * step, v[x]);
  }
}

/* P tiles at one point with 16 filters. */
AR_INLINE void multiply(const int P, const winograd_plan *plan, const float *values,
                        const float *weights, float *products) {
  ar_i32 acc[P];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) acc[p] = ar_set_i32(0);
  const uint8_t *x = (const uint8_t *)values;
  const int8_t *w = (const int8_t *)weights;
  const ptrdiff_t stride = (ptrdiff_t)plan->units * 64;
  for (int32_t k = 0; k < plan->depth; ++k, x += 4, w += 64) step(P, 1, acc, x, stride, w);
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) ar_save_i32((int32_t *)products + AR_BLOCK * p, acc[p]);
}

typedef void multiply_fn(const winograd_plan *plan, const float *values, const float *weights,
                         float *products);

#define AR_MULTIPLY(P)                                                                           \
  static void multiply_##P(const winograd_plan *plan, const float *values, const float *weights, \
                           float *products) {                                                    \
    multiply(P, plan, values, weights, products);                                                \
  }
AR_POINT_TILES(AR_MULTIPLY)

static multiply_fn *multiply_of(int32_t group) {
#define AR_CHOOSE(P) \
  if (group == P) return multiply_##P;
  AR_POINT_TILES(AR_CHOOSE)
  return 0;
}

/* The products at four points to two outputs. */
AR_INLINE void from_points(const ar_vector *v, ar_vector *y) {
  y[0] = ar_add_vector(v[0], ar_add_vector(v[1], v[2]));
  y[1] = ar_sub_vector(ar_sub_vector(v[1], v[2]), v[3]);
}

/* AR_LANES filters of one tile, of which `lanes` are there; points are `step` floats apart. */
static void transform_output(const winograd_plan *plan, const float *products, int64_t step,
                             const float *biases, int32_t tile, int32_t lanes, float *output) {
  const int32_t row = tile / plan->tile_columns * 2, column = tile % plan->tile_columns * 2;
  const ar_vector low = ar_set_vector(plan->low), high = ar_set_vector(plan->high);
  const ar_vector bias = ar_load_vector(biases);
  ar_vector rows[4][2];
#pragma clang loop unroll(full)
  for (int y = 0; y < 4; ++y, products += 4 * step) {
    const ar_vector v[4] = {ar_load_vector(products), ar_load_vector(products + step),
                            ar_load_vector(products + 2 * step),
                            ar_load_vector(products + 3 * step)};
    from_points(v, rows[y]);
  }
  float *out = output + ((int64_t)row * plan->columns + column) * plan->filters;
#pragma clang loop unroll(full)
  for (int x = 0; x < 2; ++x, out += plan->filters) {
    const ar_vector v[4] = {rows[0][x], rows[1][x], rows[2][x], rows[3][x]};
    ar_vector y[2];
    if (column + x >= plan->columns) break;
    from_points(v, y);
    ar_store_quietly(out, ar_add_vector(y[0], bias), low, high, lanes);
    if (row + 1 < plan->rows)
      ar_store_quietly(out + (int64_t)plan->columns * plan->filters, ar_add_vector(y[1], bias), low,
                       high, lanes);
  }
}

/* A group of tiles from `first` on. */
static void run_group(const winograd_plan *plan, const float *x, const uint8_t *packed,
                      int32_t first, float *values, float *products, float *output) {
  const int32_t row = plan->staging.staged_row_bytes / 4, depth = plan->depth;
  const int64_t unit_step = plan->units * AR_BLOCK, step = plan->group * unit_step;
  multiply_fn *const multiply = multiply_of(plan->group);
  for (int32_t t = 0; t < plan->group; ++t) {
    const int32_t tile = first + t;
    const float *corner = x + (int64_t)(tile / plan->tile_columns) * 2 * row +
                          (int64_t)(tile % plan->tile_columns) * 2 * depth;
    for (int32_t u = 0; u < unit_step; u += AR_LANES)
      transform_input(corner + u, row, depth, step, values + t * unit_step + u);
  }
  for (int32_t block = 0; block < plan->blocks; ++block, packed += block_bytes(plan)) {
    const float *bias = (const float *)packed, *weights = bias + AR_BLOCK;
    for (int point = 0; point < POINTS; ++point, weights += depth * AR_BLOCK)
      multiply(plan, values + point * step, weights, products + point * plan->group * AR_BLOCK);
    for (int32_t n = 0; n < AR_BLOCK; n += AR_LANES) {
      const int32_t done = block * AR_BLOCK + n;
      if (done >= plan->filters) break;
      for (int32_t t = 0; t < plan->group; ++t)
        transform_output(plan, products + t * AR_BLOCK + n, plan->group * AR_BLOCK, bias + n,
                         first + t, plan->filters - done, output + done);
    }
  }
}

static ar_status winograd_run(const void *, const void *memory, const ar_tensor *io,
                              uint8_t *workspace) {
  const winograd_plan *plan = memory;
  const uint8_t *packed = (const uint8_t *)memory + HEADER, *input = io[1].data;
  float *values = (float *)(workspace + plan->values);
  float *products = (float *)(workspace + plan->products), *output = io[0].data;
  forget_excesses();
  for (int32_t batch = 0; batch < plan->batches; ++batch) {
    ar_stage_zero(&plan->staging, input, workspace);
    for (int32_t tile = 0; tile < plan->tiles; tile += plan->group) {
      /* The last group starts early enough to be whole. */
      const int32_t last = plan->tiles - plan->group, first = tile < last ? tile : last;
      run_group(plan, (const float *)workspace, packed, first, values, products, output);
    }
    input += (int64_t)plan->staging.rows * plan->staging.row_bytes;
    output += (int64_t)plan->rows * plan->columns * plan->filters;
  }
  return met_excesses() ? AR_UNSUPPORTED : AR_OK;
}

_Static_assert(sizeof(winograd_plan) <= HEADER && HEADER % 64 == 0, "the header holds the plan");
