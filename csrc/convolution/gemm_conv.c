/* Plans of matrix products on staged input and gathered rows: what all instruction sets share. */
#include "gemm_conv_plan.h"

#include <string.h>

#include "grouped.h"
#include "transposed.h"
#include "records/window.h"

/* What a band of outputs reads and writes, at most: it stays in caches from one block of channels to
 * the next. */
enum { BAND_BYTES = 1 << 14, FEW = 8 };

static ar_find_tile finder(const ar_gemm_isa *isa, const ar_gemm_conv *p) {
  return p->is_float ? isa->find_float_tile : isa->find_tile;
}

/* A tile takes at least as long as the latency of its products and the loads it makes. */
static int32_t tile_cost(int32_t positions, int32_t vectors) {
  int32_t products = positions * vectors, loads = positions + vectors;
  int32_t cost = products > loads ? products : loads;
  return cost > 8 ? cost : 8;
}

/* Instructions of a tile that goes through its positions some at a time: one loads four words of a
 * position, or two vectors of weights. */
static int64_t strip_cost(int32_t at_once, const ar_gemm *gemm, int32_t positions,
                          int32_t vectors) {
  enum { CALL = 60, BEGIN = 60, FINISH = 6 /* of a vector of outputs */ };
  const int32_t some = ar_some_positions(at_once, positions), times = positions / some;
  const int64_t words = (int64_t)gemm->segments * gemm->dwords;
  const int64_t products = 4 * some * vectors + some + 2 * vectors + 4;
  return CALL + times * (BEGIN + FINISH * some * vectors + words * products / 4);
}

/* Instructions of a strip on pairs of positions, some pairs at a time: eight bytes of a pair are two
 * loads and eight products, those of 16 channels four loads. */
static int64_t wide_cost(int32_t at_once, const ar_gemm *gemm, int32_t positions) {
  enum { CALL = 60, BEGIN = 50, FINISH = 80 };
  const int32_t pairs = (positions + 1) / 2, times = (positions + at_once - 1) / at_once;
  const int64_t eights = (int64_t)gemm->segments * gemm->dwords / 2;
  return CALL + times * (BEGIN + 7 * eights) + pairs * (FINISH + 10 * eights);
}

/* Whether pairs are worth their copies, and all strips begin with one: a single strip does, or those of
 * an even number of positions of an even number. */
static int is_paired(const ar_gemm_isa *isa, const conv_plan *plan) {
  const int32_t columns = plan->columns, positions = plan->tile_positions;
  if (!isa->pair || !plan->is_flat || plan->blocks < 2 || plan->gemm.position_stride % 8) return 0;
  return columns == positions || (columns % 2 == 0 && positions % 2 == 0);
}

/* The length of strip that takes least for all columns. */
static void choose_strip(const ar_gemm_isa *isa, ar_find_tile find, conv_plan *plan) {
  const int32_t columns = plan->columns;
  int64_t best_cost = INT64_MAX;
  plan->tile_blocks = 1;
  for (int32_t p = columns < AR_MAX_STRIP_POSITIONS ? columns : AR_MAX_STRIP_POSITIONS; p > 1;
       --p) {
    const int64_t strips = (columns + p - 1) / p;
    const int64_t cost = strips * wide_cost(isa->at_once[0], &plan->gemm, p);
    if (cost >= best_cost) continue;
    best_cost = cost;
    plan->tile_positions = p;
  }
  if (is_paired(isa, plan)) plan->pair = isa->pair;
  plan->tile = find(plan->tile_positions, 1, plan->pair != 0);
}

/* The shape of tile that takes least for all blocks and columns. */
static void choose_tile(const ar_gemm_isa *isa, ar_find_tile find, conv_plan *plan) {
  const int32_t columns = plan->columns;
  const int32_t at_once = isa->at_once[plan->element_bytes == 4];
  const int32_t most = at_once ? AR_MAX_STRIP_POSITIONS : AR_MAX_TILE_POSITIONS;
  int64_t best_cost = INT64_MAX;
  for (int32_t n = plan->taps ? 1 : AR_MAX_TILE_BLOCKS; n >= 1; --n)
    for (int32_t p = columns < most ? columns : most; p >= 1; --p) {
      ar_gemm_tile tile = find(p, n, plan->taps);
      if (!tile) continue;
      int64_t tiles = (int64_t)((plan->blocks + n - 1) / n) * ((columns + p - 1) / p);
      int64_t cost = tiles * (at_once ? strip_cost(at_once, &plan->gemm, p, n * isa->vectors)
                                      : tile_cost(p, n * isa->vectors) + 1);
      if (cost >= best_cost) continue;
      best_cost = cost;
      plan->tile = tile;
      plan->tile_blocks = n;
      plan->tile_positions = p;
    }
}

