/* Whether buffers fit into a height.
 *
 * Buffers are placed from below upwards: each at the least offset that those with a place leave to
 * it, offsets never falling. Every plan can be pushed down into one that is found so. A place is
 * given up when a section cannot hold what is still to come above its floor, when a buffer or two
 * of them have no place left, and, where nothing is alive above it (no hat), so is the choice
 * itself. Where no buffer without a place spans a cut between sections, the two sides are searched
 * on their own.
 *
 * The ideas are those of minimalloc (Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
 * Hardware-Accelerated Machine Learning", ASPLOS 2023); distances of less than a buffer's size and
 * the look at pairs are not in it. There is no recursion: frames lie in the caller's room, and the
 * search can be left and taken up at any step. */
#include "packing.h"

#include <stdbool.h>
#include <string.h>

enum { NONE = -1, ENTRY = 2 };
static const int64_t FREE = -1;

/* One choice: which buffer is placed next among `members`, ranked. Numbers are places in the room. */
typedef struct {
  int64_t members, count;
  int64_t candidates, candidate_count, next; /* pairs of an offset and a rank */
  int64_t changes, change_count;             /* pairs of what was changed and its value before */
  int64_t parts, part_count, part;           /* triples: first section, members, count */
  int64_t least, least_rank;                 /* offsets and ranks from there on */
  int64_t first, behind;                     /* sections */
  int64_t placed;                            /* the buffer that was chosen, or NONE */
  int64_t has_hat;
} frame;

enum { FRAME = sizeof(frame) / sizeof(int64_t) };

/* What the room begins with. */
typedef struct {
  int64_t depth, used, outcome;
} head;

enum { HEAD = sizeof(head) / sizeof(int64_t), ENTERING = 0, FAILED = 1, SOLVED = 2 };

typedef struct {
  const ar_packing *p;
  head *h;
  int64_t *at;     /* by buffer: its offset, or FREE */
  int64_t *least;  /* by buffer: the least offset that it may have */
  int64_t *floor;  /* by section: no buffer without a place may be lower */
  int64_t *total;  /* by section: what those without a place take */
  int64_t *across; /* by section: how many without a place are alive there and in the next one */
  frame *frames;
  int64_t *room;
} search;

static int64_t fixed_room(int32_t count, int32_t sections) {
  return HEAD + 2 * (int64_t)count + 3 * ((int64_t)sections + 1) + FRAME * ((int64_t)count + 2);
}

int64_t ar_packing_room(int32_t count, int32_t sections) {
  return fixed_room(count, sections) + 16 * ((int64_t)count + 1);
}

static search open(const ar_packing *p) {
  search s = {.p = p, .h = (head *)p->room, .room = p->room};
  s.at = p->room + HEAD;
  s.least = s.at + p->count;
  s.floor = s.least + p->count;
  s.total = s.floor + p->sections + 1;
  s.across = s.total + p->sections + 1;
  s.frames = (frame *)(s.across + p->sections + 1);
  return s;
}

/* So many numbers of the room, or NONE. */
static int64_t take(search *s, int64_t numbers) {
  if (s->p->room_count - s->h->used < numbers) return NONE;
  const int64_t from = s->h->used;
  s->h->used += numbers;
  return from;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* -- ranks */

typedef struct {
  double key[3];
  int64_t block;
} rank;

enum { RANK = sizeof(rank) / sizeof(int64_t) };

static bool comes_before(const rank *a, const rank *b) {
  for (int k = 0; k < 3; ++k)
    if (a->key[k] != b->key[k]) return a->key[k] > b->key[k];
  return a->block < b->block;
}

static void sort_ranks(rank *r, int64_t count) {
  static const int32_t steps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
    for (int64_t i = steps[k]; i < count; ++i) {
      const rank moving = r[i];
      int64_t to = i;
      for (; to >= steps[k] && comes_before(&moving, &r[to - steps[k]]); to -= steps[k])
        r[to] = r[to - steps[k]];
      r[to] = moving;
    }
  }
}

