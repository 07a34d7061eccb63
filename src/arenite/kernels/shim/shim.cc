// Compiled with a user's kernel, against the user's own TFLM: no layout is copied. It gives kernels a
// TfLiteContext whose functions ask Arenite (ak_host), and gives Arenite the kernel's functions
// (ak_library). What the tree calls things is in generated.h.
extern "C" {
#include "kernel.h"
}

#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#ifndef _WIN32
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <ucontext.h>
#endif

#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_graph.h"
#include "tensorflow/lite/micro/debug_log.h"
#include "generated.h"
#include "context.h"
#ifdef AK_PARSERS
#if __has_include("tensorflow/lite/micro/tflite_bridge/flatbuffer_conversions_bridge.h")
#include "tensorflow/lite/micro/tflite_bridge/flatbuffer_conversions_bridge.h"
#else  // until September 2023
#include "tensorflow/lite/micro/flatbuffer_conversions_bridge.h"
#endif
#if __has_include("tensorflow/lite/schema/schema_generated_full.h")
#include "tensorflow/lite/schema/schema_generated_full.h"  // a vendor's, whose other one lacks tables
#else
#include "tensorflow/lite/schema/schema_generated.h"
#endif
#endif

using Registration = AK_REGISTRATION;
AK_DECLARATIONS

#undef abort
#undef exit
#ifdef _WIN32
#define sigjmp_buf jmp_buf
#define sigsetjmp(buffer, mask) setjmp(buffer)
#define siglongjmp longjmp
#endif

