/* Threads that share the steps of an inference. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, sigset_t */
#include "thread_pool.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "share.h"
#include "threads.h"

enum {
  LOOK_NS = 100 * 1000,    /* how long a thread looks for work before it sleeps */
  PATIENCE_NS = 20 * 1000, /* how long the caller's keeps its processor, for others' parts */
  PAUSES = 32              /* between looks at the clock */
};

/* A thread; number 0 is the caller's. Neighbouring parts are its own at first, the same share of
 * every step: what it wrote in one step it finds in its caches in the next.
 *
 * The ticket says which of them is next: a number for every step, the end, the next part. Whoever
 * takes a part by adding 1 may read the step, which stays as it is until all parts are done. */
typedef struct {
  _Alignas(64) _Atomic uint64_t ticket;
  ar_team *team;
  int32_t number; /* whose workspace it takes */
  ar_thread thread;
} member;

struct ar_team {
  _Alignas(64) _Atomic int32_t done;
  _Atomic int32_t status;
  _Alignas(64) const ar_step *step;
  const ar_tensor *io;
  uint8_t *workspace;
  int64_t workspace_bytes;
  _Alignas(64) _Atomic int32_t asleep;
  _Atomic int32_t ends;
  ar_lock lock; /* around calls, and sleep */
  ar_condition called;
  uint32_t calls;
  int32_t threads, started; /* with the caller's, and without */
  uint32_t steps;
  int32_t has_begun;
  int64_t process;
  member members[];
};

static uint64_t ticket_of(uint32_t step, uint32_t end, uint32_t next) {
  return (uint64_t)step << 32 | end << 16 | next;
}
static uint32_t end_of(uint64_t ticket) { return ticket >> 16 & 0xFFFF; }
static uint32_t next_of(uint64_t ticket) { return ticket & 0xFFFF; }
static int has_work(uint64_t ticket) { return next_of(ticket) < end_of(ticket); }

int64_t ar_team_bytes(int32_t threads) {
  const int64_t bytes = (int64_t)sizeof(ar_team) + threads * (int64_t)sizeof(member);
  return (bytes + 63) / 64 * 64;
}

/* What a process begins with, and a fork of it. */
static void make_anew(ar_team *team) {
  atomic_store(&team->asleep, 0);
  ar_lock_make(&team->lock);
  ar_condition_make(&team->called);
  team->started = team->has_begun = 0;
  team->process = ar_process();
}

void ar_team_make(ar_team *team, int32_t threads, int64_t workspace) {
  memset(team, 0, (size_t)ar_team_bytes(threads));
  team->threads = threads;
  team->workspace_bytes = workspace;
  make_anew(team);
}

/* Takes parts of thread `owner` until there are none, for thread `number`. */
static void take_parts_of(ar_team *team, int32_t owner, int32_t number) {
  _Atomic uint64_t *place = &team->members[owner].ticket;
  uint64_t ticket = atomic_load_explicit(place, memory_order_relaxed);
  while (has_work(ticket)) {
    if (!atomic_compare_exchange_weak_explicit(place, &ticket, ticket + 1, memory_order_acquire,
                                               memory_order_relaxed))
      continue;
    const ar_step *step = team->step;
    const ar_share share = {(int32_t)next_of(ticket), step->parts};
    const ar_status status = step->part(step->params, step->plan, team->io,
                                        team->workspace + number * team->workspace_bytes, share);
    if (status != AR_OK) atomic_store_explicit(&team->status, status, memory_order_relaxed);
    atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
    ticket = atomic_load_explicit(place, memory_order_relaxed);
  }
}

/* A thread's own parts, then what the others have not begun. */
static void take_parts(ar_team *team, int32_t number) {
  for (int32_t i = 0; i < team->threads; ++i)
    take_parts_of(team, (number + i) % team->threads, number);
}

static int is_wanted(ar_team *team) {
  for (int32_t i = 0; i < team->threads; ++i)
    if (has_work(atomic_load(&team->members[i].ticket))) return 1;
  return atomic_load(&team->ends);
}

/* Whether there was something to do before the time was over. */
static int look_for_work(ar_team *team) {
  const int64_t until = ar_now_ns() + LOOK_NS;
  do {
    for (int i = 0; i < PAUSES; ++i) {
      if (is_wanted(team)) return 1;
      ar_pause();
    }
  } while (ar_now_ns() < until);
  return 0;
}

static void sleep_until_called(ar_team *team) {
  ar_lock_take(&team->lock);
  atomic_fetch_add(&team->asleep, 1);
  const uint32_t calls = team->calls;
  while (team->calls == calls && !is_wanted(team)) ar_condition_wait(&team->called, &team->lock);
  atomic_fetch_sub(&team->asleep, 1);
  ar_lock_give(&team->lock);
}

AR_THREAD_FUNCTION(work, argument) {
  const member *self = argument;
  ar_team *team = self->team;
  while (!atomic_load(&team->ends)) {
    take_parts(team, self->number);
    if (!look_for_work(team)) sleep_until_called(team);
  }
  return AR_THREAD_END;
}

static void wake(ar_team *team) {
  if (!atomic_load(&team->asleep)) return;
  ar_lock_take(&team->lock);
  ++team->calls;
  ar_condition_wake_all(&team->called);
  ar_lock_give(&team->lock);
}

/* As many threads as the system has. */
static void begin(ar_team *team) {
  team->has_begun = 1;
  for (int32_t i = 1; i < team->threads; ++i) {
    member *one = &team->members[i];
    one->team = team;
    one->number = i;
    if (!ar_thread_begin(&one->thread, work, one)) return;
    team->started = i;
  }
}

void ar_team_call(ar_team *team) {
  if (atomic_load(&team->ends)) return;
  if (team->process != ar_process()) make_anew(team);
  if (!team->has_begun) begin(team);
  wake(team);
}

ar_status ar_team_run(ar_team *team, const ar_step *step, const ar_tensor *io, uint8_t *workspace) {
  team->step = step;
  team->io = io;
  team->workspace = workspace;
  atomic_store_explicit(&team->done, 0, memory_order_relaxed);
  atomic_store_explicit(&team->status, AR_OK, memory_order_relaxed);
  ++team->steps;
  for (int32_t i = team->threads - 1; i >= 0; --i) {
    const ar_range_of_units own = ar_units_of((ar_share){i, team->threads}, step->parts);
    atomic_store(&team->members[i].ticket,
                 ticket_of(team->steps, (uint32_t)own.end, (uint32_t)own.first));
  }
  wake(team);
  take_parts(team, 0);
  int64_t since = 0;
  for (int32_t i = 1; atomic_load_explicit(&team->done, memory_order_acquire) < step->parts; ++i) {
    ar_pause();
    if (i % PAUSES) continue;
    const int64_t now = ar_now_ns();
    if (!since) since = now;
    if (now - since > PATIENCE_NS) ar_thread_yield();
  }
  return (ar_status)atomic_load_explicit(&team->status, memory_order_relaxed);
}

int32_t ar_team_size(ar_team *team) {
  return team->process == ar_process() ? 1 + team->started : 1;
}

void ar_team_end(ar_team *team) {
  atomic_store(&team->ends, 1);
  if (team->process != ar_process()) return;
  ar_lock_take(&team->lock);
  ar_condition_wake_all(&team->called);
  ar_lock_give(&team->lock);
  for (int32_t i = 1; i <= team->started; ++i) ar_thread_join(team->members[i].thread);
  team->started = 0;
}
