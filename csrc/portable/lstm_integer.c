#include <string.h>

#include "arithmetic/fixedpoint.h"
#include "lstm_plan.h"
#include "sigmoid_int16.h"

static inline int32_t clip_int16(int32_t x) { return ar_clamp(x, -32768, 32767); }

/* Scales sums, adds START and clips to int16; `scale` holds multipliers, then shifts. */
#define AR_RESCALE(name, SUM, SCALE, START)                                                  \
  static void name(const SUM *restrict sums, const int32_t *restrict scale, int64_t columns, \
                   int16_t *restrict to) {                                                   \
    const int32_t *restrict shift = scale + columns;                                         \
    for (int64_t c = 0; c < columns; ++c)                                                    \
      to[c] = (int16_t)clip_int16(                                                           \
          (int32_t)((uint32_t)SCALE(sums[c], scale[c], shift[c]) + (uint32_t)START));        \
  }

AR_RESCALE(rescale_int32, int32_t, ar_multiply_by_quantized_multiplier, 0)
AR_RESCALE(rescale_int32_once, int32_t, ar_rescale, 0)
AR_RESCALE(rescale_int64, int64_t, ar_multiply_by_quantized_multiplier_int64, 0)
AR_RESCALE(add_int32, int32_t, ar_rescale, to[c])
AR_RESCALE(add_int64, int64_t, ar_multiply_by_quantized_multiplier_int64, to[c])

/* Adds a bias, and what weights' offsets make of a row of activations, to a row of sums. */
static void complete(const LstmParams *p, int is_input, const int32_t *x, int64_t depth,
                     const void *bias, void *sums) {
  int64_t total = 0;
  for (int64_t k = 0; k < depth; ++k) total += x[k];
  for (int32_t g = 0; g < 4; ++g) {
    const GateParams *gate = &p->gates[g];
    const int64_t offset =
        (is_input ? gate->input_weights_offset : gate->recurrent_weights_offset) * total;
    const int64_t first = (int64_t)g * p->units;
    if (offset == 0 && !bias) continue;
    for (int64_t c = first; c < first + p->units; ++c) {
      if (p->accumulates_64_bits) {
        const uint64_t b = bias ? (uint64_t)((const int64_t *)bias)[c] : 0;
        ((uint64_t *)sums)[c] += b + (uint64_t)offset;
      } else {
        const uint32_t b = bias ? (uint32_t)((const int32_t *)bias)[c] : 0;
        ((uint32_t *)sums)[c] += b + (uint32_t)offset;
      }
    }
  }
}

/* A product of rows with a matrix, completed and scaled to int16. CMSIS-NN adds what comes from
 * the hidden state to what comes from the input before it clips. */
static void gate_rows(const LstmParams *p, const ar_lstm_plan *plan, const void *memory,
                      int is_input, const int32_t *x, int64_t rows, uint8_t *workspace,
                      int16_t *to) {
  const int64_t depth = is_input ? p->inputs : p->units;
  const uint8_t *base = memory;
  const int8_t *matrix =
      (const int8_t *)base + (is_input ? plan->input_matrix : plan->recurrent_matrix);
  const int32_t *scale =
      (const int32_t *)(base + (is_input ? plan->input_scale : plan->recurrent_scale));
  const void *bias = is_input ? workspace + plan->bias : 0;
  const int once = ar_rounds_once(scale[plan->padded]);
  uint8_t *sums = workspace + plan->sums;
  if (p->accumulates_64_bits)
    AR_NAME(product_int64)(x, rows, depth, matrix, plan->columns, (int64_t *)sums);
  else AR_NAME(product_int32)(x, rows, depth, matrix, plan->columns, (int32_t *)sums);
  const int64_t row_bytes = plan->padded * (p->accumulates_64_bits ? 8 : 4);
  for (int64_t r = 0; r < rows; ++r, sums += row_bytes, to += plan->padded) {
    complete(p, is_input, x + r * depth, depth, bias, sums);
    if (p->is_cmsis_nn && !is_input) {
      if (p->accumulates_64_bits) add_int64((const int64_t *)sums, scale, plan->padded, to);
      else add_int32((const int32_t *)sums, scale, plan->padded, to);
    } else if (p->accumulates_64_bits)
      rescale_int64((const int64_t *)sums, scale, plan->padded, to);
    else if (once) rescale_int32_once((const int32_t *)sums, scale, plan->padded, to);
    else rescale_int32((const int32_t *)sums, scale, plan->padded, to);
  }
}

static inline int32_t product(const int once, const ProductParams *p, int32_t a, int32_t b) {
  const int32_t scaled = ar_scale(once, a * b, p->multiplier, p->shift);
  return ar_clamp_offset(scaled, p->output_offset, p->output_min, p->output_max);
}

/* Gates and the cell gate of one step, in units of 2^-15. */
static void open_gates(const LstmParams *p, const int16_t *restrict from_hidden,
                       const int16_t *restrict from_input, int32_t *restrict opened) {
  const int64_t gates = 4 * p->units, others = 3 * p->units;
  /* CMSIS-NN knows two functions only. */
  const int64_t logistic = p->is_cmsis_nn && !p->cell_gate_tanh ? gates : others;
  for (int64_t c = 0; c < logistic; ++c)
    opened[c] = ar_logistic_int16(clip_int16(from_hidden[c] + from_input[c]) * 3);
  if (p->cell_gate_tanh)
    for (int64_t c = others; c < gates; ++c)
      opened[c] = ar_tanh_int16(clip_int16(from_hidden[c] + from_input[c]) * 3);
  else
    for (int64_t c = logistic; c < gates; ++c)
      opened[c] = clip_int16(from_hidden[c] + from_input[c]);
}

