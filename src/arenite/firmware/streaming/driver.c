// template: copy
/* Copies bytes downwards, or to where none of them is. */
static void ar_copy_rows(uint8_t *to, const uint8_t *from, int32_t bytes) {
  int32_t i = 0;
  if (((uintptr_t)to | (uintptr_t)from) % 4 == 0) {
    uint32_t *words = (uint32_t *)(void *)to;
    const uint32_t *others = (const uint32_t *)(const void *)from;
    for (; i + 32 <= bytes; i += 32) {
      const uint32_t a = others[0], b = others[1], c = others[2], d = others[3];
      const uint32_t e = others[4], f = others[5], g = others[6], h = others[7];
      words[0] = a;
      words[1] = b;
      words[2] = c;
      words[3] = d;
      words[4] = e;
      words[5] = f;
      words[6] = g;
      words[7] = h;
      words += 8;
      others += 8;
    }
    for (; i + 4 <= bytes; i += 4) *words++ = *others++;
  }
  for (; i < bytes; ++i) to[i] = from[i];
}

// template: room
#define AR_LESSER(a, b) ((a) < (b) ? (a) : (b))

/* Room for `more` rows in a ring that begins with row `from`; rows before `first` may go. Returns
 * the row that it begins with then. */
static inline int32_t ar_make_room(uint8_t *ring, int32_t from, int32_t made, int32_t more,
                                   int32_t rows, int32_t first, int32_t bytes) {
  if (made + more - from <= rows) return from;
  if (first > made) first = made;
  ar_copy_rows(ring, ring + (first - from) * bytes, (made - first) * bytes);
  return first;
}

// template: function
/* Layers $first to $last: of those that have the rows they need, the last in the order goes. */
static void $name($parameters) {
  $counters;
  for (;;) {
    $cases;
    break;
  }
}

// template: case
if ($condition) {
  $body;
  $made += $count;
  continue;
}
