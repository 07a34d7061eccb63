// A kernel that copies its input, and makes the mistake that its options' byte names.
#include <cassert>
#include <cstdlib>
#include <cstring>

#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace sample {
namespace {

enum Mistake : uint8_t {
  kNone,
  kEnsure,
  kDcheck,
  kTempKept,
  kTooMuch,
  kNullPointer,
  kStatus,
  kByteBehind,
  kAbort,
  kScratch,  // none: it goes through scratch memory
  kOverflow,
  kDivision,
  kSubgraph,
  kExit,
  kAssert,
  kPersistentLate,
  kExternal,
  kTrap,
  kBefore,
  kNoTensorBack,
  kBeforeScratch,
  kBehindScratch,
  kBeforePersistent,
  kUnwritten,
};

struct OpData {
  Mistake mistake;
  int scratch;
  volatile int number;
};

void* Init(TfLiteContext* context, const char* options, size_t size) {
  auto* data = static_cast<OpData*>(context->AllocatePersistentBuffer(context, sizeof(OpData)));
  data->mistake = size ? static_cast<Mistake>(options[0]) : kNone;
  data->number = 0;
  return data;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<OpData*>(node->user_data);
  tflite::MicroContext* micro = tflite::GetMicroContext(context);
  TfLiteTensor* x = micro->AllocateTempInputTensor(node, 0);
  TF_LITE_ENSURE(context, x != nullptr);
  TF_LITE_ENSURE_MSG(context, data->mistake != kEnsure, "this is not for you");
  TF_LITE_ENSURE_OK(context, context->RequestScratchBufferInArena(context, x->bytes, &data->scratch));
  if (data->mistake == kDcheck) TFLITE_DCHECK_EQ(x->type, kTfLiteFloat32);
  if (data->mistake != kTempKept) micro->DeallocateTempTfLiteTensor(x);
  if (data->mistake == kNoTensorBack) micro->DeallocateTempTfLiteTensor(nullptr);
  if (data->mistake == kTooMuch) context->AllocatePersistentBuffer(context, 100 << 20);
  if (data->mistake == kSubgraph) micro->graph().InvokeSubgraph(1);
  return kTfLiteOk;
}

int Mistaken(TfLiteContext* context, OpData* data, int8_t* to, int n) {
  switch (data->mistake) {
    case kNullPointer: *reinterpret_cast<volatile int*>(16) = 1; break;
    case kStatus: MicroPrintf("value %d of %s", 42, "x"); return 1;
    case kAbort: abort();
    case kOverflow: data->number = 2147483647; data->number += n; break;
    case kDivision: data->number = n / data->number; break;
    case kExit: exit(3);
    case kAssert: assert(n == 0);
    case kPersistentLate: context->AllocatePersistentBuffer(context, 8); break;
    case kExternal: *static_cast<int*>(tflite::GetMicroContext(context)->external_context()) += 1; break;
    case kTrap: __builtin_trap();
    case kBefore: to[-1] = 0; break;
    default: break;
  }
  return 0;
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<OpData*>(node->user_data);
  const TfLiteEvalTensor* x = tflite::micro::GetEvalInput(context, node, 0);
  const int8_t* from = tflite::micro::GetTensorData<int8_t>(x);
  int8_t* to = tflite::micro::GetTensorData<int8_t>(tflite::micro::GetEvalOutput(context, node, 0));
  int n = tflite::micro::GetTensorShape(x).FlatSize();
  if (data->mistake == kScratch) {
    auto* scratch = static_cast<int8_t*>(context->GetScratchBuffer(context, data->scratch));
    memcpy(scratch, from, static_cast<size_t>(n));
    from = scratch;
  }
  if (data->mistake >= kBeforeScratch) {
    auto* scratch = static_cast<volatile int8_t*>(context->GetScratchBuffer(context, data->scratch));
    if (data->mistake == kBeforeScratch) scratch[-3] = 1;
    if (data->mistake == kBehindScratch) scratch[n] = 1;
    if (data->mistake == kBeforePersistent) reinterpret_cast<volatile int8_t*>(data)[-1] = 1;
    if (data->mistake == kUnwritten) return to[0] = scratch[5], kTfLiteOk;
  }
  if (Mistaken(context, data, to, n)) return kTfLiteError;
  if (data->mistake == kByteBehind) n += 1;
  for (int i = 0; i < n; ++i) to[i] = from[i];
  return kTfLiteOk;
}

}  // namespace

TFLMRegistration* Register_MISTAKES() {
  static TFLMRegistration registration = tflite::micro::RegisterOp(Init, Prepare, Invoke);
  return &registration;
}

}  // namespace sample
