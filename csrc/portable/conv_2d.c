/* CONV_2D with groups and dilation: int8, int16 with int8 weights, float32; int4 weights.
 *
 * Some positions' windows are gathered to rows, with zeros around the image, and multiplied
 * with the filters' matrix.
 */
#include <string.h>

#include "product.h"
#include "records/conv_2d.h"
#include "records/window.h"

enum { POSITIONS = 8 };

typedef struct {
  int64_t depth, filters;           /* per group */
  int64_t group_bytes;              /* of packed filters */
  int64_t packed, bias, rows, sums; /* byte offsets in the workspace */
  int32_t in_plan;                  /* the packed filters are part of the plan */
  int32_t stays;                    /* rows are where the input is: floats, one tap */
} conv_plan;

static ar_status describe(const Conv2DParams *p, const ar_tensor *io, conv_plan *plan) {
  const ar_tensor *x = &io[1], *weights = &io[2];
  const Window *w = &p->window;
  if (!ar_types_fit(io) || x->rank != 4 || weights->rank != 4) return AR_UNSUPPORTED;
  if (p->groups < 1 || weights->dims[0] % p->groups) return AR_UNSUPPORTED;
  if (x->dims[3] != (int64_t)weights->dims[3] * p->groups || !ar_is_small(p->input_offset))
    return AR_UNSUPPORTED;
  if (!ar_slides(w, &io[0], x, weights->dims[1], weights->dims[2], weights->dims[0]) ||
      !ar_has_or_lacks(&io[3], weights->dims[0]))
    return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(p, io);
  *plan = (conv_plan){
      .depth = (int64_t)weights->dims[1] * weights->dims[2] * weights->dims[3],
      .filters = weights->dims[0] / p->groups,
      .in_plan = weights->data != 0,
  };
  const int one_tap = w->filter_size[0] == 1 && w->filter_size[1] == 1 && w->stride[0] == 1 &&
                      w->stride[1] == 1 && !ar_leaves_image(w, x) && w->padding[0] == 0 &&
                      w->padding[1] == 0 && w->output_size[0] == x->dims[1] &&
                      w->output_size[1] == x->dims[2];
  plan->stays = x->type == AR_FLOAT32 && one_tap && p->groups == 1;
  plan->group_bytes = AR_NAME(packed_bytes)(x->type, plan->depth, plan->filters);
  plan->bias = plan->in_plan ? 0 : plan->group_bytes * p->groups;
  plan->rows = plan->bias + ar_align64(weights->dims[0] * ar_sum_bytes(&finish));
  plan->sums = plan->rows + ar_align64(POSITIONS * plan->depth * 4);
  return AR_NAME(check_finish)(&finish, weights->dims[0]);
}

/* Whether weights meet the zeros beside the image that are no numbers times zero. */
static int makes_nan(const Conv2DParams *p, const ar_tensor *io) {
  return io[2].type == AR_FLOAT32 && ar_leaves_image(&p->window, &io[1]) &&
         !ar_are_finite(io[2].data, ar_elements(&io[2]));
}

static ar_status measure(const void *opaque, const ar_tensor *io, ar_sizes *sizes) {
  const Conv2DParams *p = opaque;
  conv_plan plan;
  const ar_status status = describe(p, io, &plan);
  if (status != AR_OK) return status;
  if (plan.in_plan && makes_nan(p, io)) return AR_UNSUPPORTED;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const int64_t row = ar_padded_columns(plan.filters) * ar_sum_bytes(&finish);
  sizes->plan = ar_align64(sizeof plan) + (plan.in_plan ? plan.group_bytes * p->groups : 0);
  sizes->workspace = plan.sums + POSITIONS * row;
  return AR_OK;
}

static void pack_filters(const Conv2DParams *p, const conv_plan *plan, const ar_tensor *io,
                         uint8_t *packed) {
  for (int32_t g = 0; g < p->groups; ++g) {
    const ar_matrix_source source = {
        .data = io[2].data,
        .type = io[2].type,
        .first = g * plan->filters * plan->depth,
        .column_step = plan->depth,
        .depth_step = 1,
    };
    AR_NAME(pack_matrix)(&source, plan->depth, plan->filters, packed + g * plan->group_bytes);
  }
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  conv_plan *plan = memory;
  const ar_status status = describe(params, io, plan);
  if (status == AR_OK && plan->in_plan)
    pack_filters(params, plan, io, (uint8_t *)memory + ar_align64(sizeof *plan));
  return status;
}

/* -- gathering */

/* One position's window: `depth` channels from `channel` on. */
typedef struct {
  const ar_tensor *x;
  const Window *w;
  int32_t offset;
  int64_t image, top, left; /* of the window: may lie outside the image */
  int64_t channel, depth;
} patch;

