/* TFLM's greedy planner for many buffers; src/arenite/memory/greedy.py is the definition.
 *
 * A buffer that is alive with few others has those found by their lifetimes. For one that is alive
 * with many, all that have a place are walked in the order of their places, in blocks: most blocks
 * are passed by what is known of them as a whole. */
#include <string.h>

#include "engine.h"

enum { BLOCK = 128, FEW = 64, SHARE = 64 };

/* Buffers with a place, in the order of their places. `stop` is rounded up to the alignment. */
typedef struct {
  int64_t start[BLOCK], stop[BLOCK];
  int32_t begin[BLOCK], end[BLOCK];
  int64_t top;                      /* the highest stop */
  int64_t gap;                      /* the largest between neighbours, all of them alive */
  int32_t first_begin, last_begin;
  int32_t first_end, last_end;
  int32_t count, next;              /* the next block, or -1 */
} block;

typedef struct {
  int64_t start, stop;
} stretch;

typedef struct {
  const ar_buffer *buffers;
  const int32_t *by_begin;
  int64_t alignment;
  int32_t count, leaves, blocks;
  int32_t *last;     /* a heap over by_begin: the last end of those that have a place */
  stretch *together; /* of buffers that are alive with one */
  block *block;      /* block[0] is the lowest */
} planner;

static int32_t leaves_for(int32_t count) {
  int32_t leaves = 1;
  while (leaves < count) leaves *= 2;
  return leaves;
}

static int64_t room_for_together(int32_t count) { return FEW + count / SHARE + 1; }

int64_t ar_greedy_bytes(int32_t count) {
  return (int64_t)sizeof(block) * (count / (BLOCK / 2) + 2) +
         (int64_t)sizeof(stretch) * room_for_together(count) +
         (int64_t)sizeof(int32_t) * 2 * leaves_for(count);
}

static int64_t aligned(const planner *p, int64_t offset) {
  return (offset + p->alignment - 1) / p->alignment * p->alignment;
}

/* Sorts stretches by their start. */
static void sort(stretch *s, int32_t count) {
  static const int32_t steps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
    const int32_t step = steps[k];
    for (int32_t i = step; i < count; ++i) {
      const stretch moving = s[i];
      int32_t to = i;
      for (; to >= step && s[to - step].start > moving.start; to -= step) s[to] = s[to - step];
      s[to] = moving;
    }
  }
}

/* Collects those with a place that begin before `b` ends and end after it begins. */
static int32_t find_together(const planner *p, const ar_buffer *b) {
  int32_t found = 0, node = 1;
  int32_t width = p->leaves, first = 0; /* what the node stands for */
  for (;;) {
    const int inside = first < b->before && p->last[node] > b->begin;
    if (inside && width > 1) {
      node *= 2, width /= 2;
      continue;
    }
    if (inside) {
      const ar_buffer *other = &p->buffers[p->by_begin[first]];
      p->together[found++] = (stretch){other->offset, aligned(p, other->offset + other->size)};
    }
    while (node & 1) { /* a right child, or the root: up */
      if (node == 1) return found;
      node /= 2, first -= width, width *= 2;
    }
    ++node, first += width;
  }
}

static int64_t gap_among_few(const planner *p, const ar_buffer *b) {
  const int32_t found = find_together(p, b);
  sort(p->together, found);
  int64_t gap = 0;
  for (int32_t i = 0; i < found; ++i) {
    const stretch *s = &p->together[i];
    if (s->start - gap >= b->size) break;
    gap = s->stop > gap ? s->stop : gap;
  }
  return gap;
}

/* Looks for a gap from *gap on among the buffers of a block. Returns whether there is one. */
static int gap_in_block(const block *k, const ar_buffer *b, int64_t *gap) {
  int64_t at = *gap;
  for (int32_t i = 0; i < k->count; ++i) {
    const int alive = (k->begin[i] < b->end) & (k->end[i] > b->begin);
    if (alive & (k->start[i] - at >= b->size)) {
      *gap = at;
      return 1;
    }
    const int64_t stop = alive ? k->stop[i] : 0;
    at = stop > at ? stop : at;
  }
  *gap = at;
  return 0;
}

