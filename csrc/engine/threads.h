/* The threads of the system, as far as engine/thread_pool.c needs them: POSIX's or Windows' own. */
#pragma once

#include <stdint.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

typedef HANDLE ar_thread;
typedef SRWLOCK ar_lock;
typedef CONDITION_VARIABLE ar_condition;
#define AR_THREAD_FUNCTION(NAME, ARGUMENT) static DWORD WINAPI NAME(void *ARGUMENT)
#define AR_THREAD_END 0

static inline void ar_lock_make(ar_lock *lock) { InitializeSRWLock(lock); }
static inline void ar_lock_take(ar_lock *lock) { AcquireSRWLockExclusive(lock); }
static inline void ar_lock_give(ar_lock *lock) { ReleaseSRWLockExclusive(lock); }
static inline void ar_condition_make(ar_condition *c) { InitializeConditionVariable(c); }
static inline void ar_condition_wait(ar_condition *c, ar_lock *lock) {
  SleepConditionVariableSRW(c, lock, INFINITE, 0);
}
static inline void ar_condition_wake_all(ar_condition *c) { WakeAllConditionVariable(c); }

/* 0 where the system has no thread. */
static inline int ar_thread_begin(ar_thread *thread, DWORD(WINAPI *run)(void *), void *argument) {
  *thread = CreateThread(0, 0, run, argument, 0, 0);
  return *thread != 0;
}
static inline void ar_thread_join(ar_thread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}
static inline void ar_thread_yield(void) { SwitchToThread(); }

/* Differs in a fork of this process, which has none of its threads. */
static inline int64_t ar_process(void) { return 0; }

#else
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

typedef pthread_t ar_thread;
typedef pthread_mutex_t ar_lock;
typedef pthread_cond_t ar_condition;
#define AR_THREAD_FUNCTION(NAME, ARGUMENT) static void *NAME(void *ARGUMENT)
#define AR_THREAD_END 0

static inline void ar_lock_make(ar_lock *lock) { pthread_mutex_init(lock, 0); }
static inline void ar_lock_take(ar_lock *lock) { pthread_mutex_lock(lock); }
static inline void ar_lock_give(ar_lock *lock) { pthread_mutex_unlock(lock); }
static inline void ar_condition_make(ar_condition *c) { pthread_cond_init(c, 0); }
static inline void ar_condition_wait(ar_condition *c, ar_lock *lock) { pthread_cond_wait(c, lock); }
static inline void ar_condition_wake_all(ar_condition *c) { pthread_cond_broadcast(c); }

/* What is on the stacks of kernels fits many times; musl gives less than that by itself. */
enum { AR_STACK_BYTES = 1 << 20 };

/* Signals are for the threads that the process had before: Python hears them. */
static inline int ar_thread_begin(ar_thread *thread, void *(*run)(void *), void *argument) {
  sigset_t all, before;
  pthread_attr_t how;
  if (pthread_attr_init(&how)) return 0;
  pthread_attr_setstacksize(&how, AR_STACK_BYTES);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(thread, &how, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&how);
  return !failed;
}
static inline void ar_thread_join(ar_thread thread) { pthread_join(thread, 0); }
static inline void ar_thread_yield(void) { sched_yield(); }
static inline int64_t ar_process(void) { return getpid(); }
#endif

/* For loops that wait: says so to the processor. */
static inline void ar_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}
