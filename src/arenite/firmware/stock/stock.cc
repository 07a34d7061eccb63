#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "tensorflow/lite/core/api/error_reporter.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#if __has_include("tensorflow/lite/micro/micro_profiler_interface.h")
#include "tensorflow/lite/micro/micro_profiler_interface.h"
#else  // until August 2022
#include "tensorflow/lite/micro/micro_profiler.h"
namespace tflite {
using MicroProfilerInterface = MicroProfiler;
}
#endif
#include "tensorflow/lite/schema/schema_generated.h"

extern "C" {
#define WATCHED __attribute__((noinline, used))
WATCHED void board_print(const char* text) { asm volatile("" ::"r"(text) : "memory"); }
WATCHED void board_layer(const char* name) { asm volatile("" ::"r"(name) : "memory"); }
WATCHED void board_layer_end(void) { asm volatile("" ::: "memory"); }

#if $takes_list
void DebugLog(const char* format, va_list) { board_print(format); }
int DebugVsnprintf(char*, size_t, const char*, va_list) { return 0; }
#else
void DebugLog(const char* text) { board_print(text); }
#endif
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

// A registration, whichever way a function gives it, and whatever it is called.
template <class Found>
[[maybe_unused]] auto stock_own(const Found& found) {
  if constexpr (std::is_pointer_v<Found>) {
    return found;
  } else {
    static Found kept[$operators];
    static int used;
    kept[used] = found;
    return &kept[used++];
  }
}

// Until November 2022 allocator and interpreter asked for a reporter of errors.
class Reporter : public tflite::ErrorReporter {
 public:
  int Report(const char* format, va_list) override {
    board_print(format);
    return 0;
  }
};

template <class Allocator>
auto create(uint8_t* memory, size_t size, tflite::ErrorReporter*, int)
    -> decltype(Allocator::Create(memory, size)) {
  return Allocator::Create(memory, size);
}
template <class Allocator>
Allocator* create(uint8_t* memory, size_t size, tflite::ErrorReporter* reporter, long) {
  return Allocator::Create(memory, size, reporter);
}

template <class Interpreter, class Resolver, class... More>
Interpreter* construct(void* place, const Resolver& resolver, tflite::MicroAllocator* allocator,
                       tflite::ErrorReporter* reporter, More... more) {
  const tflite::Model* model = tflite::GetModel(stock_model);
  using Errors = tflite::ErrorReporter;
  if constexpr (std::is_constructible_v<Interpreter, const tflite::Model*, const Resolver&,
                                        tflite::MicroAllocator*, Errors*, More...>) {
    return new (place) Interpreter(model, resolver, allocator, reporter, more...);
  } else {
    return new (place) Interpreter(model, resolver, allocator, more...);
  }
}

alignas(16) uint8_t arena[$arena];
alignas(16) uint8_t interpreter_bytes[sizeof(tflite::MicroInterpreter)];
alignas(16) uint8_t resolver_bytes[sizeof(tflite::MicroMutableOpResolver<$operators>)];
alignas(16) uint8_t profiler_bytes[sizeof(Profiler)];
alignas(16) uint8_t reporter_bytes[sizeof(Reporter)];
tflite::MicroInterpreter* interpreter;
}  // namespace

extern "C" {
int main(void) { return 0; }  // what crt1.o asks for; nobody calls it
// 0, or the step that failed.
__attribute__((used)) int stock_begin(void) {
  for (auto one = stock_init_first; one != stock_init_last; ++one) (*one)();
  auto& resolver = *new (resolver_bytes) tflite::MicroMutableOpResolver<$operators>;
  $calls;
  auto* reporter = new (reporter_bytes) Reporter;
  auto* allocator = create<tflite::MicroAllocator>(arena, sizeof(arena), reporter, 0);
  tflite::MicroResourceVariables* variables = nullptr;
  if ($variables > 0) variables = tflite::MicroResourceVariables::Create(allocator, $variables);
  tflite::MicroProfilerInterface* profiler = $profiler;
  interpreter = construct<tflite::MicroInterpreter>(interpreter_bytes, resolver, allocator,
                                                    reporter, variables, profiler);
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