static int64_t gap_among_many(const planner *p, const ar_buffer *b) {
  int64_t gap = 0;
  for (int32_t at = 0; at >= 0; at = p->block[at].next) {
    const block *k = &p->block[at];
    if (k->top <= gap || k->first_begin >= b->end || k->last_end <= b->begin) continue;
    const int all_alive = k->last_begin < b->end && k->first_end > b->begin;
    if (all_alive && k->gap < b->size && k->start[0] - gap < b->size) {
      gap = k->top;
      continue;
    }
    if (gap_in_block(k, b, &gap)) break;
  }
  return gap;
}

static void summarize(block *k) {
  k->top = k->gap = 0;
  k->first_begin = k->first_end = INT32_MAX;
  k->last_begin = k->last_end = INT32_MIN;
  for (int32_t i = 0; i < k->count; ++i) {
    if (i && k->start[i] - k->top > k->gap) k->gap = k->start[i] - k->top;
    if (k->stop[i] > k->top) k->top = k->stop[i];
    if (k->begin[i] < k->first_begin) k->first_begin = k->begin[i];
    if (k->begin[i] > k->last_begin) k->last_begin = k->begin[i];
    if (k->end[i] < k->first_end) k->first_end = k->end[i];
    if (k->end[i] > k->last_end) k->last_end = k->end[i];
  }
}

/* Moves the entries from `from` on to the entries of another block from `to` on. */
static void move(block *into, int32_t to, const block *k, int32_t from, int32_t count) {
  memmove(into->start + to, k->start + from, (size_t)count * sizeof *k->start);
  memmove(into->stop + to, k->stop + from, (size_t)count * sizeof *k->stop);
  memmove(into->begin + to, k->begin + from, (size_t)count * sizeof *k->begin);
  memmove(into->end + to, k->end + from, (size_t)count * sizeof *k->end);
}

/* Makes a block of the second half of a full one, or an empty one behind the last. */
static void split(planner *p, block *k, int is_behind) {
  const int32_t kept = is_behind ? BLOCK : BLOCK / 2;
  block *fresh = &p->block[p->blocks];
  fresh->count = BLOCK - kept;
  fresh->next = k->next;
  move(fresh, 0, k, kept, fresh->count);
  k->count = kept;
  k->next = p->blocks++;
  summarize(k);
  summarize(fresh);
}

static void insert(planner *p, const ar_buffer *b) {
  block *k = p->block;
  while (k->next >= 0 && p->block[k->next].start[0] <= b->offset)
    k = &p->block[k->next];
  if (k->count == BLOCK) {
    const int is_behind = k->next < 0 && k->start[BLOCK - 1] <= b->offset;
    split(p, k, is_behind);
    block *second = &p->block[k->next];
    if (is_behind || second->start[0] <= b->offset) k = second;
  }
  int32_t at = k->count;
  while (at && k->start[at - 1] > b->offset) --at;
  move(k, at + 1, k, at, k->count - at);
  k->start[at] = b->offset;
  k->stop[at] = aligned(p, b->offset + b->size);
  k->begin[at] = b->begin;
  k->end[at] = b->end;
  ++k->count;
  summarize(k);
}

static void note_lifetime(planner *p, const ar_buffer *b) {
  for (int32_t node = p->leaves + b->rank; node && p->last[node] < b->end; node /= 2)
    p->last[node] = b->end;
}

void ar_greedy(ar_buffer *buffers, const int32_t *order, const int32_t *by_begin, int32_t count,
               int64_t alignment, void *memory) {
  planner p = {buffers, by_begin, alignment, count, leaves_for(count), 1, 0, 0, memory};
  p.together = (stretch *)(p.block + count / (BLOCK / 2) + 2);
  p.last = (int32_t *)(p.together + room_for_together(count));
  for (int32_t node = 0; node < 2 * p.leaves; ++node) p.last[node] = INT32_MIN;
  p.block[0].count = 0;
  p.block[0].next = -1;
  summarize(&p.block[0]);
  for (int32_t i = 0; i < count; ++i) {
    ar_buffer *b = &buffers[order[i]];
    if (b->offset < 0) {
      const int are_few = b->together <= FEW + count / SHARE;
      b->offset = !b->size ? 0 : are_few ? gap_among_few(&p, b) : gap_among_many(&p, b);
    }
    if (!b->size) continue;
    insert(&p, b);
    note_lifetime(&p, b);
  }
}