/* Whether rounding runs up to eight bytes, rather than to four, costs what wide weights gain. */
static int wastes_width(int32_t bytes) {
  return 2 * ar_round_up(bytes, 8) > 3 * ar_round_up(bytes, 4);
}

/* Where the runs of one position's inputs lie. */
static ar_status gather(const ar_gemm_conv *p, conv_plan *plan) {
  const Window *w = &p->window;
  const int32_t bytes = plan->staged_bytes, row = plan->staging.staged_row_bytes;
  const int32_t kh = w->filter_size[0], kw = w->filter_size[1];
  const int32_t runs = w->dilation[1] == 1 ? 1 : kw;
  if ((int64_t)kh * runs > AR_MAX_SEGMENTS) return AR_UNSUPPORTED;
  const int32_t elements = runs == 1 ? (kw + (plan->fold - 1) * w->stride[1]) * p->depth : p->depth;
  if (plan->weight_bytes == 8 && wastes_width(elements)) return AR_UNSUPPORTED;
  ar_gemm *gemm = &plan->gemm;
  gemm->segments = kh * runs;
  gemm->dwords = ar_round_up(elements * bytes, plan->weight_bytes) / 4;
  for (int32_t i = 0; i < kh; ++i)
    for (int32_t j = 0; j < runs; ++j)
      gemm->segment[i * runs + j] =
          i * w->dilation[0] * row + j * w->dilation[1] * p->depth * bytes;
  return AR_OK;
}

/* Whether grouped bytes take fewer multiplications than pairs of int16 by a tenth. Most weights
 * show at once that they do not. */
static int groups_pay(const ar_gemm_conv *p, conv_plan *plan) {
  if (plan->fold != 1 || p->element_step != 1) return 0;
  int64_t grouped = 0, pairs = 0;
  for (int32_t first = 0; first < plan->filters; first += AR_BLOCK) {
    const ar_filters filters = ar_filters_of(plan, p, first);
    int32_t groups[AR_GROUP_SIZES];
    const int32_t entries = ar_count_groups(&filters, groups);
    if (entries > plan->gemm.entries) plan->gemm.entries = entries;
    grouped += entries + groups[0] + groups[1] + groups[2];
    pairs += (int64_t)plan->gemm.segments * ((filters.run + 1) / 2);
    if (10 * grouped > 9 * pairs) return 0;
  }
  return 1;
}

/* Whether weights meet the zeros beside the image, or beside a folded filter, that are no numbers
 * times zero. */
static int makes_nan(const ar_gemm_conv *p, const conv_plan *plan) {
  if (!p->is_float || ar_needs_no_border(&plan->staging)) return 0;
  const int64_t taps = (int64_t)p->window.filter_size[0] * p->window.filter_size[1];
  return !ar_are_finite(p->weights, p->filters * taps * p->depth);
}

/* Whether every pixel is an output, in order. A single output may leave pixels out whatever its
 * stride, and the next image's begin behind those. */
static int is_pointwise(const ar_gemm_conv *p) {
  const Window *w = &p->window;
  return w->filter_size[0] == 1 && w->filter_size[1] == 1 && w->stride[0] == 1 &&
         w->stride[1] == 1 && w->output_size[0] == p->height && w->output_size[1] == p->width;
}

/* Parts by blocks of channels read the weights once, parts by positions the input. Few of either
 * would differ too much in size. */
static way way_of(const conv_plan *plan) {
  const int64_t blocks = plan->blocks / plan->tile_blocks, weights = blocks * plan->tile_bytes;
  const int64_t positions = plan->is_flat ? plan->columns / plan->tile_positions : plan->rows;
  const int64_t input = (int64_t)plan->staging.staged_rows * plan->staging.staged_row_bytes;
  if (blocks > positions || (weights > input && blocks >= FEW)) return BY_BLOCKS;
  return plan->is_flat ? BY_COLUMNS : BY_ROWS;
}

