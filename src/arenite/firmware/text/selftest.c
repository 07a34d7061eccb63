// template: header
#ifndef $NAME$_SELFTEST_H
#define $NAME$_SELFTEST_H

#ifdef __cplusplus
extern "C" {
#endif

/* Runs $samples inferences and compares every layer, every output and every constant with what
 * they shall be. Prints PASS, or FAIL and where, through `print`, which may be NULL; 0 if all is
 * well. Afterwards all is as after $name$_init(): nothing of these inferences is remembered. */
int $name$_selftest(void (*print)(const char *text));

#ifdef __cplusplus
}
#endif

#endif

// template: source
#include "selftest.h"

#include "model.h"
#include "weights.h"

/* What is known of an array: its CRC-32. Floats differ in their last bits between compilers; of
 * those a sum with noise for weights, and how far it may be off. A negative number: any. */
typedef struct {
  uint32_t crc;
  float sum, tolerance;
} known;

/* Of what every layer gives$in_pieces, sample by sample. */
static const known golden[$rows][$results] = {
    $golden,
};
/* Of every output, when the inference is over. */
static const known golden_outputs[$rows][$outputs] = {
    $golden_outputs,
};
static const size_t output_bytes[$outputs] = {$output_bytes};

typedef struct {
  void (*print)(const char *text);
  int sample, result, failures;
} state;

static uint32_t crc32(uint32_t crc, const void *data, size_t bytes) {
  // clang-format off
  static const uint32_t table[16] = {
      0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
      0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
      0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
  // clang-format on
  const uint8_t *byte = (const uint8_t *)data;
  crc = ~crc;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= byte[i];
    crc = (crc >> 4) ^ table[crc & 15u];
    crc = (crc >> 4) ^ table[crc & 15u];
  }
  return ~crc;
}

$compared;

static void print_number(void (*print)(const char *text), int number) {
  char digits[12];
  int at = 11;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  print(digits + at);
}

static void fail(state *s, const char *what, int number) {
  s->failures += 1;
  s->print("FAIL sample ");
  print_number(s->print, s->sample);
  s->print(", ");
  s->print(what);
  s->print(" ");
  print_number(s->print, number);
  s->print("\n");
}

static void check(void *user, int layer, const char *name, const void *result, size_t bytes) {
  state *s = (state *)user;
  if (!result) return; /* a layer without one */
  if (s->result >= $results || !is_known(result, bytes, &golden[s->sample][s->result]))
    fail(s, name, layer);
  s->result += 1;
}

// clang-format off
static void check_constants(state *s) {
  $constants;
}
// clang-format on

/* A byte of the sample: noise, all of the lowest, all of the highest. */
static int8_t next_byte(int sample, uint32_t *seed) {
  if (sample == 2) return -128;
  if (sample == 3) return 127;
  *seed = *seed * 1664525u + 1013904223u;
  return (int8_t)((int)(*seed >> 24) - 128);
}

$write_inputs;

static void print_nothing(const char *text) { (void)text; }

int $name$_selftest(void (*print)(const char *text)) {
  state s = {print ? print : print_nothing, 0, 0, 0};
  check_constants(&s);
  if ($name$_init() != $NAME$_OK) {
    s.print("FAIL $name: no arena\n");
    return 1;
  }
  for (; s.sample < $samples; ++s.sample) {
    s.result = 0;
    $invoke;
    if (status != $NAME$_OK) {
      fail(&s, "an inference that ended behind result", s.result);
      continue;
    }
    if (s.result != $results) $unfinished;
    for (int i = 0; i < $NAME$_OUTPUTS; ++i)
      if (!is_known($name$_output(i), output_bytes[i], &golden_outputs[s.sample][i]))
        fail(&s, "output", i);
  }
  (void)$name$_init();
  s.print(s.failures ? "FAIL $name\n" : "PASS $name: $samples inferences, $layers layers each\n");
  return s.failures;
}

// template: floats_compared
// Of networks with floats.
static int is_near(const void *data, size_t bytes, const known *wanted) {
  const float *x = (const float *)data;
  uint32_t seed = 1;
  double sum = -(double)wanted->sum;
  if (wanted->tolerance < 0) return 1;
  for (size_t i = 0; i < bytes / sizeof *x; ++i) {
    seed = seed * 1664525u + 1013904223u;
    sum += (double)x[i] * ((int)(seed >> 24) - 128);
  }
  return sum <= (double)wanted->tolerance && -sum <= (double)wanted->tolerance;
}

static int is_known(const void *data, size_t bytes, const known *wanted) {
  if (wanted->tolerance != 0) return is_near(data, bytes, wanted);
  return crc32(0, data, bytes) == wanted->crc;
}

// template: write_inputs
static void write_inputs(int sample) {
  uint32_t seed = (uint32_t)sample;
  $inputs;
  (void)seed;
}

// template: deliver
// The same where rows are delivered when they are needed.
typedef struct {
  int sample;
  uint32_t seed;
} source;

static void deliver(void *user, int32_t row, void *to) {
  source *from = (source *)user;
  if (row == 0) from->seed = (uint32_t)from->sample;
  for (int i = 0; i < $size; ++i) {
    const int8_t byte = next_byte(from->sample, &from->seed);
    (($type *)to)[i] = $value;
  }
}

// template: input
for (int i = 0; i < $size; ++i) {
  const int8_t byte = next_byte(sample, &seed);
  (($type *)$name$_input($index))[i] = $value;
}
