/* The verifier of src/arenite/formats/flatbuffer/reader.py once more, for files that are sound: the
 * same checks on the same budget, and of errors nothing but that there is one.
 *
 * Places, sizes and costs are int64_t, in which no sum or product of what a file holds overflows:
 * offsets and counts are below 2^32, elements have at most 8 bytes. What is read is checked, and
 * then used, not read once more: whoever writes to the file meanwhile gets another model. */
#include <stddef.h>

#include "flatbuffer.h"

enum { NO_FIELDS = -1, NO_ROW = -1, MAX_PROBES = 16 };

typedef struct {
  const ar_fb_schema *schema;
  ar_fb_scan *scan;
} reader;

/* A table: where it is, its bytes, and its vtable. */
typedef struct {
  int64_t place, size, vtable, vtable_size;
} header;

static uint64_t unsigned_at(const ar_fb_scan *scan, int64_t place, int32_t bytes) {
  uint64_t value = 0;
  for (int32_t i = 0; i < bytes; ++i) value |= (uint64_t)scan->data[place + i] << (8 * i);
  return value;
}

static int64_t signed_at(const ar_fb_scan *scan, int64_t place, int32_t bytes) {
  const int32_t above = 64 - 8 * bytes;
  return (int64_t)(unsigned_at(scan, place, bytes) << above) >> above;
}

static int64_t u16_at(const ar_fb_scan *scan, int64_t place) {
  return (int64_t)unsigned_at(scan, place, 2);
}

static int64_t u32_at(const ar_fb_scan *scan, int64_t place) {
  return (int64_t)unsigned_at(scan, place, 4);
}

static int pay(ar_fb_scan *scan, int64_t cost) {
  scan->budget -= cost;
  return scan->budget >= 0;
}

/* -- the rows ------------------------------------------------------------------------------- */

/* Where so many rows begin. */
static int64_t reserve(ar_fb_scan *scan, int64_t count, int32_t width) {
  const int64_t start = scan->used;
  scan->used += count * width;
  return start;
}

/* The same number, if there is room for a row of this width. */
static int64_t row_at(const ar_fb_scan *scan, int64_t start, int32_t width) {
  return start + width <= scan->room_count ? start : NO_ROW;
}

static void put(ar_fb_scan *scan, int64_t row, int32_t column, int64_t value) {
  if (row != NO_ROW) scan->room[row + column] = value;
}

/* -- tables --------------------------------------------------------------------------------- */

/* Pays for a vtable where tables of a kind have it for the first time. Of very many, whose places
 * may be chosen so that they meet, it is not found out. */
static int pay_vtable(ar_fb_scan *scan, const header *h, int32_t table) {
  const uint32_t mask = (uint32_t)scan->known_count - 1;
  const uint32_t hash = ((uint32_t)h->vtable * 31 + (uint32_t)table) * UINT32_C(2654435761);
  for (uint32_t probe = 0; probe < MAX_PROBES; ++probe) {
    ar_fb_known *known = &scan->known[((hash >> 16) + probe) & mask];
    if (known->vtable == h->vtable + 1 && known->table == table) return 1;
    if (known->vtable) continue;
    *known = (ar_fb_known){h->vtable + 1, table};
    return pay(scan, h->vtable_size);
  }
  return 0;
}

static int open_table(ar_fb_scan *scan, int64_t place, int32_t table, header *h) {
  if (place > scan->size - 4) return 0;
  h->place = place;
  h->vtable = place - signed_at(scan, place, 4);
  if (h->vtable < 0 || h->vtable > scan->size - 4) return 0;
  h->vtable_size = u16_at(scan, h->vtable);
  h->size = u16_at(scan, h->vtable + 2);
  if (h->vtable_size < 4 || h->vtable_size % 2 || h->vtable + h->vtable_size > scan->size) return 0;
  if (h->size < 4 || place + h->size > scan->size) return 0;
  if (-h->size < place - h->vtable && place - h->vtable < h->vtable_size)
    return 0; /* it lies over its vtable */
  return pay_vtable(scan, h, table);
}

