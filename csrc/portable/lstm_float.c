#include <string.h>

#include "float_math.h"
#include "lstm_plan.h"

/* Infinities become the largest numbers; NaN stays. */
static inline float saturated(float x) {
  const float most = 3.40282347e+38f;
  x = x < -most ? -most : x;
  return x > most ? most : x;
}

/* In place: all inputs' part of the gates, with the bias. */
static void multiply_input(const LstmParams *p, const ar_lstm_plan *plan, const void *memory,
                           const float *x, uint8_t *workspace) {
  const float *restrict bias = (const float *)(workspace + plan->bias);
  float *restrict from_input = (float *)(workspace + plan->from_input);
  AR_NAME(product_float)(x, plan->rows, p->inputs,
                         (const float *)((const uint8_t *)memory + plan->input_matrix),
                         plan->columns, from_input);
  for (int64_t row = 0; row < plan->rows; ++row, from_input += plan->padded)
    for (int64_t c = 0; c < plan->padded; ++c) from_input[c] = saturated(from_input[c] + bias[c]);
}

/* Opened gates and the candidate of one step. Functions are computed for whole blocks, so that
 * no loop has a rest. */
static void open_gates(const LstmParams *p, const float *restrict sums,
                       const float *restrict from_input, float *restrict opened,
                       float *restrict candidate) {
  const int64_t units = p->units, tanh_columns = ar_padded_columns(units);
  const int64_t logistic_columns = ar_padded_columns(3 * units);
  for (int64_t c = 0; c < logistic_columns; ++c)
    opened[c] = ar_logistic(saturated(sums[c]) + from_input[c]);
  for (int64_t c = 0; c < units; ++c)
    candidate[c] = saturated(sums[3 * units + c]) + from_input[3 * units + c];
  if (!p->cell_gate_tanh) return;
  for (int64_t c = 0; c < tanh_columns; ++c) candidate[c] = ar_tanh(candidate[c]);
}

static void update(const LstmParams *p, const float *restrict opened,
                   const float *restrict candidate, float *restrict cell, float *restrict hidden,
                   float *restrict y) {
  const int64_t units = p->units;
  const float clip = (float)p->cell_clip;
  const float *restrict input = opened + units, *restrict output = opened + 2 * units;
  for (int64_t u = 0; u < units; ++u) {
    float state = saturated(opened[u] * cell[u]);
    state += saturated(input[u] * candidate[u]);
    if (clip > 0.0f) {
      state = state < clip ? state : clip;
      state = state < -clip ? -clip : state;
    }
    cell[u] = state;
    hidden[u] = saturated(ar_tanh(state) * output[u]);
    y[u] = hidden[u];
  }
}

void AR_NAME(lstm_float)(const LstmParams *p, const void *memory, const ar_tensor *io,
                         uint8_t *workspace) {
  const ar_lstm_plan *plan = memory;
  const float *recurrent = (const float *)((const uint8_t *)memory + plan->recurrent_matrix);
  float *sums = (float *)(workspace + plan->sums), *cell = io[AR_LSTM_CELL].data;
  float *opened = (float *)(workspace + plan->gates);
  float *candidate = opened + plan->padded + AR_COLUMNS;
  float *hidden = io[AR_LSTM_HIDDEN].data, *y = io[AR_LSTM_OUTPUT].data;
  const float *from_input = (const float *)(workspace + plan->from_input);
  memset(opened, 0, (size_t)(2 * (plan->padded + AR_COLUMNS)) * 4);
  multiply_input(p, plan, memory, io[AR_LSTM_INPUT].data, workspace);
  for (int64_t step = 0; step < p->steps; ++step) {
    AR_NAME(product_float)(hidden, p->batches, p->units, recurrent, plan->columns, sums);
    for (int64_t b = 0; b < p->batches; ++b) {
      const int64_t row = ar_lstm_row(p, step, b);
      open_gates(p, sums + b * plan->padded, from_input + row * plan->padded, opened, candidate);
      update(p, opened, candidate, cell + b * p->units, hidden + b * p->units, y + row * p->units);
    }
  }
}
