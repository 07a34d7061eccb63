// Kernels for exported firmware. HISTORY adds to its input what the variable behind it held before, through
// pointers into persistent and scratch memory. PICKY copies; an external context, a small number instead of an
// address, says what it does wrong.
#include <cstring>

#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_graph.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace sample {
namespace {

struct Numbers {
  int8_t* first;
  int8_t* next;
  size_t count;
};

struct History {
  Numbers* numbers;
  const char* options;
  int scratch;
  int size;
};

void* BeginHistory(TfLiteContext* context, const char* options, size_t) {
  auto* data = static_cast<History*>(context->AllocatePersistentBuffer(context, sizeof(History)));
  data->options = options;
  return data;
}

TfLiteStatus PrepareHistory(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<History*>(node->user_data);
  tflite::MicroContext* micro = tflite::GetMicroContext(context);
  TfLiteTensor* x = micro->AllocateTempInputTensor(node, 0);
  TfLiteTensor* y = micro->AllocateTempOutputTensor(node, 0);
  TF_LITE_ENSURE_EQ(context, x->type, kTfLiteInt8);
  TF_LITE_ENSURE_EQ(context, y->params.zero_point, 3);
  data->size = tflite::NumElements(x);
  micro->DeallocateTempTfLiteTensor(x);
  micro->DeallocateTempTfLiteTensor(y);
  auto* numbers =
      static_cast<Numbers*>(context->AllocatePersistentBuffer(context, sizeof(Numbers)));
  numbers->count = 5;
  numbers->first = static_cast<int8_t*>(context->AllocatePersistentBuffer(context, 5));
  for (int i = 0; i < 5; ++i) numbers->first[i] = static_cast<int8_t>(10 * i);
  numbers->next = numbers->first;
  data->numbers = numbers;
  const size_t bytes = static_cast<size_t>(data->size);
  return context->RequestScratchBufferInArena(context, bytes, &data->scratch);
}

TfLiteStatus InvokeHistory(TfLiteContext* context, TfLiteNode* node) {
  const auto* data = static_cast<const History*>(node->user_data);
  Numbers* numbers = data->numbers;
  const TfLiteEvalTensor* x = tflite::micro::GetEvalInput(context, node, 0);
  TfLiteEvalTensor* before = tflite::micro::GetMutableEvalInput(context, node, 1);
  const TfLiteEvalTensor* weights = tflite::micro::GetEvalInput(context, node, 2);
  TfLiteEvalTensor* y = tflite::micro::GetEvalOutput(context, node, 0);
  auto* sums = static_cast<int8_t*>(context->GetScratchBuffer(context, data->scratch));
  for (int i = 0; i < data->size; ++i)
    sums[i] = static_cast<int8_t>(x->data.int8[i] * weights->data.int8[i] + before->data.int8[i] +
                                  *numbers->next + data->options[0]);
  memcpy(before->data.int8, x->data.int8, static_cast<size_t>(data->size));
  memcpy(y->data.int8, sums, static_cast<size_t>(data->size));
  if (++numbers->next == numbers->first + numbers->count) numbers->next = numbers->first;
  return kTfLiteOk;
}

void ResetHistory(TfLiteContext*, void* data) {
  Numbers* numbers = static_cast<History*>(data)->numbers;
  numbers->next = numbers->first;
}

enum {
  kNone,
  kPrepareFails,
  kInvokeFails,
  kTooMuchMemory,
  kTooMuchScratch,
  kSubgraph,
  kNoSuchTensor,
  kPersistentInInvoke,
  kTempBuffer,
  kEnds,
};

long Fault(TfLiteContext* context) {
  return reinterpret_cast<long>(tflite::GetMicroContext(context)->external_context());
}

TfLiteStatus PreparePicky(TfLiteContext* context, TfLiteNode*) {
  int scratch;
  const long fault = Fault(context);
  context->AllocatePersistentBuffer(context, fault == kTooMuchMemory ? 40 : 8);
  context->RequestScratchBufferInArena(context, fault == kTooMuchScratch ? 25 : 24, &scratch);
  if (fault == kTempBuffer) tflite::GetMicroContext(context)->AllocateTempBuffer(8, 4);
  if (fault != kPrepareFails) return kTfLiteOk;
  MicroPrintf("this is not for you");
  return kTfLiteError;
}

TfLiteStatus InvokePicky(TfLiteContext* context, TfLiteNode* node) {
  const long fault = Fault(context);
  if (fault == kInvokeFails) return kTfLiteError;
  if (fault == kEnds) return tflite::kTfLiteAbort;
  if (fault == kSubgraph) tflite::GetMicroContext(context)->graph().InvokeSubgraph(1);
  if (fault == kNoSuchTensor) context->GetEvalTensor(context, 7);
  if (fault == kPersistentInInvoke) context->AllocatePersistentBuffer(context, 8);
  const TfLiteEvalTensor* x = tflite::micro::GetEvalInput(context, node, 0);
  TfLiteEvalTensor* y = tflite::micro::GetEvalOutput(context, node, 0);
  memcpy(y->data.int8, x->data.int8,
         static_cast<size_t>(tflite::micro::GetTensorShape(x).FlatSize()));
  return kTfLiteOk;
}

TfLiteStatus PrepareGreedy(TfLiteContext* context, TfLiteNode*) {
  tflite::MicroContext* micro = tflite::GetMicroContext(context);
  micro->DeallocateTempBuffer(micro->AllocateTempBuffer(8, 4));
  return kTfLiteOk;
}

}  // namespace

TFLMRegistration* Register_HISTORY() {
  static TFLMRegistration registration = tflite::micro::RegisterOp(
      BeginHistory, PrepareHistory, InvokeHistory, nullptr, ResetHistory);
  return &registration;
}

TFLMRegistration Register_PICKY() {
  return tflite::micro::RegisterOp(nullptr, PreparePicky, InvokePicky);
}

TFLMRegistration Register_GREEDY() {
  return tflite::micro::RegisterOp(nullptr, PrepareGreedy, InvokePicky);
}

}  // namespace sample
