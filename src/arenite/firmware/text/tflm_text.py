"""The texts of a folder for TFLM."""

from __future__ import annotations

HEADER = """\
// $name for TensorFlow Lite Micro, written by Arenite.
#ifndef ${NAME}_MODEL_H_
#define ${NAME}_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

extern const unsigned char ${name}_model[$bytes];

// The smallest arena in which AllocateTensors() succeeds on $target. Another version of TFLM may
// take some bytes more: ask interpreter.arena_used_bytes().
constexpr size_t k${Name}ArenaBytes = $arena;

using ${Name}Resolver = tflite::MicroMutableOpResolver<$operators>;
$customs
// Just the operators that this model has.
inline TfLiteStatus ${name}_register(${Name}Resolver& resolver) {
$calls
  return kTfLiteOk;
}

// Runs the golden samples and prints PASS, or FAIL and where; the number of failures.
int ${name}_selftest(tflite::MicroInterpreter& interpreter);

#endif  // ${NAME}_MODEL_H_
"""

MAIN = """\
// A firmware around $name: begin here.
#include "${name}_model.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/system_setup.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {
alignas(16) uint8_t arena[k${Name}ArenaBytes];
}  // namespace

int main() {
  tflite::InitializeTarget();

  static ${Name}Resolver resolver;
  if (${name}_register(resolver) != kTfLiteOk) return 1;

  static tflite::MicroInterpreter interpreter(tflite::GetModel(${name}_model), resolver, arena,
                                              sizeof(arena));
  if (interpreter.AllocateTensors() != kTfLiteOk) {
    MicroPrintf("FAIL ${name}: AllocateTensors");
    return 1;
  }
  MicroPrintf("arena: %d of %d bytes", static_cast<int>(interpreter.arena_used_bytes()),
              static_cast<int>(sizeof(arena)));

  // Your program: fill interpreter.input(0)->data, interpreter.Invoke(), read output(0)->data.
  return ${name}_selftest(interpreter) == 0 ? 0 : 1;
}
"""

SELFTEST = """\
#include "${name}_model.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace {

// What $target gives for each sample.
$golden

// A byte of the sample: noise, all of the lowest, all of the highest.
int NextByte(int sample, uint32_t& seed) {
  if (sample == 2) return -128;
  if (sample == 3) return 127;
  seed = seed * 1664525u + 1013904223u;
  return static_cast<int>(seed >> 24) - 128;
}

template <typename T>
bool Same(T got, T wanted, float) {
  return got == wanted;
}
// Sums of floats depend on their order: within 1e-5 of the largest magnitude.
template <>
[[maybe_unused]] bool Same<float>(float got, float wanted, float largest) {
  const float distance = got > wanted ? got - wanted : wanted - got;
  return distance <= 1e-5f * largest;
}

template <typename T>
int Compare(int sample, int output, const T* got, const T* wanted, int count) {
  float largest = 0;
  for (int i = 0; i < count; ++i) {
    const float value = static_cast<float>(wanted[i]);
    const float magnitude = value < 0 ? -value : value;
    largest = magnitude > largest ? magnitude : largest;
  }
  for (int i = 0; i < count; ++i) {
    if (!Same<T>(got[i], wanted[i], largest)) {
      MicroPrintf("FAIL sample %d, output %d, element %d", sample, output, i);
      return 1;
    }
  }
  return 0;
}

}  // namespace

int ${name}_selftest(tflite::MicroInterpreter& interpreter) {
  int failures = 0;
  for (int sample = 0; sample < $samples; ++sample) {
    uint32_t seed = static_cast<uint32_t>(sample);
$inputs
    if (interpreter.Invoke() != kTfLiteOk) {
      MicroPrintf("FAIL sample %d, Invoke", sample);
      return failures + 1;
    }
$checks
  }
  MicroPrintf(failures ? "FAIL $name" : "PASS $name: $samples inferences");
  return failures;
}
"""

README = """\
# $name

A model$source for firmware with TensorFlow Lite Micro, written by Arenite.

| | |
|---|--:|
| RAM: the arena on $target | $arena bytes |
| flash: the model | $bytes bytes |
| operators in the resolver | $operators |

| file | what is in it |
|---|---|
| `src/${name}_model.h` | the arena's size, the resolver's type and lines, the functions below |
| `src/${name}_model.cc` | the model, `alignas(16)` |
| `src/${name}_selftest.cc` | golden outputs of $target, as Arenite's interpreter gives them |
| `src/main.cc` | a program to begin with: it prints PASS, or FAIL and where |

Compile `src/*.cc` with TFLM's folders on the include path and its flags (`-std=c++17`,
`-DTF_LITE_STATIC_MEMORY`), and link TFLM's library. Outputs of integers are compared bit for bit:
where TFLM is built otherwise (other kernels, another compiler's option for rounding), they may be
others. `arenite explain --target` says what a target means.
"""
