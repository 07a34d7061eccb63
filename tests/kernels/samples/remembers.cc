// A kernel that keeps pointers into its memory and moves them: y is x plus how many inferences there were.
// Whoever gives it two numbers as the external context learns how often it began and ended.
#include <cstring>

#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"

namespace sample {
namespace {

constexpr int kMost = 100;

struct OpData {
  int8_t* numbers;
  int8_t* next;
  int scratch;
};

void Count(TfLiteContext* context, int which) {
  auto* counts = static_cast<int32_t*>(tflite::GetMicroContext(context)->external_context());
  if (counts) ++counts[which];
}

void* Init(TfLiteContext* context, const char*, size_t) {
  auto* data = static_cast<OpData*>(context->AllocatePersistentBuffer(context, sizeof(OpData)));
  data->numbers = data->next = nullptr;
  Count(context, 0);
  return data;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<OpData*>(node->user_data);
  data->numbers = static_cast<int8_t*>(context->AllocatePersistentBuffer(context, kMost));
  for (int i = 0; i < kMost; ++i) data->numbers[i] = static_cast<int8_t>(i);
  data->next = data->numbers;
  return context->RequestScratchBufferInArena(context, 1, &data->scratch);
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<OpData*>(node->user_data);
  const TfLiteEvalTensor* x = tflite::micro::GetEvalInput(context, node, 0);
  TfLiteEvalTensor* y = tflite::micro::GetEvalOutput(context, node, 0);
  auto* added = static_cast<int8_t*>(context->GetScratchBuffer(context, data->scratch));
  *added = *data->next++;
  for (int i = 0; i < tflite::micro::GetTensorShape(x).FlatSize(); ++i)
    y->data.int8[i] = static_cast<int8_t>(x->data.int8[i] + *added);
  return kTfLiteOk;
}

void Free(TfLiteContext* context, void*) { Count(context, 1); }

}  // namespace

TFLMRegistration* Register_REMEMBERS() {
  static TFLMRegistration registration =
      tflite::micro::RegisterOp(Init, Prepare, Invoke, Free);
  return &registration;
}

TFLMRegistration* Register_NOTHING() { return nullptr; }

}  // namespace sample