/* How many positions of a row, or rows, are a band. */
static int32_t band_of(const conv_plan *plan) {
  const int64_t position = (int64_t)plan->gemm.channels * plan->element_bytes;
  const int64_t bytes = plan->is_flat ? plan->gemm.position_stride + position
                                      : plan->row_stride + plan->columns * position;
  const int64_t count = BAND_BYTES / bytes;
  if (!plan->is_flat) return count < 1 ? 1 : (int32_t)count;
  return count < plan->tile_positions
             ? plan->tile_positions
             : (int32_t)count / plan->tile_positions * plan->tile_positions;
}

/* What running would divide by otherwise: small layers would feel it. */
static void set_sizes(conv_plan *plan) {
  plan->band = band_of(plan);
  plan->row_step = plan->row_stride / plan->staging.staged_row_bytes;
  plan->position_bytes = plan->gemm.position_stride / plan->staged_bytes * plan->element_bytes;
  plan->image = (int64_t)plan->staging.rows * plan->staging.row_bytes / plan->staged_bytes *
                plan->element_bytes;
  plan->results = (int64_t)plan->rows * plan->columns * plan->gemm.channels * plan->element_bytes;
}

/* Whether tiles read the input alone, as it is: they load four words of a run at once. */
static int is_read_whole(const conv_plan *plan, const ar_gemm_conv *p) {
  return ar_needs_no_border(&plan->staging) &&
         (ar_run_elements(plan, p) + (plan->fold - 1) * p->window.stride[1] * plan->depth) % 16 ==
             0;
}

/* How the input of tiles of one position is staged: not at all where runs are whole words of it. */
static ar_stage_fn stage_of_one(const conv_plan *plan, const ar_gemm_conv *p) {
  const int is_whole = plan->fold == 1 && ar_run_elements(plan, p) % 4 == 0;
  return ar_needs_no_border(&plan->staging) && is_whole ? 0 : ar_stage_signed;
}

/* All filters are one tile, and so are the positions of a row. */
static void set_transposed(const ar_gemm_conv *p, ar_gemm_tile tile, conv_plan *plan) {
  plan->transposed = 1;
  plan->tile = tile;
  plan->blocks = plan->tile_blocks = AR_TRANSPOSED_FILTERS;
  plan->tile_positions = plan->gemm.positions = plan->columns;
  plan->tile_bytes = ar_transposed_bytes(p->depth);
}

/* What tiles do not compute at all. */
static int is_refused(const ar_gemm_conv *p) {
  if (p->depth < 1 || p->filters < 1) return 1;
  if (p->is_float) return 0;
  return p->input_offset < -127 || p->input_offset > 128 || !ar_rescales(&p->rescaling, p->filters);
}

/* Types, sizes, and how the input is staged. */
static ar_status set_input(const ar_gemm_isa *isa, const ar_gemm_conv *p, conv_plan *plan) {
  const Window *w = &p->window;
  plan->element_bytes = p->is_float ? 4 : 1;
  plan->staged_bytes = p->is_float ? 4 : isa->int8_bytes;
  plan->weight_bytes = isa->wide && !p->is_float ? 8 : 4;
  if (!p->is_float) {
    plan->stage = isa->stage;
    plan->enter = isa->enter;
    plan->leave = isa->leave;
  }
  plan->batches = p->batches;
  plan->depth = p->depth;
  plan->filters = p->filters;
  plan->rows = w->output_size[0];
  plan->columns = w->output_size[1];
  plan->window_rows = (w->filter_size[0] - 1) * w->dilation[0] + 1;
  const ar_status staged =
      ar_stage_window(&plan->staging, w, p->height, p->width, p->depth * plan->staged_bytes,
                      p->is_float ? 0 : (uint8_t)(-p->input_offset ^ 0x80));
  plan->row_stride = w->stride[0] * plan->staging.staged_row_bytes;
  return staged;
}

