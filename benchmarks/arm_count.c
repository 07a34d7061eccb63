/* A plugin for QEMU's user mode: how many instructions the guest has executed, whenever it asks for
 * its parent's number (getppid, which nothing else here does): a line each in the file out=FILE, and
 * with profile=1 a line for each block of instructions behind it: address, instructions.
 *
 * Facts: QEMU's docs/devel/tcg-plugins.rst and include/qemu/qemu-plugin.h. Only what is used is
 * declared here, which is the same in all versions of the interface; VERSION is what QEMU asks for. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
enum { NO_REGISTERS = 0, GETPPID = 173 /* of aarch64 */ };

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id,
                                                  void (*)(plugin_id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *,
                                                 void (*)(unsigned cpu, void *data), int flags,
                                                 void *data);
extern void qemu_plugin_register_vcpu_syscall_cb(plugin_id,
                                                 void (*)(plugin_id, unsigned, int64_t, uint64_t,
                                                          uint64_t, uint64_t, uint64_t, uint64_t,
                                                          uint64_t, uint64_t, uint64_t));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);

__attribute__((visibility("default"))) int qemu_plugin_version = VERSION;

typedef struct block {
  uint64_t address, size, executed; /* instructions */
  struct block *next;
} block;

static block *blocks;
static FILE *out;
static int profile;

static void run(unsigned cpu, void *data) {
  (void)cpu;
  block *b = data;
  b->executed += b->size;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb) {
  (void)id;
  block *b = calloc(1, sizeof *b);
  if (!b) abort();
  b->address = qemu_plugin_tb_vaddr(tb);
  b->size = qemu_plugin_tb_n_insns(tb);
  b->next = blocks;
  blocks = b;
  qemu_plugin_register_vcpu_tb_exec_cb(tb, run, NO_REGISTERS, b);
}

static void called(plugin_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                   uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)cpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  if (number != GETPPID) return;
  uint64_t all = 0;
  for (const block *b = blocks; b; b = b->next) all += b->executed;
  fprintf(out, "%" PRIu64 "\n", all);
  for (const block *b = blocks; profile && b; b = b->next)
    if (b->executed) fprintf(out, " %" PRIx64 " %" PRIu64 "\n", b->address, b->executed);
  fflush(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info,
                                                               int count, char **arguments) {
  (void)info;
  for (int i = 0; i < count; ++i) {
    if (!strncmp(arguments[i], "out=", 4)) out = fopen(arguments[i] + 4, "w");
    if (!strcmp(arguments[i], "profile=1")) profile = 1;
  }
  if (!out) return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_vcpu_syscall_cb(id, called);
  return 0;
}
