// A kernel as a firmware's author writes it: MOVING_AVERAGE, the mean of the last values of a signal.
//
// Input and output are int8 of the same shape, scale and zero point. The custom options are one byte:
// how many values a mean is of. The first means are of those values that there are.
#include <cstdint>

#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/micro_context.h"

namespace example {
namespace {

struct OpData {
  int32_t width;
  int32_t length;
};

void* Init(TfLiteContext* context, const char* options, size_t size) {
  auto* data = static_cast<OpData*>(context->AllocatePersistentBuffer(context, sizeof(OpData)));
  data->width = size == 1 ? static_cast<uint8_t>(options[0]) : 0;
  return data;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  auto* data = static_cast<OpData*>(node->user_data);
  tflite::MicroContext* micro = tflite::GetMicroContext(context);
  TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 1);
  TF_LITE_ENSURE_EQ(context, tflite::NumOutputs(node), 1);
  TF_LITE_ENSURE_MSG(context, data->width > 0, "expected one byte of options, a width above 0");
  TfLiteTensor* input = micro->AllocateTempInputTensor(node, 0);
  TfLiteTensor* output = micro->AllocateTempOutputTensor(node, 0);
  TF_LITE_ENSURE_TYPES_EQ(context, input->type, kTfLiteInt8);
  TF_LITE_ENSURE_TYPES_EQ(context, output->type, kTfLiteInt8);
  TF_LITE_ENSURE_EQ(context, input->bytes, output->bytes);
  data->length = static_cast<int32_t>(input->bytes);
  micro->DeallocateTempTfLiteTensor(input);
  micro->DeallocateTempTfLiteTensor(output);
  return kTfLiteOk;
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  const auto* data = static_cast<const OpData*>(node->user_data);
  const int8_t* from =
      tflite::micro::GetTensorData<int8_t>(tflite::micro::GetEvalInput(context, node, 0));
  int8_t* to =
      tflite::micro::GetTensorData<int8_t>(tflite::micro::GetEvalOutput(context, node, 0));
  int32_t sum = 0;
  for (int32_t i = 0; i < data->length; ++i) {
    sum += from[i];
    if (i >= data->width) sum -= from[i - data->width];
    const int32_t count = i < data->width ? i + 1 : data->width;
    to[i] = static_cast<int8_t>(sum / count);  // towards 0
  }
  return kTfLiteOk;
}

}  // namespace

TFLMRegistration* Register_MOVING_AVERAGE() {
  static TFLMRegistration registration = tflite::micro::RegisterOp(Init, Prepare, Invoke);
  return &registration;
}

}  // namespace example