/* Whether neighbouring outputs of few filters become channels of one. */
static int folds(const ar_gemm_isa *isa, const ar_gemm_conv *p) {
  if (p->filters < 2 || AR_BLOCK % p->filters || p->window.dilation[1] != 1) return 0;
  if (p->is_float && !isa->met_nan) return 0;
  return p->window.output_size[1] % (AR_BLOCK / p->filters) == 0;
}

static void set_fold(const ar_gemm_isa *isa, const ar_gemm_conv *p, int32_t fold, conv_plan *plan) {
  plan->fold = fold;
  if (fold == 1 || !p->is_float) return;
  plan->forget_nan = isa->forget_nan;
  plan->met_nan = isa->met_nan;
}

/* Positions and channels as products see them: folded, and all positions in one row where every
 * pixel is an output. */
static void set_products(const ar_gemm_conv *p, conv_plan *plan) {
  ar_gemm *gemm = &plan->gemm;
  gemm->position_stride = p->window.stride[1] * p->depth * plan->staged_bytes * plan->fold;
  gemm->channels = p->filters * plan->fold;
  gemm->low = (float)p->activation_min;
  gemm->high = (float)p->activation_max;
  plan->blocks = ar_round_up(gemm->channels, AR_BLOCK) / AR_BLOCK;
  plan->columns /= plan->fold;
  if (!is_pointwise(p) || !ar_needs_no_border(&plan->staging)) return;
  plan->columns *= plan->rows * plan->batches;
  plan->staging.rows *= plan->batches;
  plan->staging.staged_rows = plan->staging.rows;
  plan->rows = plan->batches = 1;
  plan->is_flat = 1;
}

/* Whether three taps in a row share what they load: one block, and strides of one. */
static int takes_taps(const ar_gemm_conv *p, ar_find_tile find, const conv_plan *plan) {
  const Window *w = &p->window;
  if (plan->weight_bytes != 4 || plan->blocks != 1 || plan->fold != 1) return 0;
  if (p->element_step != 1 || p->depth * plan->staged_bytes % 4) return 0;
  if (w->filter_size[1] != 3 || w->dilation[1] != 1 || w->stride[1] != 1) return 0;
  return plan->columns >= 8 && find(8, 1, 1);
}

/* Bytes of a tile's weights, and what depends on the tile that was chosen. */
static void set_tiles(const ar_gemm_isa *isa, const ar_gemm_conv *p, ar_gemm_tile transposed,
                      conv_plan *plan) {
  ar_gemm *gemm = &plan->gemm;
  gemm->positions = plan->tile_positions;
  plan->blocks = ar_round_up(plan->blocks, plan->tile_blocks);
  plan->tile_bytes = (int64_t)gemm->segments * gemm->dwords * 64 * plan->tile_blocks;
  if (isa->groups) plan->tile_bytes = ar_grouped_bytes(gemm->entries);
  if (transposed) set_transposed(p, transposed, plan);
  else if (!p->is_float && isa->one_is_signed && plan->tile_positions == 1)
    plan->stage = stage_of_one(plan, p);
  if (plan->weight_bytes == 8) plan->tile_bytes += (int64_t)sizeof(ar_wide_header);
}

/* The plan, in an order of which every step reads what those before it have set: input, fold, runs
 * of one position, positions and channels, tiles, sizes. */
static ar_status describe(const ar_gemm_isa *isa, const ar_gemm_conv *p, conv_plan *plan) {
  const ar_find_tile find = is_refused(p) ? 0 : finder(isa, p);
  if (!find) return AR_UNSUPPORTED;
  memset(plan, 0, sizeof *plan);
  const ar_status staged = set_input(isa, p, plan);
  if (staged != AR_OK) return staged;
  const ar_gemm_tile transposed = ar_transposed_tile(isa, p);
  set_fold(isa, p, !transposed && folds(isa, p) ? AR_BLOCK / p->filters : 1, plan);
  if (gather(p, plan) != AR_OK || makes_nan(p, plan)) return AR_UNSUPPORTED;
  if (isa->is_signed && is_read_whole(plan, p)) plan->stage = 0;
  set_products(p, plan);
  plan->taps = takes_taps(p, find, plan);
  if (isa->groups && !groups_pay(p, plan)) return AR_UNSUPPORTED;
  (plan->weight_bytes == 8 ? choose_strip : choose_tile)(isa, find, plan);
  if (!plan->tile) return AR_UNSUPPORTED;
  set_tiles(isa, p, transposed, plan);
  plan->shared = way_of(plan);
  set_sizes(plan);
  plan->requantize = ar_round_up(sizeof *plan, 64);
  plan->weights = plan->requantize + (int64_t)plan->blocks * sizeof(ar_requantize_block);
  return AR_OK;
}

