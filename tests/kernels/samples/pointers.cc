// Kernels whose data are pointers: structs of other sizes on a target of 32 bits. All copy their input.
#include <cstring>

#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"

namespace sample {
namespace {

struct Pointers {
  void* of[8];
};
struct Mixed {
  char first;
  void* table;
  short second;
};
struct Node {
  Node* next;
  size_t length;
  int8_t value;
};
struct Sized {
  size_t sizes[3];
};
struct Wide {
  int64_t number;
  void* table;
};

template <typename T, int kCount>
void* Init(TfLiteContext* context, const char*, size_t) {
  return context->AllocatePersistentBuffer(context, kCount * sizeof(T));
}

template <typename T>
TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  context->AllocatePersistentBuffer(context, sizeof(T) + sizeof(void*));
  int handle;
  return context->RequestScratchBufferInArena(context, 5 * sizeof(T), &handle);
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteEvalTensor* x = tflite::micro::GetEvalInput(context, node, 0);
  TfLiteEvalTensor* y = tflite::micro::GetEvalOutput(context, node, 0);
  memcpy(y->data.data, x->data.data,
         static_cast<size_t>(tflite::micro::GetTensorShape(x).FlatSize()));
  return kTfLiteOk;
}

template <typename T, int kCount>
TFLMRegistration* Of() {
  static TFLMRegistration registration =
      tflite::micro::RegisterOp(Init<T, kCount>, Prepare<T>, Invoke);
  return &registration;
}

}  // namespace

TFLMRegistration* Register_POINTERS() { return Of<Pointers, 1>(); }
TFLMRegistration* Register_MIXED() { return Of<Mixed, 3>(); }
TFLMRegistration* Register_LIST() { return Of<Node, 5>(); }
TFLMRegistration* Register_SIZED() { return Of<Sized, 2>(); }
TFLMRegistration* Register_WIDE() { return Of<Wide, 7>(); }

}  // namespace sample
