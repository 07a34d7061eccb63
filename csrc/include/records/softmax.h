#ifndef ARENITE_RECORDS_SOFTMAX_H
#define ARENITE_RECORDS_SOFTMAX_H

#include <stdint.h>

typedef struct {
  double beta;
  int32_t input_multiplier;
  int32_t input_left_shift;
  const int32_t *exp_table;
  const int32_t *reciprocal_table;
} SoftmaxParams;

#endif