namespace {

// -- what a call says, and where one ends that cannot go on

thread_local char log_text[4096];
thread_local size_t log_used;
thread_local sigjmp_buf* way_out;
enum { kTraced = 12 };
thread_local void*
    crashed_at[kTraced];  // the instruction, and those behind the calls that led there
thread_local void* touched_at;

#ifdef __ELF__
extern "C" __attribute__((visibility("hidden"))) char __ehdr_start;
void* base() { return &__ehdr_start; }
#else
void* base() { return nullptr; }
#endif

void log_add(const char* format, va_list args) {
  const int n = vsnprintf(log_text + log_used, sizeof log_text - log_used, format, args);
  if (n > 0) log_used += static_cast<size_t>(n);
  if (log_used >= sizeof log_text) log_used = sizeof log_text - 1;
}

void log_line(const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_add(format, args);
  va_end(args);
}

void log_clear() {
  crashed_at[0] = nullptr;
  log_used = 0;
  log_text[0] = 0;
}

// What a kernel prints is printed, as TFLM's own DebugLog does.
void log_show() {
  if (log_used) fputs(log_text, stderr);
}

// Until ak_entry() the library's constructors run; without a call and behind that, its destructors.
bool is_loaded;

// For the driver of a process (processes/inside.py), which may have no other trace of an end.
void record_end() {
#ifndef _WIN32
  char text[64 + 20 * kTraced];
  int n = snprintf(text, sizeof text, "%s\n", is_loaded ? "destructor" : "constructor");
  for (int i = 0; i < kTraced && base(); ++i)
    n += snprintf(text + n, sizeof text - n, "%td ",
                  static_cast<char*>(crashed_at[i]) - static_cast<char*>(base()));
  const char* path = getenv("ARENITE_CRASH");
  const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  if (file < 0) return;
  if (write(file, text, n) == n && write(file, "\n", 1) == 1 && write(file, log_text, log_used) < 0)
    close(file);
#endif
}

// The C library's own, which the library's other files do not get: see below.
[[noreturn]] void end_process() {
#ifdef _WIN32
  _exit(134);
#else
  using Exit = void (*)(int);
  if (const auto own = reinterpret_cast<Exit>(dlsym(RTLD_DEFAULT, "_exit"))) own(134);
  __builtin_trap();
#endif
}

[[noreturn]] void leave(int why) {
  if (way_out) siglongjmp(*way_out, why);
  record_end();
  log_line("\n");
  log_show();
  fflush(stderr);
  end_process();
}

// What would end the process ends the call instead, and says which instruction it was.
[[noreturn]] void ended_by(void* caller, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_add(format, args);
  va_end(args);
  memset(crashed_at, 0, sizeof crashed_at);
  crashed_at[0] = static_cast<char*>(caller) - 1;
  leave(AK_STOPPED);
}

#ifdef AK_GUARD
const int kCaught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[4];

thread_local char* entered_at;  // about where the stack was when the kernel was called

// Whether a fault is one of the stack: what lies between its end and the call is mapped, or it has overflown.
bool is_overflow(char* stack, char* touched) {
  return stack < entered_at && touched < entered_at && touched > stack - (1 << 20);
}

// The instruction at which it was, what the stack begins with (where a function without a frame of its own
// returns to), and the frames below. Whether the stack has overflown.
bool trace(void* context, void* touched) {
  memset(crashed_at, 0, sizeof crashed_at);
  bool is_over = false;
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
  const mcontext_t& at = static_cast<ucontext_t*>(context)->uc_mcontext;
#ifdef __x86_64__
  auto* stack = reinterpret_cast<void**>(at.gregs[REG_RSP]);
  auto* frame = reinterpret_cast<void**>(at.gregs[REG_RBP]);
  crashed_at[0] = reinterpret_cast<void*>(at.gregs[REG_RIP]);
  is_over = is_overflow(reinterpret_cast<char*>(stack), static_cast<char*>(touched));
  if (!is_over) crashed_at[1] = *stack;
#else
  auto* stack = reinterpret_cast<void**>(at.sp);
  auto* frame = reinterpret_cast<void**>(at.regs[29]);
  crashed_at[0] = reinterpret_cast<void*>(at.pc);
  is_over = is_overflow(reinterpret_cast<char*>(stack), static_cast<char*>(touched));
  crashed_at[1] = reinterpret_cast<void*>(at.regs[30]);
#endif
  // Frames lie above each other, near the stack's end: else it is no frame.
  for (int i = 2; i < kTraced && !is_over && frame > stack && frame - stack < 1 << 13; ++i) {
    crashed_at[i] = frame[1];
    stack = frame;
    frame = static_cast<void**>(frame[0]);
  }
#else
  (void)context, (void)touched;
#endif
  return is_over;
}

// A fault of a kernel ends its call; one of anybody else is for whoever was there before.
void on_signal(int number, siginfo_t* info, void* context) {
  const bool is_of_memory = number == SIGSEGV || number == SIGBUS;
  const bool is_over = trace(context, is_of_memory ? info->si_addr : nullptr);
  for (int i = 0; i < 4; ++i) {
    if (kCaught[i] != number || way_out || !is_loaded) continue;
    sigaction(number, &before[i], nullptr);
    record_end();
    return;  // it faults again
  }
  touched_at = info->si_addr;
  const char* what = number == SIGFPE   ? "an arithmetic error (such as a division by 0)"
                     : number == SIGILL ? "an illegal instruction, or a trap"
                     : is_over          ? "a stack overflow: a segmentation fault"
                                        : "a segmentation fault";
  log_line("%s", what);
  if (is_of_memory) log_line(" at address %p", info->si_addr);
  leave(AK_CRASHED);
}

// A handler needs a stack of its own where the kernel's has overflown: one for each thread, which goes with it.
enum { kHandlersStack = 64 << 10 };
pthread_key_t handlers_stack;

void remove_stack(void* memory) {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, kHandlersStack);
}