static int64_t integers_bytes(const conv_plan *plan) {
  return (int64_t)plan->blocks * sizeof(ar_requantize_integers);
}

/* Sums of floats in another number of sets, by taps, or with the zeros of folded filters among them,
 * may have other last bits. */
static int64_t order_of(const ar_gemm_isa *isa, const conv_plan *plan) {
  const int32_t registers = plan->tile_positions * plan->tile_blocks * isa->vectors;
  const int32_t sets = AR_SETS(registers, isa->floats_in_flight);
  return sets + 8 * (plan->taps != 0) + 16 * plan->fold;
}

ar_status ar_gemm_conv_measure(const ar_gemm_isa *isa, const ar_gemm_conv *p, ar_sizes *sizes) {
  conv_plan plan;
  ar_status status = describe(isa, p, &plan);
  if (status != AR_OK) return status;
  sizes->plan = plan.weights + ar_packed_bytes(&plan) + integers_bytes(&plan);
  sizes->workspace = ar_staged_bytes(&plan.staging) + (plan.pair ? plan.gemm.position_stride : 0);
  const int32_t lanes = plan.transposed ? plan.filters : plan.blocks * AR_BLOCK;
  sizes->work = (int64_t)plan.batches * plan.rows * plan.columns * lanes * plan.gemm.segments *
                plan.gemm.dwords * 4 / plan.staged_bytes;
  if (p->is_float) sizes->order = order_of(isa, &plan);
  return AR_OK;
}

/* The start value, and the way to the output, of one int8 channel. */
static ar_requantize_mode plan_channel(const ar_gemm_isa *isa, const ar_gemm_conv *p,
                                       ar_plan_lane plan_lane, int32_t filter,
                                       ar_requantize_block *block, int32_t lane) {
  const Window *w = &p->window;
  const int64_t filter_size = (int64_t)w->filter_size[0] * w->filter_size[1] * p->depth;
  const int32_t b = p->bias ? ((const int32_t *)p->bias)[filter] : 0;
  ar_weight_sums sums = {0, 0};
  ar_sum_weights(&sums, (const int8_t *)p->weights + filter * p->filter_step, filter_size,
                 p->element_step);
  /* What the staged input leaves out of its offset. */
  const int32_t folded = isa->int8_bytes == 1 ? ar_left_out(isa, p->input_offset) : 0;
  const uint32_t sum = (uint32_t)(sums.positive + sums.negative);
  block->bias[lane] = (int32_t)((uint32_t)b + (uint32_t)folded * sum);
  return plan_lane(block, lane, &p->rescaling, filter, p->output_offset, (int32_t)p->activation_min,
                   (int32_t)p->activation_max, ar_range_of(b, sums, p->input_offset));
}

/* A block's channels, `step` filters apart, with one way to find lines: the slowest of their modes. */
static ar_requantize_mode plan_lanes(const ar_gemm_isa *isa, const ar_gemm_conv *p,
                                     ar_plan_lane plan_lane, int32_t channel, int32_t lanes,
                                     int32_t step, ar_requantize_block *block) {
  const int bare = plan_lane == isa->plan_bare;
  block->mode = bare ? AR_REQUANT_BARE : AR_REQUANT_FLOAT;
  for (int32_t lane = 0; lane < lanes; ++lane) {
    const ar_requantize_mode mode =
        plan_channel(isa, p, plan_lane, (channel + step * lane) % p->filters, block, lane);
    if (bare && mode != AR_REQUANT_BARE) return mode;
    if ((int32_t)mode > block->mode) block->mode = mode;
  }
  return block->mode;
}

/* A block from `channel` on, bare if all of its lanes can be. */
static void plan_block(const ar_gemm_isa *isa, const ar_gemm_conv *p, int32_t channel,
                       int32_t lanes, int32_t step, ar_requantize_block *block) {
  if (isa->plan_bare &&
      plan_lanes(isa, p, isa->plan_bare, channel, lanes, step, block) == AR_REQUANT_BARE)
    return;
  plan_lanes(isa, p, isa->plan_lane, channel, lanes, step, block);
}

