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

namespace {

// The first inference calibrates: eight bytes of its input, at any place of the memory, are the offset of
// all others.
constexpr int kAt = 3;  // no aligned one

void* InitWord(TfLiteContext* context, const char*, size_t) {
  auto* data = static_cast<uint8_t*>(context->AllocatePersistentBuffer(context, 24));
  memset(data, 0, 24);
  return data;
}

TfLiteStatus PrepareWord(TfLiteContext*, TfLiteNode*) { return kTfLiteOk; }

TfLiteStatus InvokeWord(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<uint8_t*>(node->user_data);
  const int8_t* x = tflite::micro::GetEvalInput(context, node, 0)->data.int8;
  int8_t* y = tflite::micro::GetEvalOutput(context, node, 0)->data.int8;
  if (!data[23]) memcpy(data + kAt, x, 8);
  data[23] = 1;
  for (int i = 0; i < 64; ++i) y[i] = static_cast<int8_t>(x[i] ^ data[kAt + i % 8]);
  return kTfLiteOk;
}

// A ring whose write pointer rests at its end, which may be the arena's.
struct Ring {
  int8_t* begin;
  int8_t* next;
  int8_t* end;
};

void* InitRing(TfLiteContext* context, const char*, size_t) {
  auto* ring = static_cast<Ring*>(context->AllocatePersistentBuffer(context, sizeof(Ring)));
  ring->begin = ring->next = static_cast<int8_t*>(context->AllocatePersistentBuffer(context, 64));
  ring->end = ring->begin + 64;
  memset(ring->begin, 0, 64);
  return ring;
}

TfLiteStatus InvokeRing(TfLiteContext* context, TfLiteNode* node) {
  auto* ring = static_cast<Ring*>(node->user_data);
  const int8_t* x = tflite::micro::GetEvalInput(context, node, 0)->data.int8;
  int8_t* y = tflite::micro::GetEvalOutput(context, node, 0)->data.int8;
  for (int i = 0; i < 64; ++i) {
    if (ring->next == ring->end) ring->next = ring->begin;
    y[i] = *ring->next;  // what was written 64 values ago
    *ring->next++ = x[i];
  }
  return kTfLiteOk;
}

// It keeps where a tensor is, from the first inference on.
struct Late {
  TfLiteEvalTensor* x;
};

void* InitLate(TfLiteContext* context, const char*, size_t) {
  auto* late = static_cast<Late*>(context->AllocatePersistentBuffer(context, sizeof(Late)));
  late->x = nullptr;
  return late;
}

TfLiteStatus InvokeLate(TfLiteContext* context, TfLiteNode* node) {
  auto* late = static_cast<Late*>(node->user_data);
  if (!late->x) late->x = const_cast<TfLiteEvalTensor*>(tflite::micro::GetEvalInput(context, node, 0));
  memcpy(tflite::micro::GetEvalOutput(context, node, 0)->data.int8, late->x->data.int8, 64);
  return kTfLiteOk;
}

}  // namespace

TFLMRegistration* Register_WORD() {
  static TFLMRegistration made = tflite::micro::RegisterOp(InitWord, PrepareWord, InvokeWord);
  return &made;
}

TFLMRegistration* Register_RING() {
  static TFLMRegistration made = tflite::micro::RegisterOp(InitRing, PrepareWord, InvokeRing);
  return &made;
}

TFLMRegistration* Register_LATE() {
  static TFLMRegistration made = tflite::micro::RegisterOp(InitLate, PrepareWord, InvokeLate);
  return &made;
}

TFLMRegistration* Register_NOTHING() { return nullptr; }

}  // namespace sample
