/* Cycles of every layer, by the core's own counter, and every layer's result, as the lines of a log
 * that `arenite compare` reads. Any Cortex-M from M3 on has the counter (Arm DDI 0403, DWT). */
#include "cycles.h"

#include "digits_model.h"
#include "tensors.h"

#define DEMCR (*(volatile uint32_t *)0xE000EDFC)
#define DWT_CTRL (*(volatile uint32_t *)0xE0001000)
#define DWT_CYCCNT (*(volatile uint32_t *)0xE0001004)
enum { TRACE_ENABLE = 1 << 24, CYCCNT_ENABLE = 1 };

typedef struct {
  print_function print;
  uint32_t begin;
  uint32_t cycles[DIGITS_LAYERS];
  const char *names[DIGITS_LAYERS];
} log;

static void print_number(print_function print, uint32_t value) {
  char digits[11];
  char *text = digits + sizeof digits - 1;
  *text = '\0';
  do *--text = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  print(text);
}

/* arenite tensor INDEX BYTES, and its bytes in hexadecimal digits, up to an empty line. */
static void print_tensor(print_function print, int index, const uint8_t *data, size_t bytes) {
  print("arenite tensor ");
  print_number(print, (uint32_t)index);
  print(" ");
  print_number(print, (uint32_t)bytes);
  for (size_t i = 0; i < bytes; ++i) {
    char text[] = "00";
    text[0] = "0123456789abcdef"[data[i] >> 4];
    text[1] = "0123456789abcdef"[data[i] & 15];
    if (i % 32 == 0) print("\r\n");
    print(text);
  }
  print("\r\n\r\n");
}

/* The counter stands still while a result is printed: what it shows is the layers' alone. */
static void layer_is_done(void *user, int layer, const char *name, const void *result,
                          size_t bytes) {
  log *to = (log *)user;
  to->cycles[layer] = DWT_CYCCNT - to->begin;
  to->names[layer] = name;
  if (result != NULL) print_tensor(to->print, tensor_of_layer[layer], result, bytes);
  to->begin = DWT_CYCCNT;
}

void print_cycles(print_function print) {
  static log to;
  to.print = print;
  print_tensor(print, tensor_of_input, digits_input(0), DIGITS_INPUT0_BYTES);
  DEMCR |= TRACE_ENABLE;
  DWT_CYCCNT = 0;
  DWT_CTRL |= CYCCNT_ENABLE;
  to.begin = DWT_CYCCNT;
  digits_invoke_observed(layer_is_done, &to);
  for (int layer = 0; layer < DIGITS_LAYERS; ++layer) {
    print("layer ");
    print_number(print, (uint32_t)layer);
    print(" ");
    print(to.names[layer]);
    print(" ");
    print_number(print, to.cycles[layer]);
    print(" cycles\r\n");
  }
}
