// $name for TensorFlow Lite Micro, written by Arenite.
#ifndef $NAME$_MODEL_H_
#define $NAME$_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

extern const unsigned char $name$_model[$bytes];

// The smallest arena in which AllocateTensors() succeeds on $target. Another version of TFLM may
// take some bytes more: ask interpreter.arena_used_bytes().
constexpr size_t k$Name$ArenaBytes = $arena;

using $Name$Resolver = tflite::MicroMutableOpResolver<$operators>;
$customs;
// Just the operators that this model has.
inline TfLiteStatus $name$_register($Name$Resolver& resolver) {
  $calls;
  return kTfLiteOk;
}

// Runs the golden samples and prints PASS, or FAIL and where; the number of failures.
int $name$_selftest(tflite::MicroInterpreter& interpreter);

#endif  // $NAME$_MODEL_H_
