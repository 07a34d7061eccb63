// A firmware around $name: begin here.
#include "$name$_model.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/system_setup.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace {
alignas(16) uint8_t arena[k$Name$ArenaBytes];
}  // namespace

int main() {
  tflite::InitializeTarget();

  static $Name$Resolver resolver;
  if ($name$_register(resolver) != kTfLiteOk) return 1;

  static tflite::MicroInterpreter interpreter(tflite::GetModel($name$_model), resolver, arena,
                                              sizeof(arena));
  if (interpreter.AllocateTensors() != kTfLiteOk) {
    MicroPrintf("FAIL $name: AllocateTensors");
    return 1;
  }
  MicroPrintf("arena: %d of %d bytes", static_cast<int>(interpreter.arena_used_bytes()),
              static_cast<int>(sizeof(arena)));

  // Your program: fill interpreter.input(0)->data, interpreter.Invoke(), read output(0)->data.
  return $name$_selftest(interpreter) == 0 ? 0 : 1;
}