/* New cell states, and results in the place of the opened forget gates. */
static inline __attribute__((always_inline)) void update_with(const int once, const LstmParams *p,
                                                              int32_t *restrict opened,
                                                              int16_t *restrict cell) {
  const int64_t units = p->units;
  const int32_t *restrict input = opened + units, *restrict output = opened + 2 * units;
  const int32_t *restrict candidate = opened + 3 * units;
  const int32_t low = p->cell_clip > 0 ? -p->quantized_cell_clip : -32768;
  const int32_t high = p->cell_clip > 0 ? p->quantized_cell_clip : 32767;
  for (int64_t u = 0; u < units; ++u) {
    int32_t state = product(once, &p->forget_times_cell, opened[u], cell[u]);
    state += product(once, &p->input_times_cell, input[u], candidate[u]);
    cell[u] = (int16_t)ar_clamp(state, low, high);
  }
  /* The cell's scale in the tables' units: 3 * 2^shift, or 3 * 2^-shift. */
  const int32_t power = 12 + p->cell_scale_power;
  const int32_t multiplier = power >= 0 ? 0 : 3, shift = power >= 0 ? power : -power;
  for (int64_t u = 0; u < units; ++u) {
    const int32_t tanh = ar_tanh_int16(ar_sigmoid_input(cell[u], multiplier, shift));
    opened[u] = product(once, &p->tanh_times_output, tanh, output[u]);
  }
}

static void update(const LstmParams p, int32_t *opened, int16_t *cell) {
  if (ar_rounds_once(p.forget_times_cell.shift)) update_with(1, &p, opened, cell);
  else update_with(0, &p, opened, cell);
}

static void store(const LstmParams *p, int32_t type, const int32_t *restrict result, int64_t row,
                  int64_t batch, const ar_tensor *io, int32_t *restrict hidden) {
  const int64_t units = p->units;
  for (int64_t u = 0; u < units; ++u) hidden[batch * units + u] = result[u] + p->hidden_offset;
  if (type == AR_INT8) {
    int8_t *y = (int8_t *)io[AR_LSTM_OUTPUT].data + row * units;
    int8_t *last = (int8_t *)io[AR_LSTM_HIDDEN].data + batch * units;
    for (int64_t u = 0; u < units; ++u) y[u] = last[u] = (int8_t)result[u];
  } else {
    int16_t *y = (int16_t *)io[AR_LSTM_OUTPUT].data + row * units;
    int16_t *last = (int16_t *)io[AR_LSTM_HIDDEN].data + batch * units;
    for (int64_t u = 0; u < units; ++u) y[u] = last[u] = (int16_t)result[u];
  }
}

/* States as a reset leaves them. */
static void empty_states(const LstmParams *p, int32_t type, const ar_tensor *io) {
  const int64_t count = (int64_t)p->batches * p->units;
  memset(io[AR_LSTM_CELL].data, 0, (size_t)count * 2);
  for (int64_t i = 0; i < count; ++i) {
    if (type == AR_INT8) ((int8_t *)io[AR_LSTM_HIDDEN].data)[i] = (int8_t)-p->hidden_offset;
    else ((int16_t *)io[AR_LSTM_HIDDEN].data)[i] = (int16_t)-p->hidden_offset;
  }
}

void AR_NAME(lstm_integer)(const LstmParams *p, const void *memory, const ar_tensor *io,
                           uint8_t *workspace) {
  const ar_lstm_plan *plan = memory;
  const int32_t type = io[AR_LSTM_INPUT].type, bytes = ar_element_bytes(type);
  int16_t *from_input = (int16_t *)(workspace + plan->from_input);
  int32_t *x = (int32_t *)(workspace + plan->x), *hidden = (int32_t *)(workspace + plan->hidden);
  int32_t *opened = (int32_t *)(workspace + plan->gates);
  int16_t *from_hidden = (int16_t *)(opened + plan->padded);
  int16_t *cell = io[AR_LSTM_CELL].data;
  for (int64_t row = 0; row < plan->rows; row += AR_LSTM_ROWS) {
    const int64_t rows = plan->rows - row < AR_LSTM_ROWS ? plan->rows - row : AR_LSTM_ROWS;
    AR_NAME(widen)((const uint8_t *)io[AR_LSTM_INPUT].data + row * p->inputs * bytes, type,
                   p->input_offset, rows * p->inputs, x);
    gate_rows(p, plan, memory, 1, x, rows, workspace, from_input + row * plan->padded);
  }
  if (p->is_cmsis_nn) {
    empty_states(p, type, io);
    memset(from_hidden, 0, (size_t)plan->padded * 2);
  }
  AR_NAME(widen)(io[AR_LSTM_HIDDEN].data, type, p->hidden_offset, (int64_t)p->batches * p->units,
                 hidden);
  for (int64_t step = 0; step < p->steps; ++step)
    for (int64_t b = 0; b < p->batches; ++b) {
      const int64_t row = ar_lstm_row(p, step, b);
      int16_t *gates = from_input + row * plan->padded;
      gate_rows(p, plan, memory, 0, hidden + b * p->units, 1, workspace,
                p->is_cmsis_nn ? gates : from_hidden);
      open_gates(p, from_hidden, gates, opened);
      update(*p, opened, cell + b * p->units);
      store(p, type, opened, row, b, io, hidden);
    }
  if (p->is_cmsis_nn) empty_states(p, type, io);
}
