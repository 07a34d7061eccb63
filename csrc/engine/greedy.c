/* TFLM's greedy planner for many buffers; src/arenite/memory/greedy.py is the definition.
 *
 * Time is cut into cells. A buffer that is alive in a cell covers it wholly, or begins or ends
 * inside. The latter are in a row of that cell. Of the others it is enough to know where memory is
 * free: during a cell for those that cover it, and during all cells of a node of a tree over them.
 * Buffers come by descending size, so gaps that are too small for the next thousands are none, and
 * few are left. They are found anew every so often; what got its place since then is in one row.
 * A place is where all gaps and rows that concern a lifetime agree. */
#include <string.h>

#include "engine.h"

enum { MOST_CELLS = 512, PER_CELL = 64, GAPS = 128, LEAST_EPOCH = 128, EPOCHS = 24, STRIDE = 32 };
enum { MOST_LISTS = 20, MOST_ROWS = 3 }; /* two for each level of the tree, and two */

/* A buffer with a place. `stop` is rounded up to the alignment. */
typedef struct {
  int64_t start, stop;
  int32_t begin, end;
} placed;

/* Such buffers in the order of their places. */
typedef struct {
  placed *data;
  int32_t count;
} row;

typedef struct {
  int64_t start, stop;
} stretch;

/* Where memory is free, in lists: the gaps, and all that is above the top. Of a list of more than
 * GAPS the rest is not known. */
typedef struct {
  int64_t *top;
  int64_t *known; /* where the first gap begins that is not in the list */
  int32_t *count; /* of gaps, or GAPS + 1 */
  stretch *gaps;  /* GAPS for each list */
} room;

typedef struct {
  int64_t alignment;
  int32_t cells, leaves, epoch;
  int32_t *cell;  /* of a moment */
  int32_t *first; /* moment of a cell */
  row *inside;    /* by cell: who begins or ends inside */
  placed *rows;   /* what they consist of */
  row all, fresh; /* whose places `room` knows, and does not know yet */
  placed *spare;  /* as large as `all` */
  int64_t *tops;  /* the highest stop up to every STRIDEth of all */
  room room;      /* by node of the tree; behind them the cells, for those who cover one wholly */
} planner;

static int32_t most_cells(int32_t count) {
  int32_t cells = 1;
  while (cells < MOST_CELLS && cells < count / PER_CELL) cells *= 2;
  return cells;
}

static int64_t aligned(const planner *p, int64_t offset) {
  return (offset + p->alignment - 1) / p->alignment * p->alignment;
}

/* Takes so many bytes of the memory, or counts them where there is none. */
static void *take(uint8_t *memory, int64_t *used, int64_t bytes) {
  void *taken = memory ? memory + *used : NULL;
  *used += (bytes + 7) / 8 * 8;
  return taken;
}

/* Divides the memory. Returns how much of it is taken. */
static int64_t lay_out(planner *p, int32_t count, uint8_t *memory) {
  const int64_t cells = most_cells(count), lists = 3 * cells, n = count;
  int64_t used = 0;
  p->epoch = LEAST_EPOCH + count / EPOCHS;
  p->room.top = take(memory, &used, lists * (int64_t)sizeof(int64_t));
  p->room.known = take(memory, &used, lists * (int64_t)sizeof(int64_t));
  p->room.count = take(memory, &used, lists * (int64_t)sizeof(int32_t));
  p->room.gaps = take(memory, &used, lists * GAPS * (int64_t)sizeof(stretch));
  p->cell = take(memory, &used, 2 * n * (int64_t)sizeof(int32_t));
  p->first = take(memory, &used, (cells + 1) * (int64_t)sizeof(int32_t));
  p->inside = take(memory, &used, cells * (int64_t)sizeof(row));
  p->rows = take(memory, &used, 2 * n * (int64_t)sizeof(placed));
  p->all.data = take(memory, &used, n * (int64_t)sizeof(placed));
  p->spare = take(memory, &used, n * (int64_t)sizeof(placed));
  p->tops = take(memory, &used, (n / STRIDE + 1) * (int64_t)sizeof(int64_t));
  p->fresh.data = take(memory, &used, p->epoch * (int64_t)sizeof(placed));
  return used;
}

int64_t ar_greedy_bytes(int32_t count) {
  planner p;
  return lay_out(&p, count, NULL);
}

/* Cuts time so that no more than a cell's share of buffers begin or end inside of one: at a moment
 * at which one too many would. So there are no more than most_cells(). */
