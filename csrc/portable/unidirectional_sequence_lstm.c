/* UNIDIRECTIONAL_SEQUENCE_LSTM: int8 and int16 with int8 weights, float32. Weights are
 * constants. */
#include <string.h>

#include "lstm_plan.h"

/* Positions in io of each gate's input weights, recurrent weights and bias. */
static const int32_t gate_inputs[4][3] = {{3, 7, 14}, {2, 6, 13}, {5, 9, 16}, {4, 8, 15}};

/* Whether all tensors have the sizes that the parameters say, and states can be written. */
static int sizes_fit(const LstmParams *p, const ar_tensor *io) {
  const int64_t rows = ar_times(p->batches, p->steps), state = ar_times(p->batches, p->units);
  if (p->units < 1 || p->inputs < 1 || io[AR_LSTM_HIDDEN].data || io[AR_LSTM_CELL].data) return 0;
  if (ar_elements(&io[AR_LSTM_INPUT]) != ar_times(rows, p->inputs)) return 0;
  if (ar_elements(&io[AR_LSTM_OUTPUT]) != ar_times(rows, p->units)) return 0;
  if (ar_elements(&io[AR_LSTM_HIDDEN]) != state || ar_elements(&io[AR_LSTM_CELL]) != state)
    return 0;
  for (int32_t g = 0; g < 4; ++g) {
    const int32_t *at = gate_inputs[g];
    if (ar_elements(&io[at[0]]) != ar_times(p->units, p->inputs)) return 0;
    if (ar_elements(&io[at[1]]) != ar_times(p->units, p->units)) return 0;
    if (ar_elements(&io[at[2]]) != p->units) return 0;
  }
  return ar_is_rescale(p->forget_times_cell.shift) && ar_is_rescale(p->input_times_cell.shift) &&
         ar_is_rescale(p->tanh_times_output.shift) &&
         ar_rounds_once(p->input_times_cell.shift) == ar_rounds_once(p->forget_times_cell.shift) &&
         ar_rounds_once(p->tanh_times_output.shift) == ar_rounds_once(p->forget_times_cell.shift);
}

static int is_gate_shift(const LstmParams *p, int32_t shift) {
  if (p->accumulates_64_bits) return ar_is_wide_rescale(shift);
  return ar_is_rescale(shift) && ar_bare_shift(shift) <= 30;
}

static ar_status check(const LstmParams *p, const ar_tensor *io) {
  for (int32_t i = 0; i <= AR_LSTM_CELL; ++i)
    if (io[i].type == AR_END) return AR_UNSUPPORTED;
  const int32_t type = io[AR_LSTM_INPUT].type;
  const int is_float = type == AR_FLOAT32;
  if (!AR_IS_ONE_OF(type, AR_INT8, AR_INT16, AR_FLOAT32)) return AR_UNSUPPORTED;
  if (io[0].type != type || io[AR_LSTM_HIDDEN].type != type) return AR_UNSUPPORTED;
  if (io[AR_LSTM_CELL].type != (is_float ? AR_FLOAT32 : AR_INT16)) return AR_UNSUPPORTED;
  if (!is_float && p->accumulates_64_bits != (type == AR_INT16)) return AR_UNSUPPORTED;
  const int32_t bias = is_float ? AR_FLOAT32 : type == AR_INT8 ? AR_INT32 : AR_INT64;
  const int32_t weights = is_float ? AR_FLOAT32 : AR_INT8;
  for (int32_t g = 0; g < 4; ++g) {
    for (int32_t i = 0; i < 2; ++i) {
      const ar_tensor *w = &io[gate_inputs[g][i]];
      if (w->type != weights || !w->data) return AR_UNSUPPORTED;
    }
    if (io[gate_inputs[g][2]].type != bias) return AR_UNSUPPORTED;
    const GateParams *gate = &p->gates[g];
    if (!is_gate_shift(p, gate->input_shift) || !is_gate_shift(p, gate->recurrent_shift))
      return AR_UNSUPPORTED;
    if (!ar_is_small(gate->input_weights_offset) || !ar_is_small(gate->recurrent_weights_offset))
      return AR_UNSUPPORTED;
  }
  /* With 16 bits and an offset of as many, sums of products are still exact. */
  const int32_t a = p->input_offset, b = p->hidden_offset;
  if (a < -32768 || a > 32768 || b < -32768 || b > 32768) return AR_UNSUPPORTED;
  const int32_t power = p->cell_scale_power;
  return power >= -43 && power <= 17 && sizes_fit(p, io) ? AR_OK : AR_UNSUPPORTED;
}

