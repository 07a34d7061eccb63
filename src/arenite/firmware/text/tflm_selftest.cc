#include "$name$_model.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace {

// What $target gives for each sample.
$golden;

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

int $name$_selftest(tflite::MicroInterpreter& interpreter) {
  int failures = 0;
  for (int sample = 0; sample < $samples; ++sample) {
    uint32_t seed = static_cast<uint32_t>(sample);
    $inputs;
    if (interpreter.Invoke() != kTfLiteOk) {
      MicroPrintf("FAIL sample %d, Invoke", sample);
      return failures + 1;
    }
    $checks;
  }
  MicroPrintf(failures ? "FAIL $name" : "PASS $name: $samples inferences");
  return failures;
}
