@ Kernels for a $processor: Thumb-2 with the DSP extension.
#if !defined(__ARM_FEATURE_DSP) || !defined(__thumb2__)
#error "these kernels take the DSP extension: pass -mcpu=$processor (zig cc: $zig), or export with --target host"
#endif
.syntax unified
.cpu $processor
.thumb
#ifdef $NAME$_CODE_SECTION
.section $NAME$_CODE_SECTION,"ax",%progbits
#else
.text
#endif
