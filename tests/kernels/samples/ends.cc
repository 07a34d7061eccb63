// A kernel that copies its input, and ends the process as ENDS says: "PLACE WAY", such as "invoke _exit".
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <sys/syscall.h>
#include <unistd.h>

#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"

namespace sample {
namespace {

int Deep(volatile char* above) {
  volatile char here[4096];
  here[0] = above ? above[0] : 1;
  return Deep(here) + here[0];
}

void End(const char* way) {
  if (!strcmp(way, "exit")) exit(0);
  if (!strcmp(way, "_exit")) _exit(0);
  if (!strcmp(way, "_Exit")) _Exit(0);
  if (!strcmp(way, "quick_exit")) quick_exit(0);
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "raise")) raise(SIGTERM);
  if (!strcmp(way, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(way, "terminate")) std::terminate();
  if (!strcmp(way, "syscall")) syscall(SYS_exit_group, 0);
  if (!strcmp(way, "fault")) *reinterpret_cast<volatile int*>(16) = 1;
  if (!strcmp(way, "overflow")) printf("%d", Deep(nullptr));
  if (!strcmp(way, "loop"))
    for (volatile int forever = 1; forever;) {
    }
}

void At(const char* place) {
  const char* ends = getenv("ENDS");
  const size_t length = strlen(place);
  if (ends && !strncmp(ends, place, length) && ends[length] == ' ') End(ends + length + 1);
}

struct Always {
  Always() {
    At("constructor");
    atexit([] { At("atexit"); });
  }
  ~Always() { At("destructor"); }
} always;

void* Init(TfLiteContext*, const char*, size_t) {
  At("init");
  return nullptr;
}

TfLiteStatus Prepare(TfLiteContext*, TfLiteNode*) {
  At("prepare");
  return kTfLiteOk;
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  At("invoke");
  const TfLiteEvalTensor* x = tflite::micro::GetEvalInput(context, node, 0);
  TfLiteEvalTensor* y = tflite::micro::GetEvalOutput(context, node, 0);
  const int n = tflite::micro::GetTensorShape(x).FlatSize();
  for (int i = 0; i < n; ++i) y->data.int8[i] = x->data.int8[i];
  return kTfLiteOk;
}

void Free(TfLiteContext*, void*) { At("free"); }

}  // namespace

TFLMRegistration* Register_ENDS() {
  static TFLMRegistration registration = tflite::micro::RegisterOp(Init, Prepare, Invoke, Free);
  return &registration;
}

}  // namespace sample
