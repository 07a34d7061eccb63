#include <stddef.h>
#include <stdint.h>

void board_print(const char *text);
void board_print(const char *text) { __asm__ volatile("" ::"r"(text) : "memory"); }

void board_observe(void *user, int layer, const char *name, const void *result, size_t bytes);
void board_observe(void *user, int layer, const char *name, const void *result, size_t bytes) {
  __asm__ volatile("" ::"r"(user), "r"(layer), "r"(name), "r"(result), "r"(bytes) : "memory");
}

void board_rows(void *user, int32_t row, void *to);
void board_rows(void *user, int32_t row, void *to) {
  __asm__ volatile("" ::"r"(user), "r"(row), "r"(to) : "memory");
}

void *memcpy(void *to, const void *from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) ((volatile uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  return to;
}
void *memset(void *to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) ((volatile uint8_t *)to)[i] = (uint8_t)value;
  return to;
}
void __aeabi_memcpy(void *to, const void *from, size_t bytes);
void __aeabi_memcpy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
void __aeabi_memclr(void *to, size_t bytes);
void __aeabi_memclr(void *to, size_t bytes) { memset(to, 0, bytes); }
void __aeabi_memset(void *to, size_t bytes, int value);
void __aeabi_memset(void *to, size_t bytes, int value) { memset(to, value, bytes); }
void __aeabi_memcpy4(void *, const void *, size_t) __attribute__((alias("__aeabi_memcpy")));
void __aeabi_memclr4(void *, size_t) __attribute__((alias("__aeabi_memclr")));
void __aeabi_memclr8(void *, size_t) __attribute__((alias("__aeabi_memclr")));
void __aeabi_memset4(void *, size_t, int) __attribute__((alias("__aeabi_memset")));
