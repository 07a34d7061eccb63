/* Depthwise convolution with four bytes: four filter rows to a dword, for CPUs that have
 * AVX-VNNI. */
#include "vnni.h"

#include "isa.h"
#include "lanes.h"

enum { GROUP = 4, MOST_APART = 6 };

/* 32 bytes whose dwords are dealt to both 128-bit lanes in turn, so that two rounds of
 * unpacking leave 8 consecutive elements in each vector. */
AR_INLINE __m256i load_dealt(const uint8_t *row) {
  const __m256i deal = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
  return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)row), deal);
}

static void interleave(uint32_t *out, const uint8_t *const *taps, int32_t bytes) {
  for (int32_t i = 0; i < bytes; i += 32) {
    const __m256i a = load_dealt(taps[0] + i), b = load_dealt(taps[1] + i);
    const __m256i c = load_dealt(taps[2] + i), d = load_dealt(taps[3] + i);
    const __m256i ab_low = _mm256_unpacklo_epi8(a, b), ab_high = _mm256_unpackhi_epi8(a, b);
    const __m256i cd_low = _mm256_unpacklo_epi8(c, d), cd_high = _mm256_unpackhi_epi8(c, d);
    __m256i *to = (__m256i *)(out + i);
    _mm256_storeu_si256(to, _mm256_unpacklo_epi16(ab_low, cd_low));
    _mm256_storeu_si256(to + 1, _mm256_unpackhi_epi16(ab_low, cd_low));
    _mm256_storeu_si256(to + 2, _mm256_unpacklo_epi16(ab_high, cd_high));
    _mm256_storeu_si256(to + 3, _mm256_unpackhi_epi16(ab_high, cd_high));
  }
}

#include "depthwise.h"

int64_t ar_depthwise_workspace_avxvnni(const ar_depthwise *d) { return ring_bytes(d); }

void ar_depthwise_avxvnni(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                          const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  in_strips(d, input, weights, blocks, output, workspace);
}
#pragma clang attribute pop
