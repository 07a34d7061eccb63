/* Comes before everything else in a user's files and TFLM's: what would end the process says what and where
 * instead. With NDEBUG, as a release build has it, checks are off. */
#ifndef ARENITE_FORCED_H
#define ARENITE_FORCED_H

#ifdef __cplusplus
#include <cassert>  // which trees use and leave to others to include
#include <cstdlib>
#define AK_NORETURN [[noreturn]]
extern "C" {
#else
#include <stdlib.h>
#define AK_NORETURN _Noreturn
#endif
AK_NORETURN void ak_failed(const char *what, const char *file, int line);
AK_NORETURN void ak_abort_at(const char *file, int line);
AK_NORETURN void ak_exit_at(int code, const char *file, int line);
#ifdef __cplusplus
}
namespace std {  // for those who write std::abort()
using ::ak_abort_at;
using ::ak_exit_at;
}  // namespace std
#endif

#define abort() ak_abort_at(__FILE__, __LINE__)
#define exit(code) ak_exit_at(code, __FILE__, __LINE__)

#ifndef NDEBUG
#define AK_SHOULD(condition) ((condition) ? (void)0 : ak_failed(#condition, __FILE__, __LINE__))
#define TFLITE_DCHECK(x) AK_SHOULD(x)
#define TFLITE_DCHECK_EQ(x, y) AK_SHOULD((x) == (y))
#define TFLITE_DCHECK_NE(x, y) AK_SHOULD((x) != (y))
#define TFLITE_DCHECK_GE(x, y) AK_SHOULD((x) >= (y))
#define TFLITE_DCHECK_GT(x, y) AK_SHOULD((x) > (y))
#define TFLITE_DCHECK_LE(x, y) AK_SHOULD((x) <= (y))
#define TFLITE_DCHECK_LT(x, y) AK_SHOULD((x) < (y))
#endif
#endif
