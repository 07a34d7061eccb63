/* Chooses kernels by CPU and by what they take. */
#include <string.h>

#include "proof.h"
#include "table.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* State that the operating system saves: XMM and YMM, or all of AVX512's as well. */
static int saves(uint32_t wanted) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & wanted) == wanted;
}

/* Bit i: instruction set i. Feature bits: Intel SDM volume 2A, CPUID leaves 1 and 7. */
static uint32_t cpu_isas(void) {
  uint32_t a, b, c, d;
  const uint32_t portable = 1u << AR_PORTABLE;
  const uint32_t osxsave = 1u << 27, fma = 1u << 12;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave) || !(c & fma)) return portable;
  if (!saves(0x6) || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return portable;
  const uint32_t avx2 = 1u << 5, f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31;
  const uint32_t avx512 = f | dq | bw | vl, vnni = 1u << 11, avx_vnni = 1u << 4;
  if (!(b & avx2)) return portable;
  uint32_t isas = portable | 1u << AR_AVX2;
  if ((b & avx512) == avx512 && (c & vnni) && saves(0xE6)) isas |= 1u << AR_AVX512VNNI;
  if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & avx_vnni)) isas |= 1u << AR_AVXVNNI;
  return isas;
}
#elif defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>

/* Bits of Linux' arch/arm64/include/uapi/asm/hwcap.h. */
static int has_dot_products(void) { return getauxval(AT_HWCAP) >> 20 & 1; }
static int has_byte_matrices(void) { return getauxval(AT_HWCAP2) >> 13 & 1; }
#elif defined(__APPLE__)
#include <sys/sysctl.h>

/* A feature by Apple's name for it; `unnamed` where the system has no such name. */
static int has_feature(const char *name, int unnamed) {
  int32_t value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, NULL, 0) != 0 ? unnamed : value != 0;
}

/* Every Mac with such a processor has dot products, before macOS 12 without a name; M2 was the first
 * with products of matrices. */
static int has_dot_products(void) { return has_feature("hw.optional.arm.FEAT_DotProd", 1); }
static int has_byte_matrices(void) { return has_feature("hw.optional.arm.FEAT_I8MM", 0); }
#else
static int has_dot_products(void) { return 0; }
static int has_byte_matrices(void) { return 0; }
#endif

static uint32_t cpu_isas(void) {
  const uint32_t isas = 1u << AR_PORTABLE | 1u << AR_NEON;
  if (!has_dot_products()) return isas;
  return isas | 1u << AR_NEONDOT | (has_byte_matrices() ? 1u << AR_NEONI8MM : 0);
}
#else
static uint32_t cpu_isas(void) { return 1u << AR_PORTABLE; }
#endif

bool ar_has_isa(ar_isa isa) { return cpu_isas() >> isa & 1; }

ar_isa ar_best_isa(void) {
  const uint32_t isas = cpu_isas();
  ar_isa best = (ar_isa)(AR_ISA_COUNT - 1);
  while (!(isas >> best & 1)) --best;
  return best;
}

/* AVX512-VNNI has all that AVX2 has, but not AVX-VNNI. */
static int contains(ar_isa isa, ar_isa other) {
  if (other == isa || other == AR_PORTABLE) return 1;
  return other < isa && other != AR_AVXVNNI && (isa >= AR_NEON) == (other >= AR_NEON);
}

/* Whether every tensor can be measured, and no output is a constant. */
static int are_sound(const ar_tensor *io, int32_t outputs, int32_t count) {
  if (outputs < 1 || count <= outputs) return 0;
  for (int32_t i = 0; i < count; ++i)
    if (!ar_is_sound(&io[i]) || (i < outputs && io[i].data)) return 0;
  return 1;
}

const ar_kernel *ar_find_kernel(const char *name, ar_isa isa, const void *params,
                                const ar_tensor *io, int32_t outputs, int32_t count,
                                ar_sizes *sizes, ar_isa *found) {
  if (!are_sound(io, outputs, count)) return 0;
  for (int other = (int)isa; other >= AR_PORTABLE; --other) {
    const ar_kernel *const *k = ar_kernel_table[other];
    if (!k || !contains(isa, (ar_isa)other)) continue;
    for (; *k; ++k) {
      if (strcmp((*k)->name, name) != 0) continue;
      *sizes = (ar_sizes){0};
      if ((*k)->measure(params, io, sizes) != AR_OK) continue;
      *found = (ar_isa)other;
      return *k;
    }
  }
  return 0;
}
