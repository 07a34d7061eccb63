/* Counts what a process takes from the heap, or maps: preloaded by test_allocations.py. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <sys/types.h>
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

long allocations;

static void *counted(void *block) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return block;
}

void *malloc(size_t n) { return counted(__libc_malloc(n)); }
void *calloc(size_t n, size_t size) { return counted(__libc_calloc(n, size)); }
void *realloc(void *p, size_t n) { return counted(__libc_realloc(p, n)); }
void *memalign(size_t alignment, size_t n) { return counted(__libc_memalign(alignment, n)); }
void *aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
int posix_memalign(void **p, size_t alignment, size_t n) {
  *p = memalign(alignment, n);
  return *p ? 0 : ENOMEM;
}
void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t offset) {
  return counted((void *)syscall(SYS_mmap, p, n, prot, flags, fd, offset));
}
