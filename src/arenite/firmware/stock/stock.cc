#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <new>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/micro_profiler_interface.h"
#include "tensorflow/lite/schema/schema_generated.h"

extern "C" {
#define WATCHED __attribute__((noinline, used))
WATCHED void board_print(const char* text) { asm volatile("" ::"r"(text) : "memory"); }
WATCHED void board_layer(const char* name) { asm volatile("" ::"r"(name) : "memory"); }
WATCHED void board_layer_end(void) { asm volatile("" ::: "memory"); }

void DebugLog(const char* format, va_list) { board_print(format); }
int DebugVsnprintf(char*, size_t, const char*, va_list) { return 0; }
extern void (*stock_init_first[])(void);
extern void (*stock_init_last[])(void);
extern const unsigned char stock_model[];
}

$declarations;

namespace tflite {
uint32_t ticks_per_second() { return 1; }
uint32_t GetCurrentTimeTicks() { return 0; }
void InitializeTarget() {}
}  // namespace tflite

namespace {
class Profiler : public tflite::MicroProfilerInterface {
 public:
  uint32_t BeginEvent(const char* tag) override {
    board_layer(tag);
    return 0;
  }
  void EndEvent(uint32_t) override { board_layer_end(); }
};

// A registration, whichever way a function gives it.
[[maybe_unused]] const TFLMRegistration* stock_own(const TFLMRegistration* found) { return found; }
[[maybe_unused]] const TFLMRegistration* stock_own(const TFLMRegistration& found) {
  static TFLMRegistration kept[$operators];
  static int used;
  kept[used] = found;
  return &kept[used++];
}

alignas(16) uint8_t arena[$arena];
alignas(16) uint8_t interpreter_bytes[sizeof(tflite::MicroInterpreter)];
alignas(16) uint8_t resolver_bytes[sizeof(tflite::MicroMutableOpResolver<$operators>)];
alignas(16) uint8_t profiler_bytes[sizeof(Profiler)];
tflite::MicroInterpreter* interpreter;
}  // namespace

extern "C" {
int main(void) { return 0; }  // what crt1.o asks for; nobody calls it
// 0, or the step that failed.
__attribute__((used)) int stock_begin(void) {
  for (auto one = stock_init_first; one != stock_init_last; ++one) (*one)();
  auto& resolver = *new (resolver_bytes) tflite::MicroMutableOpResolver<$operators>;
  $calls;
  tflite::MicroAllocator* allocator = tflite::MicroAllocator::Create(arena, sizeof(arena));
  tflite::MicroResourceVariables* variables = nullptr;
  if ($variables > 0) variables = tflite::MicroResourceVariables::Create(allocator, $variables);
  interpreter = new (interpreter_bytes) tflite::MicroInterpreter(
      tflite::GetModel(stock_model), resolver, allocator, variables, $profiler);
  return interpreter->AllocateTensors() == kTfLiteOk ? 0 : 2;
}
__attribute__((used)) void* stock_input(int index) {
  return interpreter->input(static_cast<size_t>(index))->data.raw;
}
__attribute__((used)) const void* stock_output(int index) {
  return interpreter->output(static_cast<size_t>(index))->data.raw;
}
__attribute__((used)) const void* stock_tensor(int index) {  // of the main subgraph
  return interpreter->graph_.GetAllocations()[0].tensors[index].data.data;
}
__attribute__((used)) int stock_invoke(void) { return interpreter->Invoke() == kTfLiteOk ? 0 : 3; }
__attribute__((used)) size_t stock_arena_used(void) { return interpreter->arena_used_bytes(); }
}