/* Finds a field of `item` bytes: its place, or 0 where the table lacks it. */
static int slot(const ar_fb_scan *scan, const header *h, int32_t id, int32_t item, int64_t *place) {
  const int64_t entry = 4 + 2 * (int64_t)id;
  const int64_t offset = entry < h->vtable_size ? u16_at(scan, h->vtable + entry) : 0;
  *place = offset ? h->place + offset : 0;
  return !offset || (offset >= 4 && offset + item <= h->size);
}

/* Where the offset at a place points to. */
static int follow(const ar_fb_scan *scan, int64_t place, int64_t *target) {
  *target = place + u32_at(scan, place);
  return *target > place && *target <= scan->size - 4;
}

/* Start and length of the vector to which the offset at a place points, paid for. */
static int extent(ar_fb_scan *scan, int64_t place, int32_t item, int32_t behind, int64_t *start,
                  int64_t *count) {
  if (!follow(scan, place, start)) return 0;
  *count = u32_at(scan, *start);
  *start += 4;
  return *start + *count * item + behind <= scan->size && pay(scan, 4 + *count * item);
}

static int read_text(ar_fb_scan *scan, int64_t place, int64_t row, int32_t column) {
  int64_t start, count;
  if (!extent(scan, place, 1, 1, &start, &count) || scan->data[start + count]) return 0;
  put(scan, row, column, start);
  put(scan, row, column + 1, count);
  return 1;
}

static int read_table(reader r, int32_t table, int64_t place, int64_t start, int32_t depth);

/* A vector of texts or tables, whose elements take `cost` each, or more. */
static int read_offsets(reader r, const ar_fb_field *f, int64_t place, int64_t row, int32_t column,
                        int32_t depth) {
  ar_fb_scan *scan = r.scan;
  const int is_text = f->kind == AR_FB_TEXTS;
  const int32_t width = is_text ? 2 : r.schema->tables[f->table].width;
  int64_t start, count;
  if (!extent(scan, place, 4, 0, &start, &count)) return 0;
  if (count * (is_text ? 4 : r.schema->table_cost) > scan->budget) return 0;
  int64_t next = reserve(scan, count, width);
  put(scan, row, column, next);
  put(scan, row, column + 1, count);
  for (; count > 0; --count, start += 4, next += width) {
    int64_t target;
    if (is_text) {
      if (!read_text(scan, start, row_at(scan, next, width), 0)) return 0;
    } else if (!follow(scan, start, &target) || !read_table(r, f->table, target, next, depth + 1)) {
      return 0;
    }
  }
  return 1;
}

static int read_child(reader r, int32_t table, int64_t place, int64_t *start, int32_t depth) {
  *start = reserve(r.scan, 1, r.schema->tables[table].width);
  return read_table(r, table, place, *start, depth + 1);
}

/* A union without a value is none: converters write types alone. */
static int read_union(reader r, const ar_fb_field *f, const header *h, int64_t value, int64_t row,
                      int32_t column, int32_t depth) {
  ar_fb_scan *scan = r.scan;
  int64_t type, target, start;
  if (!slot(scan, h, f->id - 1, 1, &type)) return 0;
  const int32_t code = type ? scan->data[type] : 0;
  if (!code || !value) return 1;
  if (!follow(scan, value, &target)) return 0;
  put(scan, row, column, code);
  const ar_fb_member *members = r.schema->members + f->table;
  for (int32_t i = 0; i < f->members; ++i) {
    if (members[i].code != code) continue;
    if (!read_child(r, members[i].table, target, &start, depth)) return 0;
    put(scan, row, column + 1, start);
    return 1;
  }
  header opaque;
  if (!open_table(scan, target, NO_FIELDS, &opaque)) return 0;
  int is_empty = 1;
  for (int64_t entry = 4; entry < opaque.vtable_size; entry += 2)
    is_empty &= !u16_at(scan, opaque.vtable + entry);
  put(scan, row, column + 1, target);
  put(scan, row, column + 2, is_empty);
  return 1;
}

