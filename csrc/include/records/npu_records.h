#pragma once

#include "records/window.h"

typedef struct {
  int64_t size[4];
  int64_t source;
  int64_t source_steps[4];
  int64_t target;
  int64_t target_steps[4];
  int32_t element_bytes;
} NpuMoveParams;

typedef struct {
  ar_int8s table;
} NpuTableParams;

typedef struct {
  int32_t rounding;
  bool has_scale;
  int64_t multiplier;
  int32_t shift;
  int32_t zero_point;
  int32_t low;
  int32_t high;
  int32_t curve;
  ar_int32s table;
  int32_t first;
} NpuResultParams;

typedef struct {
  Window window;
  int32_t input_size[2];
  int32_t upscale;
  int32_t zero_point;
  bool is_depthwise;
  ar_int16s weights;
  ar_int64s bias;
  ar_int64s multiplier;
  ar_int32s shift;
  NpuResultParams result;
} NpuConvolutionParams;

typedef struct {
  int32_t kind;
  Window window;
  int32_t input_size[2];
  int32_t upscale;
  int32_t zero_point;
  bool divides;
  NpuResultParams result;
} NpuPoolParams;

typedef struct {
  int64_t multiplier;
  int32_t shift;
  int32_t left;
  int32_t rounding;
} NpuOperandParams;

typedef struct {
  int32_t function;
  bool is_reversed;
  bool is_wide;
  int32_t zero_point;
  int32_t other_zero_point;
  int32_t number;
  NpuOperandParams first;
  NpuOperandParams second;
  NpuResultParams result;
} NpuElementwiseParams;

typedef struct {
  bool is_nearest;
  int32_t parts[2];
  int32_t step[2];
  int32_t offset[2];
  int32_t zero_point;
  NpuResultParams result;
} NpuResizeParams;