/* Orders buffers for a search of its own. False if there is no room for that. */
static bool rank_members(search *s, int64_t *members, int64_t count) {
  static const int words[3][3] = {{0, 1, 2}, {2, 1, 0}, {2, 0, 1}}; /* of W, A, T */
  const int64_t used = s->h->used, from = take(s, RANK * count);
  if (from == NONE) return false;
  rank *ranks = (rank *)(s->room + from);
  for (int64_t i = 0; i < count; ++i) {
    const ar_block *b = &s->p->blocks[members[i]];
    int64_t fullest = 0;
    for (int64_t k = b->first; k < b->behind; ++k) fullest = larger(fullest, s->total[k]);
    const double word[3] = {(double)b->lifetime, (double)b->lifetime * (double)b->size,
                            (double)fullest};
    for (int k = 0; k < 3; ++k) ranks[i].key[k] = word[words[s->p->order][k]];
    ranks[i].block = members[i];
  }
  sort_ranks(ranks, count);
  for (int64_t i = 0; i < count; ++i) members[i] = ranks[i].block;
  s->h->used = used;
  return true;
}

/* -- placing a buffer, and taking it back */

/* Notes a number's value before it is changed. There is room for all that one placing changes. */
static void note(search *s, frame *f, int64_t *value) {
  int64_t *entry = s->room + f->changes + ENTRY * f->change_count++;
  entry[0] = value - s->room;
  entry[1] = *value;
}

/* Raises the least offsets of a placed buffer's neighbours. False if one has no place left. */
static bool push_neighbours(search *s, frame *f, int64_t x, int64_t *first, int64_t *behind) {
  const ar_packing *p = s->p;
  bool fits = true;
  for (int64_t e = p->blocks[x].others; e < p->blocks[x + 1].others; ++e) {
    const int64_t y = p->neighbours[e].block, above = s->at[x] + p->neighbours[e].above;
    if (s->at[y] != FREE) continue;
    f->has_hat = 1;
    if (s->least[y] >= above) continue;
    note(s, f, &s->least[y]);
    s->least[y] = above;
    fits = fits && above + p->blocks[y].size <= p->height;
    if (p->blocks[y].first < *first) *first = p->blocks[y].first;
    if (p->blocks[y].behind > *behind) *behind = p->blocks[y].behind;
  }
  return fits;
}

/* Takes a placed buffer out of its sections' totals and raises their floors. */
static void leave_sections(search *s, frame *f, int64_t x) {
  const ar_block *b = &s->p->blocks[x];
  for (int64_t k = b->first; k < b->behind; ++k) {
    s->total[k] -= b->least;
    if (s->floor[k] >= s->at[x] + b->least) continue;
    note(s, f, &s->floor[k]);
    s->floor[k] = s->at[x] + b->least;
  }
}

/* Raises floors to the least offset of any buffer of a section. */
static void raise_floors(search *s, frame *f, int64_t first, int64_t behind) {
  const ar_packing *p = s->p;
  for (int64_t k = first; k < behind; ++k) {
    int64_t lowest = INT64_MAX;
    for (int64_t i = p->alive_from[k]; i < p->alive_from[k + 1]; ++i) {
      const int64_t y = p->alive[i];
      if (s->at[y] == FREE && s->least[y] < lowest) lowest = s->least[y];
      if (lowest <= s->floor[k]) break;
    }
    if (lowest == INT64_MAX || lowest <= s->floor[k]) continue;
    note(s, f, &s->floor[k]);
    s->floor[k] = lowest;
  }
}

static bool sections_hold(const search *s, const frame *f, int64_t at) {
  for (int64_t k = f->first; k < f->behind; ++k)
    if (s->total[k] && larger(s->floor[k], at) + s->total[k] > s->p->height) return false;
  return true;
}

/* Whether one of two buffers can still lie below the other, for all pairs of which one was pushed. */
static bool pairs_fit(const search *s, const frame *f) {
  const ar_packing *p = s->p;
  const int64_t least = s->least - s->room;
  for (int64_t c = 0; c < f->change_count; ++c) {
    const int64_t y = s->room[f->changes + ENTRY * c] - least;
    if (y < 0 || y >= p->count) continue; /* a floor */
    for (int64_t e = p->blocks[y].others; e < p->blocks[y + 1].others; ++e) {
      const ar_neighbour *n = &p->neighbours[e];
      if (s->at[n->block] != FREE) continue;
      const bool is_above = s->least[y] + n->above + p->blocks[n->block].size <= p->height;
      const bool is_below = s->least[n->block] + n->below + p->blocks[y].size <= p->height;
      if (!is_above && !is_below) return false;
    }
  }
  return true;
}