void give_stack() {
  static thread_local bool is_done;
  if (is_done) return;
  is_done = true;
  stack_t now{};
  if (sigaltstack(nullptr, &now) || !(now.ss_flags & SS_DISABLE)) return;
  void* memory =
      mmap(nullptr, kHandlersStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return;
  now.ss_sp = memory;
  now.ss_size = kHandlersStack;
  now.ss_flags = 0;
  sigaltstack(&now, nullptr);
  pthread_setspecific(handlers_stack, memory);
}

// Once: two system calls for each inference would cost more than a small kernel takes. Before any constructor
// of the kernel's.
__attribute__((constructor(101))) void catch_signals() {
  static bool is_done;
  if (is_done) return;
  is_done = true;
  struct sigaction own{};
  own.sa_sigaction = on_signal;
  own.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  for (int i = 0; i < 4; ++i) sigaction(kCaught[i], &own, &before[i]);
  pthread_key_create(&handlers_stack, remove_stack);
  give_stack();
  entered_at = reinterpret_cast<char*>(&own);
}
#else
thread_local char* entered_at;
void give_stack() {}
#endif

template <typename F>
int enter(F function) {
  sigjmp_buf here;
  sigjmp_buf* outer = way_out;
  give_stack();
  entered_at = reinterpret_cast<char*>(&here);
  int why = sigsetjmp(here, 0);
  if (!why) {
    way_out = &here;
    why = function();
  }
  way_out = outer;
  return why;
}

// -- the tree's structs

TfLiteIntArray* ints(const int32_t* from, int n) {
  auto* made = static_cast<TfLiteIntArray*>(malloc(sizeof(int) * (static_cast<size_t>(n) + 1)));
  made->size = n;
  for (int i = 0; i < n; ++i) made->data[i] = from[i];
  return made;
}

// A vendor's nodes may have no such fields.
template <typename Node>
auto set_options(Node& node, const void* options, int) -> decltype(void(node.custom_initial_data)) {
  node.custom_initial_data = options;
}
template <typename Node>
void set_options(Node&, const void*, long) {}
template <typename Node>
auto set_intermediates(Node& node, TfLiteIntArray* list, int)
    -> decltype(void(node.intermediates)) {
  node.intermediates = list;
}
template <typename Node>
void set_intermediates(Node&, TfLiteIntArray*, long) {}

TfLiteType type_of(int schema) {  // the schema's numbers, in their order
  static const TfLiteType types[] = {
      kTfLiteFloat32, kTfLiteFloat16,    kTfLiteInt32,  kTfLiteUInt8,     kTfLiteInt64,
      kTfLiteString,  kTfLiteBool,       kTfLiteInt16,  kTfLiteComplex64, kTfLiteInt8,
      kTfLiteFloat64, kTfLiteComplex128, kTfLiteUInt64, kTfLiteResource,  kTfLiteVariant,
      kTfLiteUInt32,  kTfLiteUInt16,     kTfLiteInt4};
  return schema >= 0 && schema < 18 ? types[schema] : kTfLiteNoType;
}

struct Seen {  // a tensor that the kernel has asked for
  int index;
  TfLiteEvalTensor eval;
  TfLiteTensor full;
  TfLiteAffineQuantization affine;
  Seen* next;
};

struct Temp {  // a tensor on temporary memory; its struct comes first
  TfLiteTensor tensor;
  int index;
};

struct Scratch {
  int handle;
  void* data;
  Scratch* next;
};

enum { kAbortOf2023 = -9 };  // what kTfLiteAbort was until July 2023

enum class Mode { kAsking, kStepping };  // may the host be asked, or is this without Python?

}  // namespace

struct ak_node;

namespace {

[[noreturn]] void refuse(const char* function, int subgraph, const char* why) {
  log_line("%s", function);
  if (subgraph >= 0) log_line("(%d)", subgraph);
  log_line(" is not served: %s", why);
  leave(AK_STOPPED);
}

}  // namespace

struct ak_node {
  const Registration* registration = nullptr;
  int number = 0;
  const ak_host* host = nullptr;
  void* user = nullptr;
  const void* options = nullptr;
  size_t options_size = 0;
  void* external = nullptr;
  TfLiteContext context{};
  TfLiteNode node{};
  TfLiteIntArray* intermediates = nullptr;
  Seen* seen = nullptr;
  Scratch* scratch = nullptr;
  void** homes = nullptr;  // where outputs and inputs were, when they were bound last
  int home_count = 0;
  bool is_bound = false;
  bool is_anew = false;  // does every inference begin with reset()?
  int pending = AK_OK;   // how a step ended, for the next call
  char pending_log[sizeof log_text] = "";
  Mode mode = Mode::kAsking;
  Context micro;
  ak_node() : micro(this) {}
};

