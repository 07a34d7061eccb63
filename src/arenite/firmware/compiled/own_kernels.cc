// The C++ of an exported folder around a user's kernels: source.py fills it in.

// Operators that kernels of yours run: compiled against your TensorFlow Lite Micro, whose context
// is served from the plan. No interpreter, no heap.
$tree;
#include "own_context.h"

#include <csetjmp>
#include <new>

#include "kernels.h"
#include "model.h"
#include "weights.h"
$parser_header;

$declarations;

namespace {

using Registration = $registration;

// -- the plan, in flash

struct Place {  // of a tensor: a constant's address, or an offset in the arena; -1 is nowhere
  const void* constant;
  int32_t offset;
};

struct Tensor {
  const int* dims;  // their number, then they themselves
  Place place;
  uint32_t bytes;
  TfLiteType type;
  bool is_variable;
  int channels;  // scales and zero points that it has
  int axis;      // along which they lie
  const void* scales;
  const int* zeros;
  float scale;  // the first
};

struct Kernel {
  const Registration* (*registration)();
  int layer;
  const char* name;
  const int *inputs, *outputs, *intermediates;
  const char* options;
  uint32_t options_bytes;
  int32_t memory, memory_bytes;  // persistent
  int32_t parsed, parsed_bytes;  // where options of a builtin operator are read to
  int first_scratch, scratch_count;
};

struct Scratch {
  int32_t offset, bytes;
};

enum { kTensors = $tensor_count, kKernels = $kernel_count, kTemps = $temps };

// clang-format off
$tables;
// clang-format on

// -- what there is of them in RAM

enum Stage { kNothing, kPreparing, kReady };

uint8_t* arena;
Stage stage;
int current;        // the kernel whose turn it is
int scratch_asked;  // scratch buffers that it has asked for
void* external;
int32_t taken[kKernels];  // bytes of persistent memory
TfLiteEvalTensor evals[kTensors];
TfLiteNode nodes[kKernels];
const Registration* registrations[kKernels];
TfLiteContext context;
alignas(Context) uint8_t micro[sizeof(Context)];

// -- what goes wrong

char said[200];
size_t said_bytes;
jmp_buf* way_out;

#define SELDOM __attribute__((noinline, cold))

SELDOM void say(const char* text) {
  for (; *text && said_bytes + 1 < sizeof said; ++text) said[said_bytes++] = *text;
  said[said_bytes] = 0;
}

SELDOM void say(long number) {
  char digits[12];
  int at = 11;
  digits[at] = 0;
  const bool is_below = number < 0;
  unsigned long rest =
      is_below ? 0ul - static_cast<unsigned long>(number) : static_cast<unsigned long>(number);
  do digits[--at] = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) > 0 && at > 1);
  if (is_below) digits[--at] = '-';
  say(digits + at);
}

SELDOM void begin_saying() {
  said_bytes = 0;
  say("operator ");
  say(static_cast<long>(kernels[current].layer));
  say(" (");
  say(kernels[current].name);
  say("): ");
}

[[noreturn]] void leave() { longjmp(*way_out, 1); }

[[noreturn]] SELDOM void refuse(const char* function, int subgraph, const char* why) {
  begin_saying();
  say(function);
  if (subgraph >= 0) {
    say("(");
    say(static_cast<long>(subgraph));
    say(")");
  }
  say(" is not served: ");
  say(why);
  leave();
}

[[noreturn]] SELDOM void too_much(const char* what, size_t asked, int32_t room) {
  begin_saying();
  say("it asks for ");
  say(static_cast<long>(asked));
  say(" bytes of ");
  say(what);
  say(", the plan has ");
  say(static_cast<long>(room));
  leave();
}

// -- temporary tensors, on the stack of the call

struct Temp {
  TfLiteTensor tensor;  // comes first
  TfLiteAffineQuantization affine;
};

static_assert(kTemps <= 32, "a bit for each");
Temp* temps;
uint32_t taken_temps;

