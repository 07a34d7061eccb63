/* Lets the n-th allocation fail, once: preloaded by test_allocation_failures.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* How many allocations are left until one fails; 0 and less for never. */
long until_failure;
/* Bytes of the smallest blocks that count. */
long least;

static int fails(size_t n) {
  if ((long)n < least || __atomic_load_n(&until_failure, __ATOMIC_RELAXED) <= 0 ||
      __atomic_sub_fetch(&until_failure, 1, __ATOMIC_RELAXED) != 0)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n) { return fails(n) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails(n * size) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails(n) ? NULL : __libc_realloc(p, n); }
void *memalign(size_t alignment, size_t n) {
  return fails(n) ? NULL : __libc_memalign(alignment, n);
}
void *aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
int posix_memalign(void **p, size_t alignment, size_t n) {
  *p = memalign(alignment, n);
  return *p ? 0 : ENOMEM;
}
void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t offset) {
  return fails(n) ? MAP_FAILED : (void *)syscall(SYS_mmap, p, n, prot, flags, fd, offset);
}
