// What CPUID says in a library whose CPUID instructions were replaced by UD2, see held.py.
//
// The kernel hands every UD2 at a known place to the handler here, which asks the processor, takes
// away all that came after AVX2 and FMA, and goes on behind the instruction. Bits: Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 2, CPUID.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

enum { MOST = 256 };

static uintptr_t places[MOST];
static volatile long asked;

// Leaf 7: AVX-512 F, DQ, IFMA, PF, ER, CD, BW, VL.
static const uint32_t LEAF_7_EBX =
    1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31;
// VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ.
static const uint32_t LEAF_7_ECX =
    1u << 1 | 1u << 6 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 14;
// 4VNNIW, 4FMAPS, VP2INTERSECT, AMX-BF16, FP16, AMX-TILE, AMX-INT8.
static const uint32_t LEAF_7_EDX =
    1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25;

static void without_later(uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
  if (leaf != 7) return;
  if (subleaf == 0) {
    r[1] &= ~LEAF_7_EBX;
    r[2] &= ~LEAF_7_ECX;
    r[3] &= ~LEAF_7_EDX;
  } else {
    // AVX-VNNI, AVX512-BF16, AVX-IFMA, AVX-VNNI-INT8, AVX10 and what else came.
    r[0] = r[1] = r[2] = r[3] = 0;
  }
}

static void on_ud2(int signal_number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
  for (int i = 0; i < MOST && places[i]; ++i) {
    if (places[i] != (uintptr_t)g[REG_RIP]) continue;
    uint32_t r[4], leaf = (uint32_t)g[REG_RAX], subleaf = (uint32_t)g[REG_RCX];
    __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
    without_later(leaf, subleaf, r);
    g[REG_RAX] = r[0], g[REG_RBX] = r[1], g[REG_RCX] = r[2], g[REG_RDX] = r[3];
    g[REG_RIP] += 2;
    ++asked;
    return;
  }
  signal(signal_number, SIG_DFL);
}

// Answer for these places from now on; 0 where that worked.
int hold(const uintptr_t *at, int count) {
  if (count >= MOST) return -1;
  for (int i = 0; i < count; ++i) places[i] = at[i];
  struct sigaction action = {.sa_sigaction = on_ud2, .sa_flags = SA_SIGINFO};
  return sigaction(SIGILL, &action, 0);
}

long times_asked(void) { return asked; }
