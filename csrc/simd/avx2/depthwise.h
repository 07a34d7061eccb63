/* Depthwise convolution, eight channels at a time. Interleaved rows hold GROUP vertical taps of
 * a channel in a dword; several positions share the loads of what they have in common.
 *
 * Include an instruction set's lanes.h and define before this:
 * - GROUP, and interleave(out, taps, bytes): dword i of the result holds bytes i of the GROUP
 *   rows, as ar_dot_half wants them;
 * - MOST_APART, how many positions two columns apart the registers hold.
 */
#include "convolution/interleaved_depthwise.h"
#include "simd/templates/requantize.h"

enum {
  MOST_POSITIONS = 6, /* with six vectors of weights, an input and a product: 14 registers */
  FIXED_GROUPS = (3 + GROUP - 1) / GROUP
};

/* Eight channels of some output rows. Interleaved rows are kept in a ring. */
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
  const ar_requantize_block *block;
  int32_t half;  /* of the block */
  int32_t lanes; /* channels that exist: 1 to 8 */
  int8_t low, high;
  int8_t *output;
  int32_t output_advance;
} strip;

AR_INLINE __m256i load_half(const void *block_field, int32_t half) {
  return _mm256_load_si256((const __m256i *)block_field + half);
}

AR_INLINE __m256i load_row(const uint32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }

static __m256i exact(__m256i acc, const ar_requantize_block *block, int32_t half) {
  if (block->integers->mode == AR_REQUANT_REAL)
    return ar_on_reals_half(acc, _mm256_castsi256_ps(load_half(block->scale, half)),
                            _mm256_castsi256_ps(load_half(block->offset, half)));
  acc = _mm256_add_epi32(acc, load_half(block->integers->center, half));
  if (block->integers->mode != AR_REQUANT_SLOW)
    return ar_on_integers_half(acc, block->integers, half);
  _Alignas(64) int32_t lanes[AR_BLOCK] = {0};
  _mm256_store_si256((__m256i *)lanes + half, acc);
  ar_requantize_slow(lanes, block);
  return load_half(lanes, half);
}

AR_INLINE void on_lines(const int P, const strip *r, __m256i *acc) {
  const __m256 scale = _mm256_castsi256_ps(load_half(r->block->scale, r->half));
  const __m256 offset = _mm256_castsi256_ps(load_half(r->block->offset, r->half));
  if (r->block->mode == AR_REQUANT_FLOAT) {
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) acc[p] = ar_on_line_half(acc[p], scale, offset);
    return;
  }
  const __m256 negative = _mm256_castsi256_ps(load_half(r->block->negative_offset, r->half));
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) acc[p] = ar_on_signed_line_half(acc[p], scale, offset, negative);
}

/* Eight bytes of each of up to four positions. */
AR_INLINE void store_four(const int COUNT, const strip *r, const __m256i *acc, int8_t *output) {
  const int second = COUNT > 1 ? 1 : 0, third = COUNT > 2 ? 2 : 0, fourth = COUNT > 3 ? 3 : 0;
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(acc[0], acc[second]),
                                      _mm256_packs_epi32(acc[third], acc[fourth]));
  packed = _mm256_permutevar8x32_epi32(packed, order);
  packed = _mm256_max_epi8(packed, _mm256_set1_epi8(r->low));
  packed = _mm256_min_epi8(packed, _mm256_set1_epi8(r->high));
  const ptrdiff_t advance = r->output_advance;
  if (COUNT == 4 && advance == 8) {
    _mm256_storeu_si256((__m256i *)output, packed);
    return;
  }
  __m128i bytes[4] = {_mm256_castsi256_si128(packed), {0}, _mm256_extracti128_si256(packed, 1)};
  bytes[1] = _mm_unpackhi_epi64(bytes[0], bytes[0]);
  bytes[3] = _mm_unpackhi_epi64(bytes[2], bytes[2]);
  if (r->lanes == 8) {
#pragma clang loop unroll(full)
    for (int p = 0; p < COUNT; ++p) _mm_storel_epi64((__m128i *)(output + p * advance), bytes[p]);
    return;
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < COUNT; ++p) ar_store_some(output + p * advance, bytes[p], r->lanes);
}

AR_INLINE void store(const int P, const strip *r, const __m256i *acc, int8_t *output) {
  store_four(P < 4 ? P : 4, r, acc, output);
  if (P > 4) store_four(P - 4, r, acc + 4, output + 4 * (ptrdiff_t)r->output_advance);
}

/* The last P positions start early enough to be whole. */
AR_INLINE int32_t start_of(const int P, const strip *r, int32_t i) {
  return i + P > r->columns ? r->columns - P : i;
}

AR_INLINE int32_t wrapped(const strip *r, int32_t place) {
  return place >= r->kept ? place - r->kept : place;
}

/* 3x3, where positions lie S filter columns apart: weights stay in registers, and each load
 * serves all positions that see it. */
