/* ADD on int8: two fused multiply-adds per element, proven on all 65,536 pairs of inputs. */
#include <math.h>
#include <string.h>

#include "requantize.h"
#include "../../include/arenite.h"

typedef struct {
  float scale1, scale2, offset;
  int8_t low, high;
} add_plan;

static int64_t elements(const ar_tensor *t) {
  int64_t count = 1;
  for (int32_t i = 0; i < t->rank; ++i) count *= t->dims[i];
  return count;
}

static int same_shape(const ar_tensor *a, const ar_tensor *b) {
  if (a->rank != b->rank) return 0;
  for (int32_t i = 0; i < a->rank; ++i)
    if (a->dims[i] != b->dims[i]) return 0;
  return 1;
}

/* The reference's output before clamping, for one value of a and sixteen of b. */
AR_INLINE __m512i reference(const ar_requantize_block *out, __m512i scaled1, __m512i scaled2) {
  return ar_requantize_integer(_mm512_add_epi32(scaled1, scaled2), out->multiplier,
                               out->constant, out->total);
}

AR_INLINE __m512i line(__m512 a_term, __m512 b, __m512 scale2) {
  return _mm512_cvtps_epi32(_mm512_fmadd_ps(b, scale2, a_term));
}

static void scaled_inputs(int32_t *scaled, int32_t offset, int32_t left_shift, int32_t multiplier,
                          int32_t shift) {
  for (int32_t q = -128; q < 128; ++q)
    scaled[q + 128] = ar_multiply_by_quantized_multiplier(
        (int32_t)((uint32_t)(q + offset) << left_shift), multiplier, shift);
}

static double real_scale(int32_t multiplier, int32_t shift) {
  return ldexp((double)multiplier, shift - 31);
}

/* The offsets with which the line through (scale1, scale2) meets the reference everywhere:
 * their middle, or 0 where there is none. */
static int middle_offset(const ar_requantize_block *out,
                         const int32_t *scaled1, const int32_t *scaled2, add_plan *plan) {
  const __m512d half = _mm512_set1_pd(0.5), k2 = _mm512_set1_pd(plan->scale2);
  const __m512i low = _mm512_set1_epi32(plan->low), high = _mm512_set1_epi32(plan->high);
  __m512d least = _mm512_set1_pd(-1e30), most = _mm512_set1_pd(1e30);
  for (int a = 0; a < 256; ++a) {
    const __m512d a_term = _mm512_set1_pd((double)plan->scale1 * (a - 128));
    const __m512i first = _mm512_set1_epi32(scaled1[a]);
    for (int b = 0; b < 256; b += 16) {
      __m512i y = reference(out, first, _mm512_loadu_si512(scaled2 + b));
      y = _mm512_min_epi32(_mm512_max_epi32(y, low), high);
      const __mmask16 above = _mm512_cmpgt_epi32_mask(y, low);
      const __mmask16 below = _mm512_cmplt_epi32_mask(y, high);
      const __m512i lane =
          _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
      const __m512i bs = _mm512_add_epi32(_mm512_set1_epi32(b - 128), lane);
      for (int h = 0; h < 2; ++h) {
        const __m256i yh = h ? _mm512_extracti64x4_epi64(y, 1) : _mm512_castsi512_si256(y);
        const __m256i bh = h ? _mm512_extracti64x4_epi64(bs, 1) : _mm512_castsi512_si256(bs);
        const __m512d gap = _mm512_sub_pd(
            _mm512_cvtepi32_pd(yh), _mm512_fmadd_pd(_mm512_cvtepi32_pd(bh), k2, a_term));
        least = _mm512_mask_max_pd(least, (__mmask8)(above >> 8 * h), least,
                                   _mm512_sub_pd(gap, half));
        most = _mm512_mask_min_pd(most, (__mmask8)(below >> 8 * h), most,
                                  _mm512_add_pd(gap, half));
      }
    }
  }

  const double l = _mm512_reduce_max_pd(least), m = _mm512_reduce_min_pd(most);
  plan->offset = (float)(0.5 * (l + m));
  return l < m;
}

static int proven(const ar_requantize_block *out, const int32_t *scaled1, const int32_t *scaled2,
                  const add_plan *plan) {
  const __m512i low = _mm512_set1_epi32(plan->low), high = _mm512_set1_epi32(plan->high);
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512 scale1 = _mm512_set1_ps(plan->scale1), scale2 = _mm512_set1_ps(plan->scale2);
  const __m512 offset = _mm512_set1_ps(plan->offset);
  __mmask16 bad = 0;
  for (int a = 0; a < 256; ++a) {
    const __m512 a_term = _mm512_fmadd_ps(_mm512_set1_ps((float)(a - 128)), scale1, offset);
    const __m512i first = _mm512_set1_epi32(scaled1[a]);
    for (int b = 0; b < 256; b += 16) {
      __m512i wanted = reference(out, first, _mm512_loadu_si512(scaled2 + b));
      __m512i bs = _mm512_add_epi32(_mm512_set1_epi32(b - 128), lane);
      __m512i got = line(a_term, _mm512_cvtepi32_ps(bs), scale2);
      wanted = _mm512_min_epi32(_mm512_max_epi32(wanted, low), high);
      got = _mm512_min_epi32(_mm512_max_epi32(got, low), high);
      bad |= _mm512_cmpneq_epi32_mask(wanted, got);
    }
  }
  return !bad;
}

