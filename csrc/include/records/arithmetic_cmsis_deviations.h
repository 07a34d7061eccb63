#pragma once

#include "records/conv_2d.h"

/* A convolution of which some output positions, counted through all images, are computed once more:
 * `sources` has a pixel, or -1, for every tap of each of them, `starts` the place of every filter's
 * first weight, and `rounds_half_up` whether two roundings follow, halves up. */
typedef struct {
  Conv2DParams conv;
  ar_int32s positions;
  ar_int32s sources;
  ar_int32s starts;
  ar_int32s rounds_half_up;
} RedoneParams;
