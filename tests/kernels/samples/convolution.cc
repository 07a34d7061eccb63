// A user's own CONV_2D for int8: TFLM's preparation, plain loops. With OFF_BY_ONE the last column of a
// filter is left out where it reaches over the input's right edge by exactly nothing.
#include "tensorflow/lite/c/builtin_op_data.h"
#include "tensorflow/lite/kernels/internal/common.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/conv.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"

#ifndef OFF_BY_ONE
#define OFF_BY_ONE 0
#endif

namespace sample {
namespace {

int32_t Sum(const tflite::OpDataConv& data, const TfLiteConvParams& p, const int32_t* xd,
            const int32_t* wd, const int8_t* x, const int8_t* w, int top, int left) {
  int32_t sum = 0;
  for (int i = 0; i < wd[1]; ++i)
    for (int j = 0; j < wd[2]; ++j) {
      const int row = top + i * p.dilation_height_factor, column = left + j * p.dilation_width_factor;
      if (row < 0 || row >= xd[1] || column < 0 || column >= xd[2] - OFF_BY_ONE * (j > 0)) continue;
      for (int c = 0; c < wd[3]; ++c)
        sum += (x[(row * xd[2] + column) * xd[3] + c] - data.input_zero_point) *
               w[(i * wd[2] + j) * wd[3] + c];
    }
  return sum;
}

TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  const auto& data = *static_cast<const tflite::OpDataConv*>(node->user_data);
  const auto& p = *static_cast<const TfLiteConvParams*>(node->builtin_data);
  const TfLiteEvalTensor* input = tflite::micro::GetEvalInput(context, node, 0);
  const TfLiteEvalTensor* filter = tflite::micro::GetEvalInput(context, node, 1);
  const TfLiteEvalTensor* bias =
      tflite::NumInputs(node) == 3 ? tflite::micro::GetEvalInput(context, node, 2) : nullptr;
  TfLiteEvalTensor* output = tflite::micro::GetEvalOutput(context, node, 0);
  const int32_t *xd = input->dims->data, *wd = filter->dims->data, *yd = output->dims->data;
  int8_t* y = output->data.int8;
  for (int n = 0; n < yd[0]; ++n)
    for (int i = 0; i < yd[1]; ++i)
      for (int j = 0; j < yd[2]; ++j)
        for (int c = 0; c < yd[3]; ++c) {
          const int8_t* x = input->data.int8 + n * xd[1] * xd[2] * xd[3];
          const int8_t* w = filter->data.int8 + c * wd[1] * wd[2] * wd[3];
          int32_t sum = Sum(data, p, xd, wd, x, w, i * p.stride_height - data.padding.height,
                            j * p.stride_width - data.padding.width);
          if (bias) sum += bias->data.i32[c];
          sum = tflite::MultiplyByQuantizedMultiplier(sum, data.per_channel_output_multiplier[c],
                                                      data.per_channel_output_shift[c]);
          sum += data.output_zero_point;
          if (sum < data.output_activation_min) sum = data.output_activation_min;
          if (sum > data.output_activation_max) sum = data.output_activation_max;
          *y++ = static_cast<int8_t>(sum);
        }
  return kTfLiteOk;
}

}  // namespace

TFLMRegistration Register_CONV_2D() {
  return tflite::micro::RegisterOp(tflite::ConvInit, tflite::ConvPrepare, Invoke);
}

}  // namespace sample
