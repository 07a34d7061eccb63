/* Functions of int8 values as tables of their 256 results, indexed by the byte. */
#pragma once

#include <stdint.h>
#include <string.h>

enum { AR_LOOKUP_WORK = 12 }; /* see AR_FLAT_KERNEL */

#ifdef __AVX512BW__
#include <immintrin.h>

/* The results of the low bytes of 32 words. The table is 128 words, of which a permutation finds 64
 * by 6 bits; bit 0 of an index says which half of the word it is. */
static inline __attribute__((always_inline)) __m512i ar_look_up_words(const __m512i *table,
                                                                      __m512i x) {
  const __m512i word = _mm512_srli_epi16(x, 1);
  const __m512i low = _mm512_permutex2var_epi16(table[0], word, table[1]);
  const __m512i high = _mm512_permutex2var_epi16(table[2], word, table[3]);
  const __mmask32 is_high = _mm512_test_epi16_mask(x, _mm512_set1_epi16(0x80));
  const __m512i half = _mm512_slli_epi16(_mm512_and_si512(x, _mm512_set1_epi16(1)), 3);
  return _mm512_srlv_epi16(_mm512_mask_blend_epi16(is_high, low, high), half);
}

/* Whole blocks of 64; returns how many elements that is. */
static inline int64_t ar_lookup_blocks(const int8_t *table, const int8_t *x, int8_t *y,
                                       int64_t count) {
  const __m512i bytes = _mm512_set1_epi16(0xFF);
  __m512i words[4];
  for (int i = 0; i < 4; ++i) words[i] = _mm512_loadu_si512(table + 64 * i);
  int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
    const __m512i all = _mm512_loadu_si512(x + i);
    const __m512i even = ar_look_up_words(words, _mm512_and_si512(all, bytes));
    const __m512i odd = ar_look_up_words(words, _mm512_srli_epi16(all, 8));
    const __m512i both =
        _mm512_mask_blend_epi8(UINT64_C(0xAAAAAAAAAAAAAAAA), even, _mm512_slli_epi16(odd, 8));
    _mm512_storeu_si512(y + i, both);
  }
  return i;
}

#elif defined(__AVX2__)
#include <immintrin.h>

/* Whole blocks of 32; returns how many elements that is. A shuffle finds 16 bytes by 4 bits, and gives 0
 * where the index has bit 7. The index loses 16 from one shuffle to the next, so that byte 16 b + i, up to
 * 127, is found in the parts 0 to b, and one above in the parts b - 7 to b: what a part holds is the
 * table's less what those before it give. From the ninth on the index must not go round once more. */
static inline int64_t ar_lookup_blocks(const int8_t *table, const int8_t *x, int8_t *y,
                                       int64_t count) {
  enum { PARTS = 16, HALF = PARTS / 2 };
  if (count < 2 * PARTS) return 0;
  const __m256i sixteen = _mm256_set1_epi8(PARTS);
  __m256i part[PARTS], before = _mm256_setzero_si256();
  for (int k = 0; k < PARTS; ++k) {
    const __m128i given = _mm_loadu_si128((const __m128i *)(table + PARTS * k));
    const __m256i whole = _mm256_broadcastsi128_si256(given);
    part[k] = _mm256_xor_si256(whole, before);
    if (k >= HALF) part[k] = _mm256_xor_si256(part[k], part[k - HALF]);
    before = whole;
  }
  int64_t i = 0;
  for (; i + 2 * PARTS <= count; i += 2 * PARTS) {
    __m256i index = _mm256_loadu_si256((const __m256i *)(x + i));
    __m256i found = _mm256_shuffle_epi8(part[0], index);
    for (int k = 1; k < PARTS; ++k) {
      index = k <= HALF ? _mm256_sub_epi8(index, sixteen) : _mm256_subs_epi8(index, sixteen);
      found = _mm256_xor_si256(found, _mm256_shuffle_epi8(part[k], index));
    }
    _mm256_storeu_si256((__m256i *)(y + i), found);
  }
  return i;
}

#elif defined(__ARM_NEON)
#include <arm_neon.h>

/* Whole blocks of 16; returns how many elements that is. An index beyond a quarter's 64 bytes finds 0, or
 * keeps what is there. */
static inline int64_t ar_lookup_blocks(const int8_t *table, const int8_t *x, int8_t *y,
                                       int64_t count) {
  const uint8_t *bytes = (const uint8_t *)table;
  if (count < 16) return 0;
  uint8x16x4_t quarter[4];
  for (int k = 0; k < 4; ++k) quarter[k] = vld1q_u8_x4(bytes + 64 * k);
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    uint8x16_t index = vld1q_u8((const uint8_t *)x + i);
    uint8x16_t found = vqtbl4q_u8(quarter[0], index);
    for (int k = 1; k < 4; ++k) {
      index = vsubq_u8(index, vdupq_n_u8(64));
      found = vqtbx4q_u8(found, quarter[k], index);
    }
    vst1q_u8((uint8_t *)y + i, found);
  }
  return i;
}

#else

/* Eight at a time through a register: compilers would take them out of a vector one by one. */
static inline int64_t ar_lookup_blocks(const int8_t *table, const int8_t *x, int8_t *y,
                                       int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t in, out = 0;
    memcpy(&in, x + i, sizeof in);
    for (int k = 0; k < 64; k += 8) out |= (uint64_t)(uint8_t)table[in >> k & 0xFF] << k;
    memcpy(y + i, &out, sizeof out);
  }
  return i;
}

#endif

static inline void ar_lookup(const int8_t *table, const int8_t *x, int8_t *y, int64_t count) {
  for (int64_t i = ar_lookup_blocks(table, x, y, count); i < count; ++i)
    y[i] = table[(uint8_t)x[i]];
}