static void cut_time(planner *p, const ar_buffer *buffers, int32_t count, int32_t moments) {
  const int64_t share = 2 * (int64_t)count / most_cells(count) + 1;
  int32_t *changes = p->cell; /* read before the cell is written */
  int64_t inside = 0;
  memset(changes, 0, (size_t)moments * sizeof *changes);
  for (int32_t i = 0; i < count; ++i) ++changes[buffers[i].begin], ++changes[buffers[i].end];
  for (int32_t moment = 0; moment < moments; ++moment) {
    inside += changes[moment];
    if (moment == 0 || inside > share) {
      p->first[p->cells++] = moment;
      inside = 0;
    }
    p->cell[moment] = p->cells - 1;
  }
  p->first[p->cells] = moments;
  while (p->leaves < p->cells) p->leaves *= 2;
}

/* The cells in which a buffer begins or ends inside, -1 for none. */
static void cells_inside(const planner *p, int32_t begin, int32_t end, int32_t found[2]) {
  const int32_t first = p->cell[begin], last = p->cell[end - 1];
  found[0] = p->first[first] < begin ? first : -1;
  found[1] = end < p->first[last + 1] && last != found[0] ? last : -1;
}

static void make_rows(planner *p, const ar_buffer *buffers, int32_t count) {
  int32_t found[2];
  memset(p->inside, 0, (size_t)p->cells * sizeof *p->inside);
  for (int32_t i = 0; i < count; ++i) {
    cells_inside(p, buffers[i].begin, buffers[i].end, found);
    for (int k = 0; k < 2; ++k)
      if (found[k] >= 0) ++p->inside[found[k]].count;
  }
  placed *rows = p->rows;
  for (int32_t cell = 0; cell < p->cells; ++cell) {
    p->inside[cell].data = rows;
    rows += p->inside[cell].count;
    p->inside[cell].count = 0;
  }
}

static void insert(row *r, placed x) {
  int32_t low = 0, high = r->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (r->data[middle].start <= x.start) low = middle + 1;
    else high = middle;
  }
  memmove(r->data + low + 1, r->data + low, (size_t)(r->count - low) * sizeof x);
  r->data[low] = x;
  ++r->count;
}

/* A buffer takes a place in some lists: from there to its start memory may be free. */
static void note_gaps(room *m, int32_t from, int32_t to, const placed *x, int64_t least) {
  for (int32_t list = from; list <= to; ++list) {
    const int64_t top = m->top[list];
    if (x->start - top >= least && m->count[list] <= GAPS) {
      const int32_t count = m->count[list]++;
      if (count < GAPS) m->gaps[(int64_t)list * GAPS + count] = (stretch){top, x->start};
      else m->known[list] = top;
    }
    m->top[list] = x->stop > top ? x->stop : top;
  }
}

/* Finds the gaps of at least so many bytes among all that have a place. */
static void find_room(planner *p, int64_t least) {
  const size_t lists = (size_t)p->leaves * 3;
  memset(p->room.top, 0, lists * sizeof *p->room.top);
  memset(p->room.count, 0, lists * sizeof *p->room.count);
  for (int32_t i = 0; i < p->all.count; ++i) {
    const placed *x = &p->all.data[i];
    int32_t first = p->cell[x->begin], last = p->cell[x->end - 1];
    for (int32_t from = p->leaves + first, to = p->leaves + last; from; from /= 2, to /= 2)
      note_gaps(&p->room, from, to, x, least);
    first += p->first[first] < x->begin;
    last -= x->end < p->first[last + 1];
    note_gaps(&p->room, 2 * p->leaves + first, 2 * p->leaves + last, x, least);
  }
}

/* Adds the fresh ones to all. */
static void merge(planner *p) {
  const placed *a = p->all.data, *b = p->fresh.data;
  const placed *a_end = a + p->all.count, *b_end = b + p->fresh.count;
  placed *to = p->spare;
  while (a < a_end && b < b_end) *to++ = a->start <= b->start ? *a++ : *b++;
  while (a < a_end) *to++ = *a++;
  while (b < b_end) *to++ = *b++;
  p->spare = p->all.data;
  p->all.data = to - (p->all.count + p->fresh.count);
  p->all.count += p->fresh.count;
  p->fresh.count = 0;
  int64_t top = 0;
  for (int32_t i = 0; i < p->all.count; ++i) {
    if (p->all.data[i].stop > top) top = p->all.data[i].stop;
    p->tops[i / STRIDE] = top;
  }
}

/* Where a search stands in a list of gaps, and in a row. */
typedef struct {
  const stretch *gap, *end;
  int64_t top; /* the gap that begins here has no end */
  int is_whole;
} gaps;

typedef struct {
  const placed *next, *end;
} passing;

typedef struct {
  const ar_buffer *buffer;
  int32_t lists, rows;
  gaps gaps[MOST_LISTS];
  passing passing[MOST_ROWS];
} search;