#define AR_GATHER(T, TO, VALUE)                                                                    \
  static void gather_##T(const patch *q, TO *restrict row) {                                       \
    const int64_t height = q->x->dims[1], width = q->x->dims[2], channels = q->x->dims[3];         \
    const int32_t offset = q->offset;                                                              \
    (void)offset;                                                                                  \
    for (int32_t i = 0; i < q->w->filter_size[0]; ++i) {                                           \
      const int64_t y = q->top + (int64_t)i * q->w->dilation[0];                                   \
      for (int32_t j = 0; j < q->w->filter_size[1]; ++j, row += q->depth) {                        \
        const int64_t x = q->left + (int64_t)j * q->w->dilation[1];                                \
        if (y < 0 || y >= height || x < 0 || x >= width) {                                         \
          for (int64_t c = 0; c < q->depth; ++c) row[c] = 0;                                       \
          continue;                                                                                \
        }                                                                                          \
        const T *from =                                                                            \
            (const T *)q->x->data + ((q->image * height + y) * width + x) * channels + q->channel; \
        for (int64_t c = 0; c < q->depth; ++c) row[c] = VALUE(from[c]);                            \
      }                                                                                            \
    }                                                                                              \
  }

#define MOVED(v) ((v) + offset)
#define SAME(v) (v)
typedef int8_t int8;
typedef int16_t int16;
AR_GATHER(int8, int32_t, MOVED)
AR_GATHER(int16, int32_t, MOVED)
AR_GATHER(float, float, SAME)

static void gather(const patch *q, void *row) {
  if (q->x->type == AR_INT8) gather_int8(q, row);
  else if (q->x->type == AR_INT16) gather_int16(q, row);
  else gather_float(q, row);
}

/* -- run */

/* Rows of `count` positions from number `first` on, counted over all images. */
static const void *gather_rows(const Conv2DParams *p, const conv_plan *plan, const ar_tensor *x,
                               int32_t group, int64_t first, int64_t count, uint8_t *rows) {
  const Window *w = &p->window;
  if (plan->stays) return (const float *)x->data + first * plan->depth;
  const int64_t depth = x->dims[3] / p->groups;
  const int64_t per_image = (int64_t)w->output_size[0] * w->output_size[1];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = (first + i) % per_image;
    const patch q = {
        .x = x,
        .w = w,
        .offset = p->input_offset,
        .image = (first + i) / per_image,
        .top = place / w->output_size[1] * w->stride[0] - w->padding[0],
        .left = place % w->output_size[1] * w->stride[1] - w->padding[1],
        .channel = group * depth,
        .depth = depth,
    };
    gather(&q, rows + i * plan->depth * 4);
  }
  return rows;
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const Conv2DParams *p = opaque;
  const conv_plan *plan = memory;
  const ar_finish finish = AR_FINISH_OF(p, io);
  const uint8_t *packed = (const uint8_t *)memory + ar_align64(sizeof *plan);
  if (!plan->in_plan) {
    if (makes_nan(p, io)) return AR_BAD_ARGUMENT;
    pack_filters(p, plan, io, workspace + plan->packed);
    packed = workspace + plan->packed;
  }
  const int64_t filters = plan->filters * p->groups, bytes = ar_element_bytes(io[0].type);
  const int64_t sum_row = ar_padded_columns(plan->filters) * ar_sum_bytes(&finish);
  const int64_t positions =
      (int64_t)io[1].dims[0] * p->window.output_size[0] * p->window.output_size[1];
  uint8_t *bias = workspace + plan->bias, *sums = workspace + plan->sums;
  AR_NAME(load_bias)(&finish, &io[3], filters, bias);
  for (int64_t first = 0; first < positions; first += POSITIONS) {
    const int64_t count = positions - first < POSITIONS ? positions - first : POSITIONS;
    for (int32_t g = 0; g < p->groups; ++g) {
      const void *rows = gather_rows(p, plan, &io[1], g, first, count, workspace + plan->rows);
      const void *matrix = packed + g * plan->group_bytes;
      AR_NAME(product)(&finish, rows, count, plan->depth, matrix, plan->filters, sums);
      for (int64_t i = 0; i < count; ++i)
        AR_NAME(finish)(
            &finish, sums + i * sum_row, bias, g * plan->filters, plan->filters,
            (uint8_t *)io[0].data + ((first + i) * filters + g * plan->filters) * bytes);
    }
  }
  return AR_OK;
}

AR_PORTABLE_KERNEL(CONV_2D, measure, make_plan, run)