void fill(Temp& temp, int index) {
  const Tensor& facts = tensors[index];
  temp = Temp{};
  TfLiteTensor& made = temp.tensor;
  made.type = facts.type;
  made.bytes = facts.bytes;
  made.is_variable = facts.is_variable;
  made.allocation_type = facts.place.constant ? kTfLiteMmapRo : kTfLiteArenaRw;
  made.dims = evals[index].dims;
  made.data.data = evals[index].data.data;
  if (!facts.channels) return;
  // TFLM reads its model's vectors as these structs, too: a number of elements, then they.
  temp.affine.scale = reinterpret_cast<TfLiteFloatArray*>(const_cast<void*>(facts.scales));
  temp.affine.zero_point = reinterpret_cast<TfLiteIntArray*>(const_cast<int*>(facts.zeros));
  temp.affine.quantized_dimension = facts.axis;
  made.params.scale = facts.scale;
  made.params.zero_point = facts.zeros[1];
  made.quantization.type = kTfLiteAffineQuantization;
  made.quantization.params = &temp.affine;
}

TfLiteIntArray* ints(const int* list) {
  static_assert(offsetof(TfLiteIntArray, data) == sizeof(int), "a size, then the elements");
  return reinterpret_cast<TfLiteIntArray*>(const_cast<int*>(list));
}

int checked(const char* function, int index) {
  if (index < 0 || index >= kTensors) refuse(function, index, "the operator has no such tensor");
  return index;
}

// -- what kernels ask

void* Context::AllocatePersistentBuffer(size_t bytes) {
  const Kernel& its = kernels[current];
  if (stage != kPreparing) refuse("AllocatePersistentBuffer", -1, "invoke may not ask for it");
  const int32_t begin = taken[current];
  if (bytes > static_cast<size_t>(its.memory_bytes - begin))
    too_much("persistent memory", bytes + static_cast<size_t>(begin), its.memory_bytes);
  taken[current] = begin + (static_cast<int32_t>(bytes) + 15) / 16 * 16;
  return arena + (its.memory_bytes ? its.memory + begin : 0);
}

TfLiteStatus Context::RequestScratchBufferInArena(size_t bytes, int* handle) {
  const Kernel& its = kernels[current];
  if (stage != kPreparing) refuse("RequestScratchBufferInArena", -1, "only prepare may ask for it");
  const int number = its.first_scratch + scratch_asked;
  const int32_t room = scratch_asked < its.scratch_count ? scratch[number].bytes : 0;
  if (bytes > static_cast<size_t>(room)) too_much("scratch memory", bytes, room);
  ++scratch_asked;
  *handle = number;
  return kTfLiteOk;
}

void* Context::GetScratchBuffer(int handle) {
  const Kernel& its = kernels[current];
  if (handle < its.first_scratch || handle >= its.first_scratch + its.scratch_count)
    refuse("GetScratchBuffer", handle, "it has asked for no such buffer");
  return arena + scratch[handle].offset;
}

TfLiteTensor* Context::AllocateTempTfLiteTensor(int index) {
  checked("AllocateTempTfLiteTensor", index);
  for (int i = 0; i < kTemps; ++i) {
    if (taken_temps >> i & 1) continue;
    taken_temps |= uint32_t{1} << i;
    fill(temps[i], index);
    return &temps[i].tensor;
  }
  refuse("AllocateTempTfLiteTensor", index, "it has more at a time than it had at export");
}

void Context::DeallocateTempTfLiteTensor(TfLiteTensor* tensor) {
  if (!tensor) refuse("DeallocateTempTfLiteTensor(nullptr)", -1, "there is no such tensor");
  taken_temps &= ~(uint32_t{1} << (reinterpret_cast<Temp*>(tensor) - temps));
}

uint8_t* Context::AllocateTempBuffer(size_t, size_t) {
  refuse("AllocateTempBuffer", -1, "this firmware has no temporary memory");
}

void Context::DeallocateTempBuffer(uint8_t*) {
  refuse("DeallocateTempBuffer", -1, "this firmware has no temporary memory");
}

#ifdef AK_DECOMPRESSION_MEMORY
void* Context::AllocateDecompressionMemory(size_t, size_t) { return nullptr; }
void Context::ResetDecompressionMemoryAllocations() {}
#endif

TfLiteEvalTensor* Context::GetEvalTensor(int index) {
  return &evals[checked("GetEvalTensor", index)];
}

#ifndef AK_CONCRETE
void* Context::external_context() { return external; }
#endif

// -- calls of the kernels' functions

$parsing;

