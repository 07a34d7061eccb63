/* Any filter: interleaved rows are kept in a ring, and several positions share the loads of what
 * they have in common. Include depthwise_eight.h before. */

enum {
  GROUP = 4,          /* filter rows in a dword */
  POSITIONS = 6,      /* that there is code for */
  LINES_POSITIONS = 4 /* whose sums share the registers with weights, inputs and lines, */
};
#ifdef AR_DOT
enum { MOST_POSITIONS = 6 }; /* and without lines */
#else
enum { MOST_POSITIONS = 4 };
#endif

/* Eight channels of some output rows. */
typedef struct {
  const uint32_t *ring;  /* at the first channel */
  int32_t kept;          /* rows of the ring */
  int32_t dwords;        /* from one row of the ring to the next */
  int32_t place;         /* in the ring, of the first output row's first tap */
  int32_t group_step;    /* rows from one group of filter rows to the next */
  int32_t row_step;      /* rows from one output row to the next */
  int32_t rows, columns; /* of the output; positions of one column count as one row */
  int32_t groups, filter_columns;
  int32_t tap;           /* dwords from one filter column to the next */
  int32_t advance;       /* dwords from one position to the next */
  const int8_t *weights; /* 32 bytes of every 64 */
  int8_t *output;
  int32_t output_advance;
} strip;

/* The last P positions start early enough to be whole. */
AR_INLINE int32_t start_of(const int P, const strip *r, int32_t i) {
  return i + P > r->columns ? r->columns - P : i;
}

AR_INLINE int32_t wrapped(const strip *r, int32_t place) {
  return place >= r->kept ? place - r->kept : place;
}

AR_INLINE void finish(const int WAY, const int P, const strip *r, const ending *e,
                      const rounding *by, eight *out, int8_t *output) {
  const ptrdiff_t advance = r->output_advance;
  requantize_eights(WAY, P, e, by, out);
  store_eights(WAY, P, e, out, (places){output, output + advance, 2 * advance});
}

/* 3x3, where positions lie two filter columns apart: weights stay in registers, and each load
 * serves all positions that see it. */
AR_INLINE void three_by_three(const int WAY, const int P, const strip *of, const ending *given) {
  const strip own = *of, *r = &own; /* what is written might be the caller's */
  const ending e = *given;
  const rounding by = rounding_of(&e);
  const eight bias = bias_of(&e);
  const ptrdiff_t tap = r->tap;
  int8_t *output = r->output;
  int32_t place = r->place;
  eight w[3];
  AR_UNROLL
  for (int k = 0; k < 3; ++k) w[k] = load_eight(r->weights + 64 * k);
  for (int32_t y = 0; y < r->rows; ++y) {
    const uint32_t *row = r->ring + (ptrdiff_t)place * r->dwords;
    for (int32_t i = 0; i < r->columns; i += P) {
      const ptrdiff_t first = start_of(P, r, i);
      const uint32_t *taps = row + first * r->advance;
      eight out[POSITIONS];
      AR_UNROLL
      for (int p = 0; p < P; ++p) {
        sums acc = sums_from(bias);
        AR_UNROLL
        for (int k = 0; k < 3; ++k) acc = dot(acc, load_eight(taps + (2 * p + k) * tap), w[k]);
        out[p] = total(acc, bias);
      }
      finish(WAY, P, r, &e, &by, out, output + first * r->output_advance);
    }
    output += (ptrdiff_t)r->columns * r->output_advance;
    place = wrapped(r, place + r->row_step);
  }
}

/* Weights come from memory, once for P positions. There is a group of rows, and a column, so loops ask
 * behind their ends. */
