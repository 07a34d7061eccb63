/* ESP-NN's kernels of int8, called with shapes from an array: what measure_esp_nn.py counts. */
#include <esp_nn.h>
#include <stdint.h>

enum { BYTES = 1 << 16, CHANNELS = 1 << 10 };
int8_t kernel_input[BYTES], kernel_other[BYTES], kernel_output[BYTES];
int32_t kernel_bias[CHANNELS], kernel_multiplier[CHANNELS], kernel_shift[CHANNELS];
int32_t kernel_scratch[CHANNELS];
/* Input, filter, output: height, width, channels; stride, padding: height, width; images, or a depthwise multiplier. */
int32_t kernel_shapes[14];

/* Kernels complain by it; nobody listens. */
int printf(const char *format, ...) { return 0; }

static data_dims_t dims(const int32_t *at) {
  return (data_dims_t){.width = at[1], .height = at[0], .channels = at[2], .extra = 1};
}

static data_2d_t pair(const int32_t *at) { return (data_2d_t){.width = at[1], .height = at[0]}; }

static const act_params_t range = {.min = -128, .max = 127};

void kernel_conv(void) {
  const data_dims_t input = dims(kernel_shapes), filter = dims(kernel_shapes + 3);
  const data_dims_t output = dims(kernel_shapes + 6);
  const quant_data_t quant = {.shift = kernel_shift, .mult = kernel_multiplier};
  const conv_params_t params = {.in_offset = 128,
                                .out_offset = -2,
                                .stride = pair(kernel_shapes + 9),
                                .padding = pair(kernel_shapes + 11),
                                .dilation = {1, 1},
                                .activation = range};
  for (int image = 0; image < kernel_shapes[13]; ++image)
    esp_nn_conv_s8(&input, kernel_input, &filter, kernel_other, kernel_bias, &output,
                   kernel_output, &params, &quant);
}

void kernel_depthwise_conv(void) {
  const data_dims_t input = dims(kernel_shapes), filter = dims(kernel_shapes + 3);
  const data_dims_t output = dims(kernel_shapes + 6);
  const quant_data_t quant = {.shift = kernel_shift, .mult = kernel_multiplier};
  const dw_conv_params_t params = {.in_offset = 128,
                                   .out_offset = -2,
                                   .ch_mult = kernel_shapes[13],
                                   .stride = pair(kernel_shapes + 9),
                                   .padding = pair(kernel_shapes + 11),
                                   .dilation = {1, 1},
                                   .activation = range};
  esp_nn_depthwise_conv_s8(&input, kernel_input, &filter, kernel_other, kernel_bias, &output,
                           kernel_output, &params, &quant);
}

/* Rows, depth, units. */
void kernel_fully_connected(void) {
  for (int row = 0; row < kernel_shapes[0]; ++row)
    esp_nn_fully_connected_s8(kernel_input, 128, kernel_shapes[1], kernel_other, 0, kernel_bias,
                              kernel_output, kernel_shapes[2], -2, kernel_shift[0],
                              kernel_multiplier[0], -128, 127);
}

void kernel_fully_connected_per_ch(void) {
  for (int row = 0; row < kernel_shapes[0]; ++row)
    esp_nn_fully_connected_per_ch_s8(kernel_input, 128, kernel_shapes[1], kernel_other, 0,
                                     kernel_bias, kernel_output, kernel_shapes[2], -2,
                                     kernel_shift, kernel_multiplier, -128, 127);
}

#define POOL(name)                                                                              \
  const int32_t *at = kernel_shapes;                                                            \
  name(kernel_input, at[1], at[0], kernel_output, at[7], at[6], at[10], at[9], at[4], at[3],    \
       at[12], at[11], -128, 127, at[2])

void kernel_avg_pool(void) { POOL(esp_nn_avg_pool_s8); }

void kernel_max_pool(void) { POOL(esp_nn_max_pool_s8); }

/* Values. */
void kernel_add_elementwise(void) {
  esp_nn_add_elementwise_s8(kernel_input, kernel_other, 3, 3, kernel_multiplier[0],
                            kernel_multiplier[1], -1, -1, 20, kernel_output, -5,
                            kernel_multiplier[2], -17, -128, 127, kernel_shapes[0]);
}

void kernel_mul_elementwise(void) {
  esp_nn_mul_elementwise_s8(kernel_input, kernel_other, 3, 3, kernel_output, -5,
                            kernel_multiplier[0], kernel_shift[0], -128, 127, kernel_shapes[0]);
}

/* Rows, depth. */
void kernel_softmax(void) {
  esp_nn_set_softmax_scratch_buf(kernel_scratch);
  esp_nn_softmax_s8(kernel_input, kernel_shapes[0], kernel_shapes[1], kernel_multiplier[0], 22,
                    -248, kernel_output);
}
