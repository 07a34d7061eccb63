@ Kernels for a $processor: $instructions.
#if !($defined)
#error "these kernels take $instructions: pass -mcpu=$processor (zig cc: $zig), or export with --target host"
#endif
.syntax unified
.cpu $processor
.thumb
#ifdef $NAME$_CODE_SECTION
.section $NAME$_CODE_SECTION,"ax",%progbits
#else
.text
#endif