static ar_status describe(const LstmParams *p, const ar_tensor *io, ar_lstm_plan *plan) {
  const ar_status status = check(p, io);
  if (status != AR_OK) return status;
  const int32_t type = io[AR_LSTM_INPUT].type;
  const int64_t columns = INT64_C(4) * p->units, padded = ar_padded_columns(columns);
  const int64_t sum = p->accumulates_64_bits ? 8 : 4;
  const int64_t rows = p->batches > AR_LSTM_ROWS ? p->batches : AR_LSTM_ROWS;
  *plan =
      (ar_lstm_plan){.rows = (int64_t)p->batches * p->steps, .columns = columns, .padded = padded};
  plan->input_matrix = ar_align64(sizeof *plan);
  plan->recurrent_matrix = plan->input_matrix + AR_NAME(packed_bytes)(type, p->inputs, columns);
  plan->input_scale = plan->recurrent_matrix + AR_NAME(packed_bytes)(type, p->units, columns);
  plan->recurrent_scale = plan->input_scale + padded * 8;
  plan->from_input = plan->bias + padded * sum;
  plan->x = plan->from_input + plan->rows * padded * (type == AR_FLOAT32 ? 4 : 2);
  plan->hidden = plan->x + ar_align64(AR_LSTM_ROWS * p->inputs * 4);
  plan->sums = plan->hidden + ar_align64((int64_t)p->batches * p->units * 4);
  plan->gates = plan->sums + rows * padded * sum;
  return AR_OK;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  ar_lstm_plan plan;
  const ar_status status = describe(params, io, &plan);
  if (status != AR_OK) return status;
  sizes->plan = plan.recurrent_scale + plan.padded * 8;
  /* Three gates' and the cell's values, each read up to whole blocks. */
  sizes->workspace = plan.gates + 2 * (plan.padded + AR_COLUMNS) * 4;
  return AR_OK;
}

static ar_status make_plan(const void *opaque, const ar_tensor *io, void *memory) {
  const LstmParams *p = opaque;
  ar_lstm_plan *plan = memory;
  const ar_status status = describe(p, io, plan);
  if (status != AR_OK) return status;
  uint8_t *base = memory;
  memset(base + plan->input_matrix, 0,
         (size_t)(plan->recurrent_scale + plan->padded * 8 - plan->input_matrix));
  for (int32_t g = 0; g < 4; ++g) {
    const ar_tensor *input = &io[gate_inputs[g][0]], *recurrent = &io[gate_inputs[g][1]];
    const ar_matrix_source sources[2] = {
        {.data = input->data, .type = input->type, .column_step = p->inputs, .depth_step = 1},
        {.data = recurrent->data,
         .type = recurrent->type,
         .column_step = p->units,
         .depth_step = 1},
    };
    AR_NAME(pack_columns)(&sources[0], p->inputs, (int64_t)g * p->units, p->units,
                          base + plan->input_matrix);
    AR_NAME(pack_columns)(&sources[1], p->units, (int64_t)g * p->units, p->units,
                          base + plan->recurrent_matrix);
    int32_t *input_scale = (int32_t *)(base + plan->input_scale) + g * p->units;
    int32_t *recurrent_scale = (int32_t *)(base + plan->recurrent_scale) + g * p->units;
    for (int32_t u = 0; u < p->units; ++u) {
      input_scale[u] = p->gates[g].input_multiplier;
      input_scale[plan->padded + u] = p->gates[g].input_shift;
      recurrent_scale[u] = p->gates[g].recurrent_multiplier;
      recurrent_scale[plan->padded + u] = p->gates[g].recurrent_shift;
    }
  }
  return AR_OK;
}

static ar_status run(const void *opaque, const void *memory, const ar_tensor *io,
                     uint8_t *workspace) {
  const LstmParams *p = opaque;
  const ar_lstm_plan *plan = memory;
  const int64_t sum = p->accumulates_64_bits ? 8 : 4;
  memset(workspace + plan->bias, 0, (size_t)(plan->padded * sum));
  for (int32_t g = 0; g < 4; ++g)
    memcpy(workspace + plan->bias + g * p->units * sum, io[gate_inputs[g][2]].data,
           (size_t)(p->units * sum));
  if (io[AR_LSTM_INPUT].type == AR_FLOAT32) AR_NAME(lstm_float)(p, memory, io, workspace);
  else AR_NAME(lstm_integer)(p, memory, io, workspace);
  return AR_OK;
}

AR_PORTABLE_KERNEL(UNIDIRECTIONAL_SEQUENCE_LSTM, measure, make_plan, run)