namespace {

const ak_host& asked(ak_node* node) {
  if (node->mode == Mode::kStepping) leave(AK_AGAIN);
  return *node->host;
}

void quantize(const ak_tensor& facts, TfLiteTensor* full, TfLiteAffineQuantization* affine) {
  if (facts.zero_count <= 0) return;
  const int n = facts.scale_count;
  const size_t room = static_cast<size_t>(n) + 1;
  auto* scale = static_cast<TfLiteFloatArray*>(malloc(sizeof(float) * room));
  auto* zero = static_cast<TfLiteIntArray*>(malloc(sizeof(int) * room));
  scale->size = zero->size = n;
  for (int i = 0; i < n; ++i) {
    scale->data[i] = facts.scales[i];
    zero->data[i] = static_cast<int>(facts.zeros[facts.zero_count == n ? i : 0]);
  }
  *affine = {scale, zero, facts.quantized_dimension};
  if (n) full->params.scale = facts.scales[0];
  full->params.zero_point = static_cast<int>(facts.zeros[0]);
  full->quantization.type = kTfLiteAffineQuantization;
  full->quantization.params = affine;
}

Seen& seen(ak_node* node, int index) {
  for (Seen* one = node->seen; one; one = one->next)
    if (one->index == index) return *one;
  ak_tensor facts{};
  if (!asked(node).tensor(node->user, index, &facts)) leave(AK_HOST);
  auto* made = static_cast<Seen*>(calloc(1, sizeof(Seen)));
  made->index = index;
  made->eval.dims = ints(facts.dims, facts.rank);
  made->eval.type = type_of(facts.type);
  made->eval.data.data = facts.data;
  TfLiteTensor& full = made->full;
  full.type = made->eval.type;
  full.bytes = facts.bytes;
  full.is_variable = facts.is_variable != 0;
  full.allocation_type = facts.is_constant ? kTfLiteMmapRo : kTfLiteArenaRw;
  quantize(facts, &full, &made->affine);
  made->next = node->seen;
  node->seen = made;
  return *made;
}

void* Context::AllocatePersistentBuffer(size_t bytes) {
  void* found = asked(node_).persistent(node_->user, bytes);
  if (!found) leave(AK_HOST);
  return found;
}

TfLiteStatus Context::RequestScratchBufferInArena(size_t bytes, int* handle) {
  *handle = asked(node_).scratch(node_->user, bytes);
  if (*handle < 0) leave(AK_HOST);
  return kTfLiteOk;
}

void* Context::GetScratchBuffer(int handle) {
  for (Scratch* one = node_->scratch; one; one = one->next)
    if (one->handle == handle) return one->data;
  void* found = asked(node_).scratch_data(node_->user, handle);
  if (!found) leave(AK_HOST);
  return found;
}

TfLiteTensor* Context::AllocateTempTfLiteTensor(int index) {
  Seen& one = seen(node_, index);
  if (!asked(node_).temp_tensor(node_->user, index)) leave(AK_HOST);
  auto* temp = static_cast<Temp*>(malloc(sizeof(Temp)));
  temp->tensor = one.full;
  temp->tensor.data.data = one.eval.data.data;
  temp->tensor.dims = one.eval.dims;
  temp->index = index;
  return &temp->tensor;
}

void Context::DeallocateTempTfLiteTensor(TfLiteTensor* tensor) {
  if (!tensor) {
    log_line("DeallocateTempTfLiteTensor(nullptr): there is no such tensor to give back");
    leave(AK_STOPPED);
  }
  auto* temp = reinterpret_cast<Temp*>(tensor);
  const int index = temp->index;
  const int found = asked(node_).free_tensor(node_->user, index);
  if (!found) leave(AK_HOST);
  memset(static_cast<void*>(&temp->tensor), 0xA5, sizeof temp->tensor);  // whoever looks still
  free(temp);
}

uint8_t* Context::AllocateTempBuffer(size_t size, size_t alignment) {
  void* found = asked(node_).temp_buffer(node_->user, size, alignment);
  if (!found) leave(AK_HOST);
  return static_cast<uint8_t*>(found);
}

void Context::DeallocateTempBuffer(uint8_t* buffer) {
  if (!asked(node_).free_buffer(node_->user, buffer)) leave(AK_HOST);
}

#ifdef AK_DECOMPRESSION_MEMORY
void* Context::AllocateDecompressionMemory(size_t bytes, size_t) {
  return asked(node_).decompression(node_->user, bytes);
}

void Context::ResetDecompressionMemoryAllocations() {
  if (!asked(node_).reset_decompression(node_->user)) leave(AK_HOST);
}
#endif

TfLiteEvalTensor* Context::GetEvalTensor(int index) { return &seen(node_, index).eval; }

#ifndef AK_CONCRETE
void* Context::external_context() {
  if (!node_->external && node_->mode == Mode::kStepping) leave(AK_AGAIN);
  return node_->external;
}
#endif

// -- the user's registrations

const Registration& as_reference(const Registration* found) {
  static const Registration nothing{};
  return found ? *found : nothing;
}
const Registration& as_reference(const Registration& found) {  // given by value
  static Registration kept[AK_COUNT];
  static int used;
  return kept[used++] = found;
}

#ifdef AK_PARSERS
using Parser = tree::TfLiteBridgeBuiltinParseFunction;
#define AK_PARSER(parser) parser
#else
using Parser = decltype(nullptr);
#define AK_PARSER(parser) nullptr
#endif
struct Known {
  const Registration& (*get)();
  Parser parser;  // of the file's options, for a builtin operator
};
#define AK_ENTRY(function, parser)                               \
  {[]() -> const Registration& {                                 \
     static const Registration& kept = as_reference(function()); \
     return kept;                                                \
   },                                                            \
   AK_PARSER(parser)},
const Known known[] = {AK_ENTRIES};
const char* const names[] = {AK_NAMES};

#ifdef AK_PARSERS
class Parsed : public tree::TfLiteBridgeBuiltinDataAllocator {
 public:
  void* Allocate(size_t size, size_t) override { return calloc(1, size); }
  void Deallocate(void* data) override { free(data); }
  virtual ~Parsed() = default;
  void operator delete(void*) {}
};
#endif

int call_function(ak_node* node, int function) {
  const Registration& its = *node->registration;
  TfLiteContext* context = &node->context;
  void* data = node->node.user_data;
  switch (function) {
    case AK_INIT:
      if (its.init)
        node->node.user_data =
            its.init(context, static_cast<const char*>(node->options), node->options_size);
      return AK_OK;
    case AK_PREPARE: return its.prepare ? its.prepare(context, &node->node) : AK_OK;
    case AK_INVOKE: {
      if (node->is_anew) call_function(node, AK_RESET);
      const int status = its.invoke(context, &node->node);
      return status == kAbortOf2023 ? static_cast<int>(AK_ABORTED) : status;
    }
    case AK_RESET:
      if (const Reset reset = reset_of(its, 0)) reset(context, data);
      return AK_OK;
    default:
      if (its.free) its.free(context, data);
      return AK_OK;
  }
}

}  // namespace

