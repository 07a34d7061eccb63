/* Twin of src/arenite/ops/shared/fft.py. */
#pragma once

#include "arrays.h"

typedef struct {
  int32_t length;
  int32_t type;
  bool is_inverse;
  int32_t rows;
  int32_t input_size;
  int32_t output_size;
  ar_int32s factors;
  ar_int32s twiddles;
  ar_int32s real_twiddles;
} FftParams;