int begin(const Kernel& its, const Registration& registration, TfLiteNode& node) {
  read_options(its, node);
  if (!registration.init) return kTfLiteOk;
  const auto* parsed = static_cast<const char*>(node.builtin_data);
  const bool is_builtin = its.parsed_bytes != 0;
  node.user_data = registration.init(&context, is_builtin ? parsed : its.options,
                                     is_builtin ? 0 : its.options_bytes);
  return kTfLiteOk;
}

enum Function { kInit, kPrepare, kInvoke, kReset };

int call(Function function) {
  const Kernel& its = kernels[current];
  const Registration& registration = *registrations[current];
  TfLiteNode& node = nodes[current];
  switch (function) {
    case kInit: return begin(its, registration, node);
    case kPrepare: return registration.prepare ? registration.prepare(&context, &node) : kTfLiteOk;
    case kReset:
      if (const Reset reset = reset_of(registration, 0)) reset(&context, node.user_data);
      return kTfLiteOk;
    default: return registration.invoke(&context, &node);
  }
}

// kTfLiteAbort, today and before July 2023: the inference ends, nothing is wrong.
bool is_end(int status) { return status == 15 || status == -9; }

SELDOM int failed(const char* function, int status) {
  begin_saying();
  say(function);
  say(" answered ");
  say(static_cast<long>(status));
  return $NAME$_FAILED;
}

// 0, 1 where the inference ends here, or $NAME$_FAILED.
int enter(Function function, const char* name, int number) {
  Temp room[kTemps];
  jmp_buf here;
  temps = room;
  taken_temps = 0;
  way_out = &here;
  current = number;
  if (setjmp(here)) return $NAME$_FAILED;
  const int status = call(function);
  if (status == kTfLiteOk) return $NAME$_OK;
  if (function == kInvoke && is_end(status)) return 1;
  return failed(name, status);
}

SELDOM int not_ready(int number) {
  current = number;
  if (stage == kNothing) {  // else it is said already
    begin_saying();
    say("$name$_init() was not called");
  }
  return $NAME$_FAILED;
}

int run(int number) {
  return stage == kReady ? enter(kInvoke, "invoke", number) : not_ready(number);
}

void begin_node(int number) {
  const Kernel& its = kernels[number];
  TfLiteNode& node = nodes[number] = TfLiteNode{};
  registrations[number] = its.registration();
  node.inputs = ints(its.inputs);
  node.outputs = ints(its.outputs);
  $intermediates;
  node.custom_initial_data = its.parsed_bytes ? nullptr : its.options;
  node.custom_initial_data_size = its.parsed_bytes ? 0 : static_cast<int>(its.options_bytes);
  taken[number] = 0;
}

// Memory of the plan is not there for who prepares: only constants are.
void place_tensors(bool is_planned) {
  for (int i = 0; i < kTensors; ++i) {
    const Place& place = tensors[i].place;
    const void* data = place.constant;
    if (is_planned && place.offset >= 0) data = arena + place.offset;
    evals[i].data.data = const_cast<void*>(data);
  }
}

}  // namespace

extern "C" {

int $name$_prepare_kernels(uint8_t* memory) {
  arena = memory;
  stage = kPreparing;
  said_bytes = 0;
  said[0] = 0;
  Context& own = *new (micro) Context(nullptr);
  context = TfLiteContext{};
  serve(context, own);
#ifdef AK_CONCRETE
  if (external) own.set_external_context(external);
#endif
  for (int i = 0; i < kTensors; ++i) {
    evals[i].dims = ints(tensors[i].dims);
    evals[i].type = tensors[i].type;
  }
  place_tensors(false);
  for (int i = 0; i < kKernels; ++i) begin_node(i);
  for (int i = 0; i < kKernels; ++i)
    if (enter(kInit, "init", i)) return $NAME$_FAILED;
  for (int i = 0; i < kKernels; ++i) {
    scratch_asked = 0;
    if (enter(kPrepare, "prepare", i)) return $NAME$_FAILED;
  }
  place_tensors(true);
  stage = kReady;
  return $NAME$_OK;
}

void $name$_reset_kernels(void) {
  for (int i = 0; stage == kReady && i < kKernels; ++i) enter(kReset, "reset", i);
}

const char* $name$_error(void) { return said; }

void $name$_set_external_context(void* payload) { external = payload; }

$functions;

}  // extern "C"