/* Gives buffer x a place. False if what is left has none then; unplace() takes it back. */
static bool place(search *s, frame *f, int64_t x, int64_t at) {
  const ar_block *b = &s->p->blocks[x];
  int64_t first = f->behind, behind = f->first;
  s->at[x] = at;
  f->placed = x;
  f->has_hat = 0;
  f->change_count = 0;
  const bool fits = push_neighbours(s, f, x, &first, &behind);
  leave_sections(s, f, x);
  for (int64_t k = b->first; k + 1 < b->behind; ++k) --s->across[k];
  if (!fits || at + b->size > s->p->height) return false;
  raise_floors(s, f, first, behind);
  return sections_hold(s, f, at) && pairs_fit(s, f);
}

static void unplace(search *s, frame *f) {
  const ar_block *b = &s->p->blocks[f->placed];
  for (int64_t c = f->change_count; c-- > 0;) {
    const int64_t *entry = s->room + f->changes + ENTRY * c;
    s->room[entry[0]] = entry[1];
  }
  for (int64_t k = b->first; k < b->behind; ++k) s->total[k] += b->least;
  for (int64_t k = b->first; k + 1 < b->behind; ++k) ++s->across[k];
  s->at[f->placed] = FREE;
  f->placed = NONE;
}

/* -- frames */

static void push(search *s, int64_t members, int64_t count, int64_t first, int64_t behind) {
  frame *f = &s->frames[s->h->depth++];
  memset(f, 0, sizeof *f);
  f->members = members;
  f->count = count;
  f->first = first;
  f->behind = behind;
  f->placed = NONE;
  s->h->outcome = ENTERING;
}

/* Collects what may be placed next, by offset and rank. */
static ar_packing_state enter(search *s, frame *f) {
  const int64_t *members = s->room + f->members;
  int64_t lowest_end = INT64_MAX, unplaced = 0;
  for (int64_t i = 0; i < f->count; ++i) {
    if (s->at[members[i]] != FREE) continue;
    ++unplaced;
    const int64_t end = s->least[members[i]] + s->p->blocks[members[i]].size;
    lowest_end = end < lowest_end ? end : lowest_end;
  }
  s->h->outcome = unplaced ? FAILED : SOLVED;
  f->candidates = take(s, ENTRY * unplaced);
  if (f->candidates == NONE) return AR_NO_ROOM;
  int64_t *c = s->room + f->candidates, found = 0;
  for (int64_t i = 0; i < f->count; ++i) {
    const int64_t x = members[i], at = s->least[x];
    const bool is_before = at < f->least || (at == f->least && i < f->least_rank);
    if (s->at[x] != FREE || at >= lowest_end || is_before) continue;
    int64_t to = found++;
    for (; to && c[ENTRY * (to - 1)] > at; --to) memcpy(c + ENTRY * to, c + ENTRY * (to - 1), 16);
    c[ENTRY * to] = at;
    c[ENTRY * to + 1] = i;
  }
  f->candidate_count = found;
  s->h->used = f->candidates + ENTRY * found;
  return AR_SEARCHING;
}

/* The stretches between cuts that nothing without a place spans any more, searched one by one. */
static ar_packing_state split(search *s, frame *f, const ar_block *b) {
  const int64_t most = b->behind - b->first + 1;
  f->parts = take(s, 4 * most);
  if (f->parts == NONE) return AR_NO_ROOM;
  f->part_count = f->part = 0;
  for (int64_t first = f->first, k = b->first; k < b->behind; ++k) {
    const bool is_last = k + 1 == b->behind;
    if (!is_last && s->across[k]) continue;
    const int64_t behind = is_last ? f->behind : k + 1, from = take(s, f->count);
    if (from == NONE) return AR_NO_ROOM;
    int64_t count = 0;
    for (int64_t i = 0; i < f->count; ++i) {
      const int64_t y = s->room[f->members + i];
      if (s->at[y] != FREE || s->p->blocks[y].first < first || s->p->blocks[y].first >= behind)
        continue;
      s->room[from + count++] = y;
    }
    s->h->used = from + count;
    const int64_t part[4] = {from, count, first, behind};
    if (count) memcpy(s->room + f->parts + 4 * f->part_count++, part, sizeof part);
    first = behind;
  }
  return AR_SEARCHING;
}