// -- what TFLM and the C library would end the process with

#ifdef __GLIBC__
#define AK_NOEXCEPT noexcept
#else
#define AK_NOEXCEPT
#endif

// As the tree has declared them: C's, or at a vendor C++'s.
#ifdef AK_LOG_TAKES_LIST
void DebugLog(const char* format, va_list args) { log_add(format, args); }
int DebugVsnprintf(char* buffer, size_t size, const char* format, va_list args) {
  return vsnprintf(buffer, size, format, args);
}
#else
void DebugLog(const char* text) { log_line("%s", text); }
#endif

extern "C" {
[[noreturn]] void ak_failed(const char* what, const char* file, int line) {
  log_line("check failed: %s (%s:%d)", what, file, line);
  leave(AK_STOPPED);
}
[[noreturn]] void ak_abort_at(const char* file, int line) {
  log_line("abort() at %s:%d", file, line);
  leave(AK_STOPPED);
}
[[noreturn]] void ak_exit_at(int code, const char* file, int line) {
  log_line("exit(%d) at %s:%d", code, file, line);
  leave(AK_STOPPED);
}
#ifndef _WIN32
// What the library's own files call, archives' and assembly's too, by whatever name: these come before the C
// library's.
#define AK_INSTEAD __attribute__((visibility("hidden"))) __attribute__((noinline))
#define AK_NO_WAY_BACK __attribute__((noreturn))
#define AK_CALLER __builtin_return_address(0)
AK_NO_WAY_BACK AK_INSTEAD void abort(void) AK_NOEXCEPT { ended_by(AK_CALLER, "abort()"); }
AK_NO_WAY_BACK AK_INSTEAD void exit(int code) AK_NOEXCEPT { ended_by(AK_CALLER, "exit(%d)", code); }
AK_NO_WAY_BACK AK_INSTEAD void _exit(int code) { ended_by(AK_CALLER, "_exit(%d)", code); }
AK_NO_WAY_BACK AK_INSTEAD void _Exit(int code) AK_NOEXCEPT {
  ended_by(AK_CALLER, "_Exit(%d)", code);
}
AK_NO_WAY_BACK AK_INSTEAD void quick_exit(int code) AK_NOEXCEPT {
  ended_by(AK_CALLER, "quick_exit(%d)", code);
}
AK_NO_WAY_BACK AK_INSTEAD void pthread_exit(void*) { ended_by(AK_CALLER, "pthread_exit()"); }
AK_INSTEAD int raise(int number) AK_NOEXCEPT { ended_by(AK_CALLER, "raise(%d)", number); }
AK_INSTEAD int pthread_kill(pthread_t, int number) AK_NOEXCEPT {
  ended_by(AK_CALLER, "pthread_kill(%d)", number);
}
AK_INSTEAD int kill(pid_t process, int number) AK_NOEXCEPT {
  ended_by(AK_CALLER, "kill(%d, %d)", static_cast<int>(process), number);
}
#endif
#ifdef __GLIBC__
__attribute__((visibility("hidden"), noreturn)) void __assert_fail(const char* what,
                                                                   const char* file, unsigned line,
                                                                   const char*) AK_NOEXCEPT {
  log_line("assertion failed: %s (%s:%u)", what, file, line);
  leave(AK_STOPPED);
}
#endif
}  // extern "C"

