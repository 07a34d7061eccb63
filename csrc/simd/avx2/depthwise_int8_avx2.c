/* Depthwise convolution with pairs of int16: two filter rows to a dword. */
#include "isa.h"
#include "lanes.h"

enum { GROUP = 2, MOST_APART = 5 };

static void interleave(uint32_t *out, const uint8_t *const *taps, int32_t bytes) {
  for (int32_t i = 0; i < bytes; i += 16) {
    const __m128i a = _mm_loadu_si128((const __m128i *)(taps[0] + i));
    const __m128i b = _mm_loadu_si128((const __m128i *)(taps[1] + i));
    _mm256_storeu_si256((__m256i *)(out + i), _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b)));
    _mm256_storeu_si256((__m256i *)(out + i + 8), _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b)));
  }
}

#include "depthwise.h"

int64_t ar_depthwise_workspace_avx2(const ar_depthwise *d) { return ring_bytes(d); }

void ar_depthwise_avx2(const ar_depthwise *d, const uint8_t *input, const int8_t *weights,
                       const ar_requantize_block *blocks, int8_t *output, uint8_t *workspace) {
  in_strips(d, input, weights, blocks, output, workspace);
}
