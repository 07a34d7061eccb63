// template: guarded
#ifndef $guard
#define $guard

$includes;

#ifdef __cplusplus
extern "C" {
#endif

$body;

#ifdef __cplusplus
}
#endif

#endif

// template: api
/* $title: a neural network as C, written by Arenite.
 *
 * One caller at a time: all calls work in one arena of $NAME$_ARENA_BYTES bytes.
 * $about_inputs
 *
 * Macros for all files of this folder (-D) say where things lie:
 *   $NAME$_ARENA          attributes of the arena, as __attribute__((section(".dtcm")))
 *   $NAME$_GIVEN_ARENA    there is no arena: $name$_use_arena() gives one
 *   $NAME$_CONST_SECTION  a section for constants, as ".qspi"
 *   $NAME$_CODE_SECTION   a section for kernels and what calls them, as ".itcm" */

/* What calls return. */
#define $NAME$_OK 0
#define $NAME$_NO_ARENA (-1)

#define $NAME$_MODEL_HASH "$hash"
#define $NAME$_ARENA_BYTES $arena
#define $NAME$_STATE_BYTES $state
#define $NAME$_CONSTANT_BYTES $constants
#define $NAME$_LAYERS $layers
#define $NAME$_INPUTS $inputs
#define $NAME$_OUTPUTS $outputs

$ports;

#ifdef $NAME$_GIVEN_ARENA
/* Before $name$_init(): the arena, at least $NAME$_ARENA_BYTES bytes at a multiple of 16.
 * $NAME$_NO_ARENA for any other. $sharing */
int $name$_use_arena(void *memory, size_t bytes);
#endif

/* Before all else: clears the arena. */
int $name$_init(void);

/* Where to write an input, and to read an output after $name$_invoke(); NULL for other indices. */
void *$name$_input(int index);
const void *$name$_output(int index);

$delivery;
int $name$_invoke($rows_only);

/* Forgets what inferences remember of those before them; $remembers. */
void $name$_reset(void);

/* Told of the result of every layer while it is there$in_pieces; of layers without one, NULL. */
// clang-format off
typedef void (*$name$_observer)(void *user, int layer, const char *operator_name,
                                 const void *result, size_t bytes);
// clang-format on
int $name$_invoke_observed($rows$$name$_observer observer, void *user);

// template: delivery
// What there is where rows of the input are delivered.
/* Writes a row of input 0, $NAME$_INPUT0_ROW_BYTES bytes, to `to`; called for rows 0, 1, 2, ... */
#define $NAME$_INPUT0_ROW_BYTES $bytes
typedef void (*$name$_row_fn)(void *user, int32_t row, void *to);

// template: port
/* $text */
#define $PORT$_SIZE $size
#define $PORT$_BYTES $bytes
#define $PORT$_RANK $rank
#define $PORT$_SHAPE {$shape}

// template: quantize
/* A real number as this $what holds it: rounded to nearest, saturated. */
static inline $type $name$_quantize_$port(float real) {
  const float steps = real / $PORT$_SCALE;
  if (!(steps > -$bound.0f)) return ($type)($low);
  if (steps > $bound.0f) return ($type)$high;
  const int whole = (int)steps;
  const float rest = steps - (float)whole;
  const int value = (rest >= 0.5f ? whole + 1 : rest <= -0.5f ? whole - 1 : whole) + ($zero);
  return ($type)(value < $low ? $low : value > $high ? $high : value);
}
static inline float $name$_dequantize_$port($type value) {
  return $PORT$_SCALE * (float)((int)value - ($zero));
}

// template: model_c
#include "model.h"

#include "arithmetic.h"
#include "kernels.h"
#include "weights.h"

#ifdef $NAME$_GIVEN_ARENA
static uint8_t *arena;
#define HAS_ARENA (arena != NULL)

int $name$_use_arena(void *memory, size_t bytes) {
  if (memory == NULL || bytes < $NAME$_ARENA_BYTES || (uintptr_t)memory % 16 != 0) {
    return $NAME$_NO_ARENA;
  }
  arena = (uint8_t *)memory;
  return $NAME$_OK;
}
#else
#ifndef $NAME$_ARENA
#define $NAME$_ARENA
#endif
$NAME$_ARENA AR_ALIGNED(16) static uint8_t arena[$NAME$_ARENA_BYTES];
#define HAS_ARENA 1
#endif

#define AT(type, offset) ((type *)(void *)(arena + (offset)))
#define TOLD(layer, name, result, bytes) \
  if (observer) observer(user, layer, name, result, bytes)
#define DONE(layer, name, offset, bytes) TOLD(layer, name, arena + (offset), bytes)
$groups;
int $name$_init(void) {
  if (!HAS_ARENA) return $NAME$_NO_ARENA;
  for (size_t i = 0; i < $NAME$_ARENA_BYTES; ++i) arena[i] = 0;
  $first;
  return $begun;
}

// clang-format off
void $name$_reset(void) {
  if (!HAS_ARENA) return;
  $reset;
}
// clang-format on

void *$name$_input(int index) {
  if (!HAS_ARENA) return NULL;
  switch (index) {
    $inputs;
    default: return NULL;
  }
}

const void *$name$_output(int index) {
  if (!HAS_ARENA) return NULL;
  switch (index) {
    $outputs;
    default: return NULL;
  }
}

$NAME$_CODE int $name$_invoke_observed($rows$$name$_observer observer, void *user) {
  (void)observer;
  (void)user;
  if (!HAS_ARENA) return $NAME$_NO_ARENA;
  $layers;
  return $NAME$_OK;
}

$NAME$_CODE int $name$_invoke($rows_only) {
  return $name$_invoke_observed($rows_passed$NULL, NULL);
}

// template: own
// What there is where users' kernels in C++ run operators.
#define $NAME$_FAILED (-2) /* a kernel of yours: $name$_error() says which, and why */

/* What the last call that returned $NAME$_FAILED failed with. */
const char *$name$_error(void);
/* Before $name$_init(): what GetExternalContext() gives to your kernels. */
void $name$_set_external_context(void *payload);

// template: section
// Attributes of what a build may put into a section of its own.
#ifdef $NAME$_$WHAT$_SECTION
#define $NAME$_$WHAT __attribute__((section($NAME$_$WHAT$_SECTION)))
#else
#define $NAME$_$WHAT
#endif
