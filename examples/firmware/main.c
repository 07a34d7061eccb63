/* Handwritten digits on a Cortex-M4 without an operating system: the vector table, a UART, and a
 * program that tests the exported model and reads ten digits. The board is Arm's MPS2 with
 * application note AN386, whose UART is a CMSDK APB UART (Arm DDI 0479). */
#include "digits_model.h"
#include "images.h"
#ifdef CYCLES
#include "cycles.h"
#endif

/* -- the board */

extern uint32_t data_begin[], data_end[], data_image[], bss_begin[], bss_end[], stack_top[];

void reset(void);
static void fault(void);

typedef struct {
  uint32_t *stack;
  void (*handlers[15])(void);
} vector_table;

__attribute__((section(".vectors"), used)) static const vector_table vectors = {
    stack_top, {reset, fault, fault, fault, fault, fault}};

#define UART ((volatile uint32_t *)0x40004000)
enum { DATA = 0, STATE = 1, CTRL = 2, BAUD_DIVISOR = 4, TRANSMIT_FULL = 1, TRANSMIT = 1 };

static void print(const char *text) {
  for (; *text; ++text) {
    while (UART[STATE] & TRANSMIT_FULL) {
    }
    UART[DATA] = (uint8_t)*text;
  }
}

/* Semihosting's SYS_EXIT: whoever runs this board ends, without an error or with one. */
static void end(int failed) {
  register uint32_t operation __asm__("r0") = 0x18;
  register uint32_t reason __asm__("r1") = failed ? 0x20023 : 0x20026;
  __asm__ volatile("bkpt 0xab" ::"r"(operation), "r"(reason) : "memory");
  for (;;) {
  }
}

static void fault(void) {
  print("FAIL fault\r\n");
  end(1);
}

/* What compilers take for granted. */
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  return to;
}
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) ((volatile uint8_t *)to)[i] = (uint8_t)value;
  return to;
}

/* -- the program */

static void give(const uint8_t *pixels) {
  int8_t *x = (int8_t *)digits_input(0);
  for (int i = 0; i < DIGITS_INPUT0_SIZE; ++i)
    x[i] = digits_quantize_input0((float)pixels[i] / 255.0f);
}

static int read_digit(const uint8_t *pixels) {
  give(pixels);
  digits_invoke();
  const int8_t *y = (const int8_t *)digits_output(0);
  int best = 0;
  for (int i = 1; i < DIGITS_OUTPUT0_SIZE; ++i) best = y[i] > y[best] ? i : best;
  return best;
}

static int read_images(void) {
  int right = 0;
  for (int i = 0; i < IMAGES; ++i) {
    const int digit = read_digit(images[i].pixels);
    char text[] = "a 0 is read as 0\r\n";
    text[2] = (char)('0' + images[i].label);
    text[15] = (char)('0' + digit);
    print(text);
    right += digit == images[i].label;
  }
  return right;
}

void reset(void) {
  const uint32_t *from = data_image;
  for (uint32_t *to = data_begin; to < data_end; ++to) *to = *from++;
  for (uint32_t *to = bss_begin; to < bss_end; ++to) *to = 0;
  UART[BAUD_DIVISOR] = 16;
  UART[CTRL] = TRANSMIT;

  const int failures = digits_selftest(print);
  digits_init();
  const int right = read_images();
#ifdef CYCLES
  give(images[0].pixels);
  print_cycles(print);
#endif
  const int passed = failures == 0 && right == IMAGES;
  print(passed ? "PASS\r\n" : "FAIL\r\n");
  end(!passed);
}