AR_INLINE void three_by_three(const int S, const int P, const strip *r) {
  __m256i w[FIXED_GROUPS][3];
#pragma clang loop unroll(full)
  for (int g = 0; g < FIXED_GROUPS; ++g)
#pragma clang loop unroll(full)
    for (int k = 0; k < 3; ++k) w[g][k] = load_half(r->weights + 64 * (3 * g + k), 0);
  const ptrdiff_t tap = r->tap;
  int8_t *output = r->output;
  int32_t place = r->place;
  for (int32_t y = 0; y < r->rows; ++y) {
    const uint32_t *row[2] = {r->ring + (ptrdiff_t)place * r->dwords};
    row[1] = r->ring + (ptrdiff_t)wrapped(r, place + r->group_step) * r->dwords;
    for (int32_t i = 0; i < r->columns; i += P) {
      const ptrdiff_t first = start_of(P, r, i);
      __m256i acc[MOST_POSITIONS];
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) acc[p] = load_half(r->block->bias, r->half);
#pragma clang loop unroll(full)
      for (int g = 0; g < FIXED_GROUPS; ++g) {
        const uint32_t *taps = row[g] + first * r->advance;
#pragma clang loop unroll(full)
        for (int c = 0; c < S * (P - 1) + 3; ++c, taps += tap) {
          const __m256i x = load_row(taps);
#pragma clang loop unroll(full)
          for (int k = 0; k < 3; ++k) {
            if (c < k || (c - k) % S || (c - k) / S >= P) continue;
            acc[(c - k) / S] = ar_dot_half(acc[(c - k) / S], x, w[g][k]);
          }
        }
      }
      on_lines(P, r, acc);
      store(P, r, acc, output + first * r->output_advance);
    }
    output += (ptrdiff_t)r->columns * r->output_advance;
    place = wrapped(r, place + r->row_step);
  }
}

/* Any filter: weights come from memory, once for P positions. */
AR_INLINE void any_filter(const int P, const strip *r) {
  const ptrdiff_t advance = r->advance, tap = r->tap;
  const int32_t filter_columns = r->filter_columns;
  int8_t *output = r->output;
  int32_t place = r->place;
  for (int32_t y = 0; y < r->rows; ++y) {
    for (int32_t i = 0; i < r->columns; i += P) {
      const ptrdiff_t first = start_of(P, r, i);
      const int8_t *weights = r->weights;
      int32_t group_place = place;
      __m256i acc[MOST_POSITIONS];
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) acc[p] = load_half(r->block->bias, r->half);
      for (int32_t g = 0; g < r->groups; ++g) {
        const uint32_t *row = r->ring + (ptrdiff_t)group_place * r->dwords + first * advance;
        for (int32_t k = 0; k < filter_columns; ++k, row += tap, weights += 64) {
          const __m256i w = load_half(weights, 0);
#pragma clang loop unroll(full)
          for (int p = 0; p < P; ++p) acc[p] = ar_dot_half(acc[p], load_row(row + p * advance), w);
        }
        group_place = wrapped(r, group_place + r->group_step);
      }
      if (r->block->mode <= AR_REQUANT_SIGNED) on_lines(P, r, acc);
      else
#pragma clang loop unroll(full)
        for (int p = 0; p < P; ++p) acc[p] = exact(acc[p], r->block, r->half);
      store(P, r, acc, output + first * r->output_advance);
    }
    output += (ptrdiff_t)r->columns * r->output_advance;
    place = wrapped(r, place + r->row_step);
  }
}

typedef void (*positions_fn)(const strip *);
#define VARIANTS(P)                                                    \
  static void slide_1_##P(const strip *r) { three_by_three(1, P, r); } \
  static void slide_2_##P(const strip *r) { three_by_three(2, P, r); } \
  static void any_##P(const strip *r) { any_filter(P, r); }
VARIANTS(1)
VARIANTS(2)
VARIANTS(3)
VARIANTS(4)
VARIANTS(5)
VARIANTS(6)
static const positions_fn slide_variants[2][MOST_POSITIONS + 1] = {
    {0, slide_1_1, slide_1_2, slide_1_3, slide_1_4, slide_1_5, slide_1_6},
    {0, slide_2_1, slide_2_2, slide_2_3, slide_2_4, slide_2_5, MOST_APART < 6 ? 0 : slide_2_6}};
static const positions_fn any_variants[MOST_POSITIONS + 1] = {0,     any_1, any_2, any_3,
                                                              any_4, any_5, any_6};

/* All channels of a strip that is given but for them. */
static void all_channels(const ar_depthwise *d, strip *r, const int8_t *weights,
                         const ar_requantize_block *blocks) {
  const int32_t taps = d->groups * d->filter_columns;
  const int32_t apart = r->advance / r->tap; /* in filter columns */
  const int slides = d->filter_columns == 3 && d->groups == FIXED_GROUPS &&
                     (apart == 1 || apart == 2) && apart * r->tap == r->advance;
  const int32_t most = slides && apart == 2 ? MOST_APART : MOST_POSITIONS;
  const int32_t times = (r->columns + most - 1) / most;
  const int32_t positions = (r->columns + times - 1) / times;
  for (int32_t c = 0; c < d->channels; c += 8, r->ring += 8, r->output += 8) {
    r->block = &blocks[c / AR_BLOCK];
    r->half = c / 8 % 2;
    r->weights = weights + (int64_t)64 * taps * (c / AR_BLOCK) + 32 * r->half;
    r->lanes = d->channels - c < 8 ? d->channels - c : 8;
    r->low = d->activation_min;
    r->high = d->activation_max;
    if (slides && r->block->mode <= AR_REQUANT_SIGNED) slide_variants[apart - 1][positions](r);
    else any_variants[positions](r);
  }
}

static int32_t row_dwords(const ar_depthwise *d) { return (d->row_bytes + 31) / 32 * 32 + 32; }

#include "simd/templates/depthwise_ring.h"