static void add_list(search *s, const room *m, int32_t list) {
  const stretch *gap = m->gaps + (int64_t)list * GAPS;
  const int is_whole = m->count[list] <= GAPS;
  s->gaps[s->lists++] = (gaps){gap, gap + (is_whole ? m->count[list] : GAPS),
                               is_whole ? m->top[list] : m->known[list], is_whole};
}

static void add_row(search *s, const row *r) {
  if (r->count) s->passing[s->rows++] = (passing){r->data, r->data + r->count};
}

static search searching(const planner *p, const ar_buffer *b) {
  search s;
  const int32_t first = p->cell[b->begin], last = p->cell[b->end - 1];
  s.buffer = b, s.lists = s.rows = 0;
  int32_t from = p->leaves + first + 1, to = p->leaves + last; /* nodes [from, to) */
  for (; from < to; from /= 2, to /= 2) {
    if (from & 1) add_list(&s, &p->room, from++);
    if (to & 1) add_list(&s, &p->room, --to);
  }
  add_list(&s, &p->room, 2 * p->leaves + first);
  add_row(&s, &p->inside[first]);
  if (last != first) {
    add_list(&s, &p->room, 2 * p->leaves + last);
    add_row(&s, &p->inside[last]);
  }
  add_row(&s, &p->fresh);
  return s;
}

/* The first place from `at` on that a list has room for. */
static int64_t next_room(gaps *g, int64_t at, int64_t size) {
  for (; g->gap < g->end; ++g->gap) {
    const int64_t start = g->gap->start > at ? g->gap->start : at;
    if (g->gap->stop - start >= size) return start;
  }
  return g->top > at ? g->top : at;
}

/* The same for a row, as far as those are concerned who are alive with the buffer. */
static int64_t pass(passing *r, const ar_buffer *b, int64_t at) {
  const placed *x = r->next;
  for (; x < r->end && x->start - at < b->size; ++x) {
    const int64_t stop = (x->begin < b->end && x->end > b->begin) ? x->stop : 0;
    at = stop > at ? stop : at;
  }
  r->next = x;
  return at;
}

/* The same for all. What ends below is left out in strides. */
static int64_t pass_all(const planner *p, int32_t *next, const ar_buffer *b, int64_t at) {
  int32_t stride = *next / STRIDE;
  while ((stride + 1) * STRIDE < p->all.count && p->tops[stride] <= at) ++stride;
  const placed *from = p->all.data + (stride * STRIDE > *next ? stride * STRIDE : *next);
  passing r = {from, p->all.data + p->all.count};
  at = pass(&r, b, at);
  *next = (int32_t)(r.next - p->all.data);
  return at;
}

static int64_t lowest_gap(const planner *p, const ar_buffer *b) {
  search s = searching(p, b);
  int32_t next = 0;
  for (int64_t at = 0;;) {
    const int64_t before = at;
    int is_known = 1;
    for (int32_t i = 0; i < s.lists; ++i) {
      gaps *g = &s.gaps[i];
      at = next_room(g, at, b->size);
      is_known &= g->gap < g->end || g->is_whole;
    }
    for (int32_t i = 0; i < s.rows; ++i) at = pass(&s.passing[i], b, at);
    if (!is_known && at == before) at = pass_all(p, &next, b, at);
    if (at == before) return at;
  }
}

static void place(planner *p, const ar_buffer *b) {
  const placed x = {b->offset, aligned(p, b->offset + b->size), b->begin, b->end};
  int32_t found[2];
  cells_inside(p, b->begin, b->end, found);
  for (int k = 0; k < 2; ++k)
    if (found[k] >= 0) insert(&p->inside[found[k]], x);
  insert(&p->fresh, x);
}

void ar_greedy(ar_buffer *buffers, const int32_t *order, int32_t count, int32_t moments,
               int64_t alignment, void *memory) {
  planner p = {.alignment = alignment, .leaves = 1};
  lay_out(&p, count, memory);
  cut_time(&p, buffers, count, moments);
  make_rows(&p, buffers, count);
  find_room(&p, 1);
  for (int32_t i = 0; i < count; ++i) {
    ar_buffer *b = &buffers[order[i]];
    if (p.fresh.count == p.epoch) {
      const int32_t last = i + p.epoch < count ? i + p.epoch : count - 1;
      const int64_t least = buffers[order[last]].size;
      merge(&p);
      find_room(&p, least > 0 ? least : 1);
    }
    if (b->offset < 0) b->offset = b->size ? lowest_gap(&p, b) : 0;
    if (b->size) place(&p, b);
  }
}
