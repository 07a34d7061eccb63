#pragma once

#include "arrays.h"

typedef struct {
  int32_t input_weights_offset;
  int32_t input_multiplier;
  int32_t input_shift;
  int32_t recurrent_weights_offset;
  int32_t recurrent_multiplier;
  int32_t recurrent_shift;
} GateParams;

typedef struct {
  int32_t multiplier;
  int32_t shift;
  int32_t output_offset;
  int32_t output_min;
  int32_t output_max;
} ProductParams;

/* Gates: forget, input, output, cell. */
typedef struct {
  bool time_major;
  int32_t batches;
  int32_t steps;
  int32_t inputs;
  int32_t units;
  int32_t input_offset;
  int32_t hidden_offset;
  GateParams gates[4];
  ProductParams forget_times_cell;
  ProductParams input_times_cell;
  ProductParams tanh_times_output;
  bool cell_gate_tanh;
  bool accumulates_64_bits;
  int32_t cell_scale_power;
  double cell_clip;
  int32_t quantized_cell_clip;
  int32_t scratch[4];
  bool is_cmsis_nn;
} LstmParams;
