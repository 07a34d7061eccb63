#pragma once

#include "records/depthwise_conv_2d.h"

/* A depthwise convolution of which every output position has one of some `kinds` of windows;
 * `places` has, for every kind, tap and channel, the place of the weight that is taken, or -1. */
typedef struct {
  DepthwiseConv2DParams conv;
  ar_int32s kinds;
  ar_int32s places;
} NibbleParams;