/* What is there of a field that is no scalar. */
static int read_outside(reader r, const ar_fb_field *f, int64_t place, int64_t row, int32_t column,
                        int32_t depth) {
  ar_fb_scan *scan = r.scan;
  int64_t start, count;
  switch (f->kind) {
    case AR_FB_TEXT: return read_text(scan, place, row, column);
    case AR_FB_VECTOR:
      if (!extent(scan, place, f->item, 0, &start, &count)) return 0;
      put(scan, row, column, start);
      put(scan, row, column + 1, count);
      return 1;
    case AR_FB_TABLE:
      if (!follow(scan, place, &count) || !read_child(r, f->table, count, &start, depth)) return 0;
      put(scan, row, column, start);
      return 1;
    default: return read_offsets(r, f, place, row, column, depth);
  }
}

static int64_t scalar(const ar_fb_scan *scan, const ar_fb_field *f, int64_t place) {
  if (f->kind == AR_FB_PLACE) return place;
  if (!place) return f->fallback;
  if (f->kind == AR_FB_SIGNED) return signed_at(scan, place, f->item);
  const uint64_t value = unsigned_at(scan, place, f->item);
  return f->kind == AR_FB_BOOL ? value != 0 : (int64_t)value;
}

/* A field's numbers in a row. */
static int32_t columns(const ar_fb_field *f) {
  if (f->kind <= AR_FB_PLACE || f->kind == AR_FB_TABLE) return 1;
  return f->kind == AR_FB_UNION ? 3 : 2;
}

static int read_field(reader r, const ar_fb_field *f, const header *h, int64_t row, int32_t column,
                      int32_t depth) {
  const int is_scalar = f->kind <= AR_FB_PLACE;
  int64_t place;
  if (!slot(r.scan, h, f->id, is_scalar ? f->item : 4, &place)) return 0;
  if (!place && f->required) return 0;
  if (is_scalar) {
    put(r.scan, row, column, scalar(r.scan, f, place));
    return 1;
  }
  for (int32_t i = 0; i < columns(f); ++i) put(r.scan, row, column + i, 0);
  if (f->kind == AR_FB_UNION) return read_union(r, f, h, place, row, column, depth);
  return place ? read_outside(r, f, place, row, column, depth) : 1;
}

/* A table at a place of the file, to the row at `start`. */
static int read_table(reader r, int32_t table, int64_t place, int64_t start, int32_t depth) {
  ar_fb_scan *scan = r.scan;
  const ar_fb_table *t = &r.schema->tables[table];
  const int32_t least = r.schema->table_cost;
  header h;
  if (depth > r.schema->max_depth || !open_table(scan, place, r.schema->first + table, &h))
    return 0;
  if (!pay(scan, h.size > least ? h.size : least)) return 0;
  const int64_t row = row_at(scan, start, t->width);
  const ar_fb_field *f = r.schema->fields + t->fields;
  int32_t column = 0;
  for (int32_t i = 0; i < t->field_count; ++i, ++f) {
    if (!read_field(r, f, &h, row, column, depth)) return 0;
    column += columns(f);
  }
  return 1;
}

int32_t ar_fb_verify_table(const ar_fb_schema *schema, ar_fb_scan *scan, int64_t place) {
  const int64_t start = reserve(scan, 1, schema->tables[0].width);
  return read_table((reader){schema, scan}, 0, place, start, 0);
}

int32_t ar_fb_verify(const ar_fb_schema *schema, ar_fb_scan *scan) {
  int64_t root;
  if (scan->size < 8 || !follow(scan, 0, &root)) return 0;
  return ar_fb_verify_table(schema, scan, root);
}
