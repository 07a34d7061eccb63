/* Sixteen int16 for winograd_int8.h, on x86: half of AVX512's registers have as many channels as a
 * whole one has of their products. */
typedef __m256i int16s;
AR_INLINE int16s add(int16s a, int16s b) { return _mm256_add_epi16(a, b); }
AR_INLINE int16s subtract(int16s a, int16s b) { return _mm256_sub_epi16(a, b); }
AR_INLINE int16s twice(int16s a) { return _mm256_add_epi16(a, a); }
AR_INLINE int16s four_times(int16s a) { return _mm256_slli_epi16(a, 2); }
