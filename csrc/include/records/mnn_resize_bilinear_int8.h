#ifndef ARENITE_RECORDS_MNN_RESIZE_BILINEAR_INT8_H
#define ARENITE_RECORDS_MNN_RESIZE_BILINEAR_INT8_H

#include <stdint.h>

/* For each output row and column two positions and two weights. */
typedef struct {
  int32_t input_zero_point;
  int32_t output_zero_point;
  const int32_t *rows;
  const int32_t *row_weights;
  const int32_t *columns;
  const int32_t *column_weights;
} MnnResizeBilinearInt8Params;

#endif
