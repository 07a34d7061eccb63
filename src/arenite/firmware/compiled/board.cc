#include <cstdarg>
#include <cstddef>

// What TFLM expects of a platform, and what runs before C++ does.
extern "C" {
void board_print(const char* text);
extern void (*board_init_first[])(void);
extern void (*board_init_last[])(void);

__attribute__((used)) void board_begin(void) {
  for (auto one = board_init_first; one != board_init_last; ++one) (*one)();
}
int main(void) { return 0; }  // what crt1.o asks for; nobody calls it

#if $takes_list
void DebugLog(const char* format, va_list) { board_print(format); }
int DebugVsnprintf(char*, size_t, const char*, va_list) { return 0; }
#else
void DebugLog(const char* text) { board_print(text); }
#endif
}
