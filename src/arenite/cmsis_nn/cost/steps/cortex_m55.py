"""What one pass of a loop costs on a Cortex-M55: instructions, cycles.

Instructions were counted: TFLM with CMSIS-NN, built by Arm GCC 12.2 with ``-O2`` for
``cortex-m55``, ran some 500 random layers on an emulator that noted how often every instruction
ran. Each belongs to the loop that ran as often in all of them; whole numbers are these. Code
that depends on data or on alignment ran in between; least squares share it out, hence the
fractions. ``TFLM`` is what surrounds CMSIS-NN: the interpreter, and an operator's glue. How the
values of SOFTMAX split into two kinds was chosen by hand, see ``loops/layers.py``.

Cycles: one per instruction; vectors take two in their part of the pipeline (memory, products,
the rest), the next part may begin after one; a load's or product's result comes after two;
the end of a low-overhead loop is free, another taken branch one. This is what Arm documents
of the pipeline, put into a simulation; no Cortex-M55 was measured.
"""

from __future__ import annotations

STEPS: dict[str, dict[str, tuple[float, float]]] = {
    "arm_avgpool_s8": {
        "call": (130.4, 151.5),
        "position": (38.1, 37.4),
        "16 channels": (178.2, 312),
        "16 channels, row of taps": (17, 18.8),
        "16 channels, tap": (21, 20),
    },
    "arm_convolve_1_x_n_s8": {
        "line": (212.9, 263.2),
        "copy, 16 bytes": (3, 2),
        "fill, 16 bytes": (2, 1),
    },
    "arm_convolve_1x1_s8": {
        "call": (53.2, 66.1),
        "row": (32.3, 34.3),
    },
    "arm_convolve_1x1_s8_fast": {
        "call": (42, 53),
    },
    "arm_convolve_s8": {
        "call": (330, 398),
        "position": (51.4, 59.1),
        "row of taps": (18, 22.1),
        "tap": (15.8, 17.8),
        "padding": (15.9, 18.6),
        "copy, 16 bytes": (3, 2),
        "fill, 16 bytes": (2, 1),
    },
    "arm_convolve_s8, upscaled": {
        "call": (450, 427),
        "position": (54.1, 59.8),
        "fill, 16 bytes": (2, 1),
        "empty row of taps": (14.3, 13.2),
        "row of taps": (22.4, 32.3),
        "empty tap": (14.3, 16.5),
        "tap": (19.1, 21.7),
        "copy, 16 bytes": (3, 2),
    },
    "arm_depthwise_conv_s8_opt": {
        "block": (238.4, 261.6),
        "copy, 16 bytes": (3, 2),
        "fill, 16 bytes": (2, 1),
        "position": (45.3, 48.2),
        "row of taps": (17.9, 22.6),
        "tap": (14, 15.2),
        "padding": (12.5, 15.2),
        "last position": (16, 17),
        "last position, 4 channels": (49.3, 57.7),
        "last position, 4 channels, tap": (7, 6),
    },
    "arm_elementwise_add_s8": {
        "call": (66, 82),
        "4 values": (55, 63),
    },
    "arm_elementwise_mul_acc_s16": {
        "call": (34, 44),
        "4 values": (26, 35.9),
    },
    "arm_elementwise_mul_s16": {
        "call": (29, 39),
        "4 values": (23, 32.9),
    },
    "arm_elementwise_mul_s16_s8": {
        "call": (62.4, 81.4),
        "4 values": (23.4, 30.5),
    },
    "arm_elementwise_mul_s8": {
        "call": (40, 52),
        "4 values": (27, 36),
    },
    "arm_fully_connected_per_channel_s8": {
        "call": (18, 27),
        "row": (25, 27.1),
    },
    "arm_fully_connected_s8": {
        "call": (18, 27),
        "row": (25, 27),
    },
    "arm_lstm_unidirectional_s8": {
        "call": (49.7, 71),
        "step": (17.1, 20.6),
    },
    "arm_max_pool_s8": {
        "call": (77.8, 75.2),
        "position": (42, 40),
        "row of taps": (11, 14),
        "tap": (13.4, 13.2),
        "copy, 16 bytes": (3, 2),
        "next tap, 16 channels": (17.3, 17.3),
        "clamp 16 values": (17, 18),
    },
    "arm_maximum_s8": {
        "call": (34, 46),
        "row": (40.1, 40.8),
        "16 values": (17.1, 19.2),
    },
    "arm_minimum_s8": {
        "call": (34, 46),
        "row": (41, 41.4),
        "16 values": (17.3, 19.4),
    },
    "arm_nn_activation_s16": {
        "call": (28.8, 38.3),
        "value": (26, 28.7),
    },
    "arm_nn_depthwise_conv_nt_t_s8": {
        "call": (62.4, 76),
        "4 channels": (104.7, 133.8),
        "4 channels, tap": (16, 18),
    },
    "arm_nn_mat_mult_nt_t_s8": {
        "call": (54.3, 70),
        "4 rows": (49.6, 51.1),
        "4 rows, channel": (55.5, 63.4),
        "4 rows, channel, 16 columns": (11, 10),
        "row": (20.7, 24.4),
        "row, channel": (20.8, 23.6),
        "row, channel, 16 columns": (5, 4),
        "row, 4 channels": (24, 30),
        "row, last channels": (40.4, 43),
    },
    "arm_nn_softmax_common_s8": {
        "call": (23, 32),
        "row": (199, 218),
        "value": (27, 27),
        "value near the largest": (522, 566),
    },
    "arm_nn_transpose_conv_row_s8_s32": {
        "call": (188.4, 228.1),
        "4 pixels, channel": (45.1, 54.5),
        "4 pixels, tap": (57, 56),
        "4 pixels, tap, 16 values": (32.9, 34.8),
        "2 pixels, channel": (22, 25),
        "2 pixels, tap": (39.2, 41.8),
        "2 pixels, tap, 16 values": (19, 18),
        "1 pixels, channel": (31.2, 40.8),
        "1 pixels, tap": (28.8, 33.4),
        "1 pixels, tap, 16 values": (16, 16),
    },
    "arm_nn_vec_mat_mul_result_acc_s8_s16": {
        "product": (84, 97),
        "call": (41.2, 43.5),
        "4 units": (47.4, 56.4),
        "4 units, 16 columns": (30, 30),
        "last unit": (49.9, 52.6),
        "last unit, 16 columns": (13, 13),
    },
    "arm_nn_vec_mat_mult_t_per_ch_s8": {
        "call": (96.2, 109.9),
        "4 units": (65.4, 77.4),
        "4 units, 16 columns": (30, 30),
        "last unit": (54, 60),
        "last unit, 16 columns": (13, 13),
    },
    "arm_nn_vec_mat_mult_t_s8": {
        "call": (62.5, 77),
        "4 units": (55, 65.8),
        "4 units, 16 columns": (30, 30),
        "last unit": (51.2, 54.4),
        "last unit, 16 columns": (13, 13),
    },
    "arm_nn_vec_mat_mult_t_s8, weights with zero point": {
        "call": (60.5, 74.3),
        "4 units": (70.6, 82.4),
        "4 units, 16 columns": (34, 34),
        "last unit": (69.3, 74.9),
        "last unit, 16 columns": (14, 14),
    },
    "arm_nn_vec_mat_mult_t_svdf_s8": {
        "call": (125.6, 138.2),
        "4 units": (95, 113.7),
        "4 units, 16 columns": (39.4, 39.5),
        "last unit": (12.8, 17.6),
        "last unit, 16 columns": (12.3, 12.3),
    },
    "arm_pad_s8": {
        "call": (69, 87),
        "row": (48.8, 54.1),
        "copy, 16 bytes": (3, 2),
        "fill, 16 bytes": (2, 1),
    },
    "arm_svdf_s8": {
        "call": (121, 151),
        "copy, 16 bytes": (3, 2),
        "batch": (82.4, 85.9),
        "filter": (18, 19.4),
        "filter, state": (4, 4),
        "unit": (3.4, 4.3),
    },
    "arm_svdf_state_s16_s8": {
        "call": (163.9, 192.5),
        "copy, 16 bytes": (3, 2),
        "batch": (31, 35),
        "filter": (23.4, 24.8),
        "filter, state": (4, 4),
        "unit": (1.7, 2.3),
    },
    "arm_transpose_conv_s8": {
        "call": (347, 370),
        "row": (32.2, 47.9),
        "copy, 16 bytes": (3, 2),
        "bias": (6.1, 6.8),
        "fill, 16 bytes": (2, 1),
        "position": (28.6, 29.7),
        "4 values": (32.4, 39.6),
    },
    "arm_transpose_conv_wrapper_s8": {
        "call": (188.3, 209.8),
        "tap": (11.5, 12.5),
        "copy, 16 bytes": (3, 2),
    },
    "arm_transpose_s8": {
        "call": (149.3, 174.1),
        "line": (13.5, 15.8),
        "line, 8 values": (13, 13),
        "row": (13.8, 14.8),
        "value": (4, 4),
    },
    "depthwise_conv_s8_generic": {
        "call": (163, 111.3),
        "position": (42.3, 42),
        "input channel": (44.5, 45.4),
        "channel": (69, 74.2),
        "channel, row of taps": (29.2, 37.2),
        "channel, tap": (10.1, 12.3),
    },
    "depthwise_conv_s8_mult_4": {
        "call": (195.3, 208.3),
        "position": (45.7, 46.7),
        "input channel": (38.1, 41.1),
        "4 channels": (67, 75),
        "4 channels, row of taps": (20.1, 23.1),
        "4 channels, tap": (13, 14),
    },
    "DEQUANTIZE, int8 to float32": {
        "call": (201, 269),
        "value": (8, 12),
        "dimension": (0, 0),
    },
    "HARD_SWISH, int8": {
        "call": (110, 145),
        "value": (82.9, 88.4),
        "dimension": (0, 0),
    },
    "LEAKY_RELU, int8": {
        "call": (170.8, 230.5),
        "value": (51.1, 59.4),
        "dimension": (0, 0),
    },
    "LOGISTIC, int8": {
        "call": (321, 421),
        "value": (369, 421),
        "dimension": (0, 0),
    },
    "memcpy": {
        "unaligned": (23.9, 28.9),
        "64 bytes": (36.7, 53.4),
        "16 bytes": (14.1, 18.9),
        "aligned": (20.2, 26.3),
        "4 bytes": (4.1, 5.7),
        "under 4 bytes": (22.7, 29.4),
        "under 8 bytes": (28.1, 37.1),
    },
    "memset": {
        "under 4 bytes": (10.0, 21.0),
        "byte": (5.5, 5.5),
        "aligned": (27.6, 35.2),
        "16 bytes": (7.5, 8.3),
        "4 bytes": (3.3, 3.6),
        "unaligned": (34.9, 43.1),
    },
    "QUANTIZE, float32 to int8": {
        "call": (205, 278),
        "value": (14, 15),
        "dimension": (0, 0),
    },
    "QUANTIZE, float32 to int16": {
        "call": (205, 278),
        "value": (14, 15),
        "dimension": (0, 0),
    },
    "QUANTIZE, int16 to int8": {
        "call": (243.9, 337),
        "value": (43.4, 48.6),
        "dimension": (0, 0),
    },
    "QUANTIZE, int16 to int16": {
        "call": (243.9, 337),
        "value": (43.4, 48.6),
        "dimension": (0, 0),
    },
    "QUANTIZE, int16 to int32": {
        "call": (243.9, 337),
        "value": (43.4, 48.6),
        "dimension": (0, 0),
    },
    "QUANTIZE, int8 to int8": {
        "call": (184.5, 253.7),
        "value": (43.3, 48.5),
        "dimension": (0, 0),
    },
    "QUANTIZE, int8 to int16": {
        "call": (184.5, 253.7),
        "value": (43.3, 48.5),
        "dimension": (0, 0),
    },
    "RELU, int8": {
        "call": (202, 273.8),
        "value": (48.5, 53.8),
        "dimension": (0, 0),
    },
    "RELU6, int8": {
        "call": (194.4, 265.2),
        "value": (10.9, 10.9),
        "dimension": (0, 0),
    },
    "TANH, int8": {
        "call": (153, 208.9),
        "value": (391, 443),
        "dimension": (0, 0),
    },
    "tflite::EvalQuantizedInt8": {
        "unit": (16.5, 22.3),
    },
    "TFLM": {
        "operator": (35, 35),
        "CONV_2D": (319, 423),
        "DEPTHWISE_CONV_2D": (501, 662),
        "FULLY_CONNECTED": (325, 430),
        "AVERAGE_POOL_2D": (266, 350),
        "MAX_POOL_2D": (266, 350),
        "ADD": (644, 835),
        "MUL": (701, 906),
        "MAXIMUM": (498, 673),
        "MINIMUM": (498, 673),
        "SOFTMAX": (128, 185),
        "SVDF": (362, 484),
        "UNIDIRECTIONAL_SEQUENCE_LSTM": (1854, 2422),
        "TRANSPOSE_CONV": (475, 624),
        "RESHAPE": (139, 189),
        "PAD": (277, 383),
        "TRANSPOSE": (599, 811),
    },
}
