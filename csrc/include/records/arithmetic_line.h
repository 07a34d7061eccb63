#ifndef ARENITE_RECORDS_ARITHMETIC_LINE_H
#define ARENITE_RECORDS_ARITHMETIC_LINE_H

#include <stdint.h>

#include "arrays.h"
#include "records/conv_2d.h"

/* A convolution along a line of which some positions see other pixels. `sources` has a pixel, or -1
 * for padding, for every tap of each of `positions`. */
typedef struct {
  Conv2DParams conv;
  ar_int32s positions;
  ar_int32s sources;
} LineParams;

#endif
