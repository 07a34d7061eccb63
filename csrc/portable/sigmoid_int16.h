/* LOGISTIC and TANH of int16 values, interpolated in a table; see numeric/lut.py. */
#pragma once

#include <stdint.h>

/* 65536 * sigmoid(i / 24): lut.sigmoid_table(). */
static const uint16_t ar_sigmoid_table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
};

/* x in units of 1 / (3 * 4096): x * multiplier * 2^-shift; multiplier 0 stands for 3 * 2^shift. */
static inline int32_t ar_sigmoid_input(int32_t x, int32_t multiplier, int32_t shift) {
  if (multiplier == 0) return (int32_t)(((uint32_t)x * 3) << shift);
  const uint32_t rounding = shift > 0 ? UINT32_C(1) << (shift - 1) : 0;
  return (int32_t)((uint32_t)x * (uint32_t)multiplier + rounding) >> shift;
}

static inline int32_t ar_sigmoid_magnitude(int32_t x, int32_t fraction_bits, int32_t saturated) {
  const uint32_t magnitude = x < 0 ? 0 - (uint32_t)x : (uint32_t)x;
  const uint32_t whole = magnitude >> fraction_bits;
  const uint32_t index = whole < 254 ? whole : 254;
  const int32_t base = ar_sigmoid_table[index], next = ar_sigmoid_table[index + 1];
  const int32_t fraction = (int32_t)(magnitude & ((UINT32_C(1) << fraction_bits) - 1));
  return whole >= 255 ? saturated : (base << fraction_bits) + fraction * (next - base);
}

/* Results in units of 2^-15, for inputs from ar_sigmoid_input. */
static inline int32_t ar_logistic_int16(int32_t scaled) {
  const int32_t value = ar_sigmoid_magnitude(scaled, 9, 0x7FFF << 10);
  return (scaled >= 0 ? value + 512 : (1 << 25) - value + 511) >> 10;
}

static inline int32_t ar_tanh_int16(int32_t scaled) {
  const int32_t value = ar_sigmoid_magnitude(scaled, 8, 0xFFFF << 8) - (1 << 23);
  return (scaled >= 0 ? value + 128 : -value + 127) >> 8;
}