/* Tries lines of neighbouring scales until one is proven. */
static int find(const AddSubParams *p, add_plan *plan) {
  if (p->sign != 1) return 0;
  ar_requantize_block out;
  memset(&out, 0, sizeof out);
  for (int lane = 0; lane < AR_BLOCK; ++lane)
    if (ar_requantize_integer_plan(&out, lane, p->output_multiplier, p->output_shift,
                                   p->output_offset) != AR_REQUANT_INTEGER)
      return 0;
  _Alignas(64) int32_t scaled1[256], scaled2[256];
  scaled_inputs(scaled1, p->input1_offset, p->left_shift, p->input1_multiplier, p->input1_shift);
  scaled_inputs(scaled2, p->input2_offset, p->left_shift, p->input2_multiplier, p->input2_shift);
  const double common = ldexp(real_scale(p->output_multiplier, p->output_shift), p->left_shift);
  const float k1 = (float)(common * real_scale(p->input1_multiplier, p->input1_shift));
  const float k2 = (float)(common * real_scale(p->input2_multiplier, p->input2_shift));
  plan->low = (int8_t)p->activation_min;
  plan->high = (int8_t)p->activation_max;
  for (int attempt = 0; attempt < 9; ++attempt) {
    const int s1 = (int[]){0, 1, -1, 0, 0, 1, -1, 1, -1}[attempt];
    const int s2 = (int[]){0, 0, 0, 1, -1, 1, -1, -1, 1}[attempt];
    plan->scale1 = s1 ? nextafterf(k1, s1 > 0 ? INFINITY : 0.0f) : k1;
    plan->scale2 = s2 ? nextafterf(k2, s2 > 0 ? INFINITY : 0.0f) : k2;
    if (middle_offset(&out, scaled1, scaled2, plan) && proven(&out, scaled1, scaled2, plan))
      return 1;
  }
  return 0;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const ar_tensor *y = &io[0], *a = &io[1], *b = &io[2];
  if (a->type != AR_INT8 || b->type != AR_INT8 || y->type != AR_INT8) return AR_UNSUPPORTED;
  if (!same_shape(a, b) || elements(a) != elements(y)) return AR_UNSUPPORTED;
  add_plan plan;
  sizes->plan = sizeof plan;
  return find(params, &plan) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status make_plan(const void *params, const ar_tensor *io, void *memory) {
  (void)io;
  return find(params, memory) ? AR_OK : AR_UNSUPPORTED;
}

AR_INLINE __m512i sixteen(const int8_t *a, const int8_t *b, __m512 scale1, __m512 scale2,
                          __m512 offset) {
  __m512 x = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)a)));
  __m512 y = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)b)));
  return line(_mm512_fmadd_ps(x, scale1, offset), y, scale2);
}

static ar_status run(const void *params, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  (void)params, (void)workspace;
  const add_plan *plan = memory;
  const __m512 scale1 = _mm512_set1_ps(plan->scale1), scale2 = _mm512_set1_ps(plan->scale2);
  const __m512 offset = _mm512_set1_ps(plan->offset);
  const __m512i low = _mm512_set1_epi8(plan->low), high = _mm512_set1_epi8(plan->high);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const int8_t *a = io[1].data, *b = io[2].data;
  int8_t *out = io[0].data;
  const int64_t count = elements(&io[0]);
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    __m512i v[4];
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k)
      v[k] = sixteen(a + i + 16 * k, b + i + 16 * k, scale1, scale2, offset);
    __m512i packed =
        _mm512_packs_epi16(_mm512_packs_epi32(v[0], v[1]), _mm512_packs_epi32(v[2], v[3]));
    packed = _mm512_permutexvar_epi32(order, packed);
    _mm512_storeu_si512(out + i, _mm512_min_epi8(_mm512_max_epi8(packed, low), high));
  }
  for (; i < count; ++i) {
    const __m128 k1 = _mm512_castps512_ps128(scale1), k2 = _mm512_castps512_ps128(scale2);
    const __m128 first = _mm_fmadd_ss(_mm_set_ss(a[i]), k1, _mm512_castps512_ps128(offset));
    int32_t y = _mm_cvtss_si32(_mm_fmadd_ss(_mm_set_ss(b[i]), k2, first));
    out[i] = (int8_t)ar_clamp(y, plan->low, plan->high);
  }
  return AR_OK;
}

const ar_kernel ar_add_avx512vnni = {"ADD", measure, make_plan, run};