static void plan_blocks(const ar_gemm_isa *isa, const ar_gemm_conv *p, const conv_plan *plan,
                        ar_requantize_block *blocks) {
  if (p->is_float) return;
  if (plan->transposed) {
    for (int32_t f = 0; f < plan->filters; ++f) plan_block(isa, p, f, AR_BLOCK, 0, &blocks[f]);
    return;
  }
  int32_t last = AR_REQUANT_FLOAT;
  for (int32_t i = 0; i < plan->gemm.channels; i += AR_BLOCK) {
    const int32_t left = plan->gemm.channels - i;
    plan_block(isa, p, i, left < AR_BLOCK ? left : AR_BLOCK, 1, &blocks[i / AR_BLOCK]);
    last = blocks[i / AR_BLOCK].mode;
  }
  /* Blocks without channels do not keep their tile from having one mode. */
  for (int32_t n = ar_round_up(plan->gemm.channels, AR_BLOCK) / AR_BLOCK; n < plan->blocks; ++n)
    blocks[n].mode = last;
}

/* The same bytes, and their weights, in more segments, each of `dwords`. */
static void split_segments(ar_gemm *gemm, int32_t dwords) {
  if (!dwords || gemm->dwords % dwords) return;
  const int32_t each = gemm->dwords / dwords;
  if (gemm->segments * each > AR_MAX_SEGMENTS) return;
  for (int32_t i = gemm->segments * each - 1; i >= 0; --i)
    gemm->segment[i] = gemm->segment[i / each] + i % each * dwords * 4;
  gemm->segments *= each;
  gemm->dwords = dwords;
}

ar_status ar_gemm_conv_plan(const ar_gemm_isa *isa, const ar_gemm_conv *p, void *memory) {
  conv_plan *plan = memory;
  ar_status status = describe(isa, p, plan);
  if (status != AR_OK) return status;
  ar_requantize_block *blocks = (ar_requantize_block *)((uint8_t *)memory + plan->requantize);
  int8_t *packed = (int8_t *)memory + plan->weights;
  ar_clear_blocks(blocks, (ar_requantize_integers *)(packed + ar_packed_bytes(plan)), plan->blocks);
  ar_known_line lines[2] = {{0}};
  ar_gemm_conv knowing = *p;
  knowing.rescaling.line = &lines[0];
  knowing.rescaling.bare = &lines[1];
  const uint32_t before = plan->enter ? plan->enter() : 0;
  plan_blocks(isa, &knowing, plan, blocks);
  for (int32_t i = 0; p->is_float && p->bias && i < plan->gemm.channels; ++i)
    memcpy(&blocks[i / AR_BLOCK].bias[i % AR_BLOCK], (const float *)p->bias + i % plan->filters,
           sizeof(float));
  if (plan->leave) plan->leave(before);
  ar_gemm_conv_pack(isa, plan, p, blocks, packed);
  split_segments(&plan->gemm, isa->run_dwords);
  return AR_OK;
}

ar_status ar_gemm_measure(const ar_gemm_isa *isa, ar_gemm_problem problem, const void *params,
                          const ar_tensor *io, ar_sizes *sizes) {
  ar_gemm_conv conv;
  ar_status status = problem(params, io, &conv);
  return status == AR_OK ? ar_gemm_conv_measure(isa, &conv, sizes) : status;
}

ar_status ar_gemm_plan(const ar_gemm_isa *isa, ar_gemm_problem problem, const void *params,
                       const ar_tensor *io, void *plan) {
  ar_gemm_conv conv;
  ar_status status = problem(params, io, &conv);
  return status == AR_OK ? ar_gemm_conv_plan(isa, &conv, plan) : status;
}

ar_status ar_gemm_run(const void *, const void *plan, const ar_tensor *io, uint8_t *workspace) {
  return ar_gemm_conv_run(plan, io[1].data, io[0].data, workspace);
}

ar_status ar_gemm_part(const void *, const void *plan, const ar_tensor *io, uint8_t *workspace,
                       ar_share share) {
  return ar_gemm_conv_part(plan, io[1].data, io[0].data, workspace, share);
}
