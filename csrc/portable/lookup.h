/* Functions of int8 values as tables of their 256 results, indexed by the byte. */
#ifndef ARENITE_PORTABLE_LOOKUP_H
#define ARENITE_PORTABLE_LOOKUP_H

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
  for (int64_t i = ar_lookup_blocks(table, x, y, count); i < count; ++i) y[i] = table[(uint8_t)x[i]];
}

#endif