/* Enters the next part, or says that all are solved. */
static ar_packing_state next_part(search *s, frame *f) {
  if (f->part == f->part_count) {
    s->h->outcome = SOLVED;
    return AR_SEARCHING;
  }
  const int64_t *part = s->room + f->parts + 4 * f->part++;
  if (!rank_members(s, s->room + part[0], part[1])) return AR_NO_ROOM;
  push(s, part[0], part[1], part[2], part[3]);
  return AR_SEARCHING;
}

/* Searches on with the buffer that was just placed. */
static ar_packing_state descend(search *s, frame *f, int64_t at, int64_t chosen) {
  const ar_block *b = &s->p->blocks[f->placed];
  bool is_cut = false;
  for (int64_t k = b->first; k + 1 < b->behind; ++k) is_cut = is_cut || !s->across[k];
  f->part_count = f->part = 0;
  s->p->blocks[f->placed].offset = at;
  if (is_cut) {
    const ar_packing_state state = split(s, f, b);
    return state == AR_SEARCHING ? next_part(s, f) : state;
  }
  push(s, f->members, f->count, f->first, f->behind);
  f[1].least = at;
  f[1].least_rank = s->p->has_ties ? 0 : chosen;
  return AR_SEARCHING;
}

/* Tries the next candidate of the top frame, or gives it up. */
static ar_packing_state try_next(search *s, frame *f) {
  if (f->placed != NONE) { /* it led nowhere */
    unplace(s, f);
    if (!f->has_hat) f->next = f->candidate_count;
  }
  s->h->used = f->candidates + ENTRY * f->candidate_count;
  if (f->next == f->candidate_count) {
    s->h->used = f->candidates;
    --s->h->depth;
    s->h->outcome = FAILED;
    return AR_SEARCHING;
  }
  const int64_t *candidate = s->room + f->candidates + ENTRY * f->next++;
  const int64_t at = candidate[0], chosen = candidate[1], x = s->room[f->members + chosen];
  const ar_block *b = &s->p->blocks[x];
  const int64_t neighbours = b[1].others - b->others;
  f->changes = take(s, ENTRY * (neighbours + b->behind - b->first + f->behind - f->first));
  if (f->changes == NONE) return AR_NO_ROOM;
  const bool fits = place(s, f, x, at);
  s->h->used = f->changes + ENTRY * f->change_count;
  s->h->outcome = FAILED;
  return fits ? descend(s, f, at, chosen) : AR_SEARCHING;
}

/* -- the search */

void ar_packing_start(const ar_packing *p) {
  search s = open(p);
  memset(p->room, 0, (size_t)fixed_room(p->count, p->sections) * sizeof *p->room);
  s.h->used = fixed_room(p->count, p->sections);
  for (int64_t x = 0; x < p->count; ++x) {
    const ar_block *b = &p->blocks[x];
    s.at[x] = FREE;
    for (int64_t k = b->first; k < b->behind; ++k) s.total[k] += b->least;
    for (int64_t k = b->first; k + 1 < b->behind; ++k) ++s.across[k];
  }
  const int64_t members = take(&s, p->count);
  for (int64_t x = 0; x < p->count; ++x) s.room[members + x] = x;
  push(&s, members, p->count, 0, p->sections);
}

ar_packing_state ar_packing_run(const ar_packing *p, int64_t steps, int64_t *taken) {
  search s = open(p);
  head *h = s.h;
  ar_packing_state state = AR_SEARCHING;
  if (h->depth == 1 && h->outcome == ENTERING &&
      !rank_members(&s, s.room + s.frames->members, p->count))
    return AR_NO_ROOM;
  for (*taken = 0; state == AR_SEARCHING;) {
    if (!h->depth) return h->outcome == SOLVED ? AR_FITS : AR_FITS_NOT;
    frame *f = &s.frames[h->depth - 1];
    if (h->outcome == ENTERING) {
      if (*taken == steps) break;
      ++*taken;
      state = enter(&s, f);
      if (state == AR_SEARCHING && h->outcome == SOLVED) --h->depth;
    } else if (h->outcome == FAILED) {
      state = try_next(&s, f);
    } else { /* what comes after its choice is solved: the next part, or all of it */
      state = next_part(&s, f);
      if (state != AR_SEARCHING || h->outcome != SOLVED) continue;
      unplace(&s, f);
      --h->depth;
    }
  }
  return state;
}
