/* What the LSTM's files share: where everything lies.
 *
 * The four gates' columns stand side by side: forget, input, output, cell.
 */
#pragma once

#include "product.h"
#include "records/lstm.h"

/* Positions in io: the output, then 24 inputs. */
enum { AR_LSTM_OUTPUT = 0, AR_LSTM_INPUT = 1, AR_LSTM_HIDDEN = 19, AR_LSTM_CELL = 20 };

enum { AR_LSTM_ROWS = 8 }; /* time steps whose inputs are multiplied at a time */

typedef struct {
  int64_t rows;    /* time steps of all batches */
  int64_t columns; /* of the four gates */
  int64_t padded;  /* columns up to whole blocks */
  /* byte offsets in the plan */
  int64_t input_matrix, recurrent_matrix;
  int64_t input_scale, recurrent_scale; /* multipliers, then shifts, by column */
  /* byte offsets in the workspace */
  int64_t bias;       /* int32, int64 or float, by column */
  int64_t from_input; /* by row and column, int16 or float */
  int64_t x, hidden;  /* int32 with the offset, or float */
  int64_t sums, gates;
} ar_lstm_plan;

/* The row of a step, in the order of the input's and the output's memory. */
static inline int64_t ar_lstm_row(const LstmParams *p, int64_t step, int64_t batch) {
  return p->time_major ? step * p->batches + batch : batch * p->steps + step;
}

void AR_NAME(lstm_integer)(const LstmParams *p, const void *memory, const ar_tensor *io,
                           uint8_t *workspace);
void AR_NAME(lstm_float)(const LstmParams *p, const void *memory, const ar_tensor *io,
                         uint8_t *workspace);