AR_INLINE void any_filter(const int WAY, const int P, const strip *of, const ending *given) {
  const strip own = *of, *r = &own; /* what is written might be the caller's */
  const ending e = *given;
  const rounding by = rounding_of(&e);
  const eight bias = bias_of(&e);
  const ptrdiff_t advance = r->advance, tap = r->tap, dwords = r->dwords;
  const ptrdiff_t ring = r->kept * dwords, step = r->group_step * dwords;
  int8_t *output = r->output;
  int32_t place = r->place;
  for (int32_t y = 0; y < r->rows; ++y) {
    for (int32_t i = 0; i < r->columns; i += P) {
      const ptrdiff_t first = start_of(P, r, i);
      const uint32_t *row = r->ring + first * advance, *const end = row + ring;
      const int8_t *weights = r->weights;
      int32_t groups = r->groups;
      sums acc[POSITIONS];
      AR_UNROLL
      for (int p = 0; p < P; ++p) acc[p] = sums_from(bias);
      row += place * dwords;
      do {
        const uint32_t *taps = row;
        int32_t columns = r->filter_columns;
        do {
          const eight w = load_eight(weights);
          AR_UNROLL
          for (int p = 0; p < P; ++p) acc[p] = dot(acc[p], load_eight(taps + p * advance), w);
          weights += 64;
          taps += tap;
        } while (--columns);
        row += step;
        if (row >= end) row -= ring;
      } while (--groups);
      eight out[POSITIONS];
      totals(P, acc, bias, out);
      finish(WAY, P, r, &e, &by, out, output + first * r->output_advance);
    }
    output += (ptrdiff_t)r->columns * r->output_advance;
    place = wrapped(r, place + r->row_step);
  }
}

typedef void (*positions_fn)(const strip *, const ending *);
#define VARIANT(NAME, FILTER, WAY, P)                                                 \
  static void NAME(const strip *r, const ending *e) {                                 \
    if (P <= (WAY == LINES ? LINES_POSITIONS : MOST_POSITIONS)) FILTER(WAY, P, r, e); \
  }
#define VARIANTS(P)                                  \
  VARIANT(three_up_##P, three_by_three, UP, P)       \
  VARIANT(three_away_##P, three_by_three, AWAY, P)   \
  VARIANT(three_lines_##P, three_by_three, LINES, P) \
  VARIANT(exact_three_##P, three_by_three, EXACT, P) \
  VARIANT(any_up_##P, any_filter, UP, P)             \
  VARIANT(any_away_##P, any_filter, AWAY, P)         \
  VARIANT(any_lines_##P, any_filter, LINES, P)       \
  VARIANT(exact_any_##P, any_filter, EXACT, P)
VARIANTS(1)
VARIANTS(2)
VARIANTS(3)
VARIANTS(4)
VARIANTS(5)
VARIANTS(6)
#define OF(NAME) {0, NAME##_1, NAME##_2, NAME##_3, NAME##_4, NAME##_5, NAME##_6}
static const positions_fn variants[2][WAYS][POSITIONS + 1] = {
    {OF(any_up), OF(any_away), OF(any_lines), OF(exact_any)},
    {OF(three_up), OF(three_away), OF(three_lines), OF(exact_three)}};

/* Positions that go together, at most so many: parts of about the same size. */
static int32_t at_once(int32_t positions, int32_t most) {
  const int32_t parts = (positions + most - 1) / most;
  return (positions + parts - 1) / parts;
}

/* All channels of a strip that is given but for them. */
static void all_channels(const ar_depthwise *d, strip *r, const int8_t *weights,
                         const ar_requantize_block *blocks) {
  const int32_t taps = d->groups * d->filter_columns;
  const int is_three = d->filter_columns == 3 && d->groups == 1 && r->advance == 2 * r->tap;
  const int32_t positions[] = {at_once(r->columns, MOST_POSITIONS),
                               at_once(r->columns, LINES_POSITIONS)};
  const ar_bounds to = bounds_of(d, blocks);
  for (int32_t c = 0; c < d->channels; c += 8, r->ring += 8, r->output += 8) {
    const ending e = ending_of(d, blocks, &to, c);
    r->weights = weights + (int64_t)64 * taps * (c / AR_BLOCK) + 4 * e.first;
    const way how = way_of(e.block->mode, &to);
    variants[is_three][how][positions[how == LINES]](r, &e);
  }
}

#include "simd/templates/depthwise_ring.h"