// -- what a vendor's archive may lack, which is for programs that have it

#ifdef AK_ARCHIVE
#define AK_UNLESS_THERE __attribute__((weak))
AK_UNLESS_THERE void MicroPrintf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_add(format, args);
  log_line("\n");
  va_end(args);
}

namespace AK_NAMESPACE {
AK_UNLESS_THERE void MicroContextReportOpError(TfLiteContext*, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_add(format, args);
  va_end(args);
}
AK_UNLESS_THERE TfLiteTensor* MicroContext::AllocateTempInputTensor(const TfLiteNode* node, int i) {
  const TfLiteIntArray& list = *node->inputs;
  return i < list.size && list.data[i] >= 0 ? AllocateTempTfLiteTensor(list.data[i]) : nullptr;
}
AK_UNLESS_THERE TfLiteTensor* MicroContext::AllocateTempOutputTensor(const TfLiteNode* node,
                                                                     int i) {
  const TfLiteIntArray& list = *node->outputs;
  return i < list.size && list.data[i] >= 0 ? AllocateTempTfLiteTensor(list.data[i]) : nullptr;
}
}  // namespace AK_NAMESPACE
#endif

// -- what Arenite calls

namespace {

int32_t has(int32_t number) {
  const Registration& its = known[number].get();
  return !!its.init << AK_INIT | !!its.prepare << AK_PREPARE | !!its.invoke << AK_INVOKE |
         !!reset_of(its, 0) << AK_RESET | !!its.free << AK_FREE;
}

ak_node* create(int32_t number, const ak_host* host, void* user, const void* options,
                uint64_t size) {
  auto* node = new (calloc(1, sizeof(ak_node))) ak_node;
  node->registration = &known[number].get();
  node->number = number;
  node->host = host;
  node->user = user;
  node->options = options;
  node->options_size = size;
  set_options(node->node, options, 0);
  node->node.custom_initial_data_size = static_cast<int>(size);
  serve(node->context, node->micro);
  return node;
}

int32_t parse(ak_node* node, const void* model) {
#ifdef AK_PARSERS
  const Parser parser = known[node->number].parser;
  if (!parser) return AK_OK;
  return enter([&] {
    static Parsed allocator;
    auto* op = flatbuffers::GetRoot<tree::Model>(model)->subgraphs()->Get(0)->operators()->Get(0);
    void* data = nullptr;
    const int status = tree::CallBuiltinParseFunction(parser, op, &allocator, &data);
    node->node.builtin_data = data;
    node->options = data;
    node->options_size = 0;
    return status;
  });
#else
  (void)node, (void)model;
  return AK_OK;
#endif
}

void place(ak_node* node, const ak_place* where) {
  node->node.inputs = ints(where->inputs, where->input_count);
  node->node.outputs = ints(where->outputs, where->output_count);
  node->intermediates = ints(where->intermediates, where->intermediate_count);
  set_intermediates(node->node, node->intermediates, 0);
  node->home_count = where->output_count + where->input_count;
  node->homes =
      static_cast<void**>(calloc(static_cast<size_t>(node->home_count) + 1, sizeof(void*)));
}

int finished(int status) {
  if (status == AK_OK || status == AK_ABORTED) log_show();
  return status;
}

int32_t call(ak_node* node, int32_t function) {
  if (node->pending && function == AK_INVOKE) {  // a step has come to this already
    const int status = node->pending;
    node->pending = AK_OK;
    log_clear();
    log_line("%s", node->pending_log);
    return status;
  }
  if (function == AK_ANEW || function == AK_GO_ON) {
    node->is_anew = function == AK_ANEW;
    return AK_OK;
  }
  log_clear();
  node->mode = Mode::kAsking;
  return finished(enter([&] { return call_function(node, function); }));
}

void bind(ak_node* node, int32_t index, void* data) {
  enter([&] {
    seen(node, index).eval.data.data = data;
    return 0;
  });
  const TfLiteIntArray *outputs = node->node.outputs, *inputs = node->node.inputs;
  for (int i = 0; i < outputs->size; ++i)
    if (outputs->data[i] == index) node->homes[i] = data;
  for (int i = 0; i < inputs->size; ++i)
    if (inputs->data[i] == index) node->homes[outputs->size + i] = data;
  node->is_bound = true;
}

void bind_scratch(ak_node* node, int32_t handle, void* data) {
  for (Scratch* one = node->scratch; one; one = one->next) {
    if (one->handle != handle) continue;
    one->data = data;
    return;
  }
  auto* made = static_cast<Scratch*>(malloc(sizeof(Scratch)));
  *made = {handle, data, node->scratch};
  node->scratch = made;
}

void bind_external(ak_node* node, void* payload) {
#ifdef AK_CONCRETE
  if (payload != node->external) node->micro.set_external_context(payload);  // which it takes once
#endif
  node->external = payload;
}

int32_t step(ak_node* node, void* const* data) {
  if (!node->is_bound) return AK_AGAIN;
  for (int i = 0; i < node->home_count; ++i)
    if (data[i] != node->homes[i]) return AK_AGAIN;
  log_clear();
  node->mode = Mode::kStepping;
  const int status = enter([&] { return call_function(node, AK_INVOKE); });
  node->mode = Mode::kAsking;
  if (status == AK_OK || status == AK_ABORTED) {
    log_show();
  } else if (status != AK_AGAIN) {
    node->pending = status;
    memcpy(node->pending_log, log_text, sizeof log_text);
  }
  return status;
}

int32_t dims(ak_node* node, int32_t index, int32_t* out) {
  for (Seen* one = node->seen; one; one = one->next) {
    if (one->index != index) continue;
    const int rank = one->eval.dims->size;
    for (int i = 0; i < rank && i < 8; ++i) out[i] = one->eval.dims->data[i];
    return rank;
  }
  return -1;
}

void* data_of(ak_node* node, int32_t index) {
  for (Seen* one = node->seen; one; one = one->next)
    if (one->index == index) return one->eval.data.data;
  return nullptr;
}

const char* said() { return log_text; }
void* where(int32_t number) { return number < kTraced ? crashed_at[number] : nullptr; }
void* touched() { return touched_at; }

void destroy(ak_node* node, int32_t frees) {
  node->mode = Mode::kStepping;
  if (frees) enter([&] { return call_function(node, AK_FREE); });
  while (Seen* one = node->seen) {
    node->seen = one->next;
    free(one->affine.scale);
    free(one->affine.zero_point);
    free(one);  // not its dims: a kernel may have put others there
  }
  while (Scratch* one = node->scratch) {
    node->scratch = one->next;
    free(one);
  }
  free(node->node.inputs);
  free(node->node.outputs);
  free(node->intermediates);
  free(node->homes);
  free(node);
}

#ifdef _WIN32
void* guarded(uint64_t, uint64_t) { return nullptr; }
void unguarded(void*, uint64_t, uint64_t) {}
#else
size_t pages_of(uint64_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (static_cast<size_t>(bytes) + page - 1) / page * page;
}
void* guarded(uint64_t bytes, uint64_t alignment) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const uint64_t room = (bytes + alignment - 1) / alignment * alignment;
  const size_t inside = pages_of(room ? room : 1);
  auto* all = static_cast<char*>(
      mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0));
  if (all == MAP_FAILED) return nullptr;
  if (mprotect(all + page, inside, PROT_READ | PROT_WRITE)) return nullptr;
  return all + page + inside - room;
}
void unguarded(void* data, uint64_t bytes, uint64_t alignment) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const uint64_t room = (bytes + alignment - 1) / alignment * alignment;
  const size_t inside = pages_of(room ? room : 1);
  munmap(static_cast<char*>(data) + room - inside - page, inside + 2 * page);
}
#endif

const ak_library library = {3,       AK_COUNT, names,    has,          create,        parse,
                            place,   call,     bind,     bind_scratch, bind_external, dims,
                            data_of, step,     said,     where,        base,          touched,
                            destroy, guarded,  unguarded};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ak_library* ak_entry(void) {
  is_loaded = true;
  return &library;
}
