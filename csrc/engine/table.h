/* Which kernels the build has, by instruction set: those written for it first, then the
 * portable ones as compiled for it. A new kernel is one line here or in portable/table.c. */
#ifndef ARENITE_TABLE_H
#define ARENITE_TABLE_H

#include "arenite.h"

extern const ar_kernel *const ar_portable_kernels_portable[];

#ifdef ARENITE_HAVE_AVX2
extern const ar_kernel *const ar_portable_kernels_avx2[];
extern const ar_kernel ar_add_avx2;
extern const ar_kernel ar_conv_2d_avx2;
extern const ar_kernel ar_grouped_conv_2d_avx2;
extern const ar_kernel ar_winograd_conv_2d_avx2;
extern const ar_kernel ar_depthwise_conv_2d_avx2;
extern const ar_kernel ar_depthwise_float_avx2;
extern const ar_kernel ar_fully_connected_avx2;
extern const ar_kernel ar_grouped_fully_connected_avx2;
extern const ar_kernel ar_mnn_conv_int8_avx2;
static const ar_kernel *const ar_kernels_avx2[] = {
    &ar_add_avx2,
    &ar_winograd_conv_2d_avx2,
    &ar_grouped_conv_2d_avx2,
    &ar_conv_2d_avx2,
    &ar_depthwise_conv_2d_avx2,
    &ar_depthwise_float_avx2,
    &ar_grouped_fully_connected_avx2,
    &ar_fully_connected_avx2,
    &ar_mnn_conv_int8_avx2,
    0,
};
extern const ar_kernel ar_conv_2d_avxvnni;
extern const ar_kernel ar_winograd_conv_2d_avxvnni;
extern const ar_kernel ar_depthwise_conv_2d_avxvnni;
extern const ar_kernel ar_fully_connected_avxvnni;
extern const ar_kernel ar_mnn_conv_int8_avxvnni;
static const ar_kernel *const ar_kernels_avxvnni[] = {
    &ar_winograd_conv_2d_avxvnni,
    &ar_conv_2d_avxvnni,
    &ar_depthwise_conv_2d_avxvnni,
    &ar_fully_connected_avxvnni,
    &ar_mnn_conv_int8_avxvnni,
    0,
};
#endif

#ifdef ARENITE_HAVE_AVX512VNNI
extern const ar_kernel ar_add_avx512vnni;
extern const ar_kernel ar_conv_2d_avx512vnni;
extern const ar_kernel ar_depthwise_conv_2d_avx512vnni;
extern const ar_kernel ar_depthwise_float_avx512;
extern const ar_kernel ar_fully_connected_avx512vnni;
extern const ar_kernel ar_mnn_conv_int8_avx512vnni;
extern const ar_kernel *const ar_portable_kernels_avx512vnni[];
static const ar_kernel *const ar_kernels_avx512vnni[] = {
    &ar_add_avx512vnni,
    &ar_conv_2d_avx512vnni,
    &ar_depthwise_conv_2d_avx512vnni,
    &ar_depthwise_float_avx512,
    &ar_fully_connected_avx512vnni,
    &ar_mnn_conv_int8_avx512vnni,
    0,
};
#endif

/* In the order in which ar_find_kernel tries them. */
typedef struct {
  ar_isa isa;
  const ar_kernel *const *kernels;
} ar_kernel_list;

static const ar_kernel_list ar_kernel_lists[] = {
#ifdef ARENITE_HAVE_AVX512VNNI
    {AR_AVX512VNNI, ar_kernels_avx512vnni},
    {AR_AVX512VNNI, ar_portable_kernels_avx512vnni},
#endif
#ifdef ARENITE_HAVE_AVX2
    {AR_AVXVNNI, ar_kernels_avxvnni},
    {AR_AVX2, ar_kernels_avx2},
    {AR_AVX2, ar_portable_kernels_avx2},
#endif
    {AR_PORTABLE, ar_portable_kernels_portable},
};

#endif
