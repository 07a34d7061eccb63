/* Which weights may be summed as int16: see grouped.h. */
#include "grouped.h"

#include <string.h>

enum { MOST_DWORDS = 4, LARGEST = 128, VECTOR = 64 };

typedef struct {
  ar_grouped *header; /* NULL to count alone */
  int8_t *weights;
  int32_t groups[AR_GROUP_SIZES];
  int32_t place[AR_GROUP_SIZES]; /* of the next entry of each size */
} packing;

/* The weights of dword `number`: 16 lanes of four. */
static void read_dword(const ar_filters *f, int32_t number, int8_t *dword) {
  const int32_t dwords = f->gemm->dwords, first = 4 * (number % dwords);
  const int32_t rest = f->run - first, count = rest < 4 ? rest : 4;
  const int8_t *weights = f->filters + (int64_t)(number / dwords) * f->run + first;
  memset(dword, 0, VECTOR);
  for (int32_t lane = 0; lane < f->lanes; ++lane)
    memcpy(dword + 4 * lane, weights + lane * f->step, (size_t)count);
}

/* Whether the sums over all dwords of a pair's positive, and of its negative weights fit. */
static int fits(const int8_t (*dwords)[VECTOR], int32_t count) {
  int16_t positive[VECTOR] = {0}, negative[VECTOR] = {0};
  for (int32_t d = 0; d < count; ++d)
    for (int i = 0; i < VECTOR; ++i) {
      const int16_t weight = dwords[d][i];
      positive[i] = (int16_t)(positive[i] + (weight > 0 ? weight : 0));
      negative[i] = (int16_t)(negative[i] - (weight < 0 ? weight : 0));
    }
  int bad = 0;
  for (int i = 0; i < VECTOR; i += 2) {
    bad |= positive[i] + positive[i + 1] > LARGEST;
    bad |= negative[i] + negative[i + 1] > LARGEST;
  }
  return !bad;
}

static void emit(packing *to, int size, const ar_filters *f, int32_t number,
                 const int8_t (*dwords)[VECTOR], int32_t count) {
  ++to->groups[size];
  if (!to->header) return;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t place = to->place[size]++, at = number + i;
    to->header->offset[place] = f->gemm->segment[at / f->gemm->dwords] + 4 * (at % f->gemm->dwords);
    memcpy(to->weights + (int64_t)VECTOR * place, dwords[i], VECTOR);
  }
}

/* A dword by itself; one that does not fit becomes two. */
static void emit_one(packing *to, const ar_filters *f, int32_t number,
                     const int8_t (*dword)[VECTOR]) {
  if (fits(dword, 1)) {
    emit(to, 2, f, number, dword, 1);
    return;
  }
  for (int odd = 0; odd < 2; ++odd) {
    int8_t part[1][VECTOR] = {{0}};
    for (int i = odd; i < VECTOR; i += 2) part[0][i] = dword[0][i];
    emit(to, 2, f, number, (const int8_t (*)[VECTOR])part, 1);
  }
}

static void group(const ar_filters *f, packing *to) {
  const int32_t all = f->gemm->segments * f->gemm->dwords;
  for (int32_t first = 0; first < all; first += MOST_DWORDS) {
    const int32_t count = all - first < MOST_DWORDS ? all - first : MOST_DWORDS;
    int8_t read[MOST_DWORDS][VECTOR];
    for (int32_t i = 0; i < count; ++i) read_dword(f, first + i, read[i]);
    const int8_t (*dwords)[VECTOR] = (const int8_t (*)[VECTOR])read;
    if (count == 4 && fits(dwords, 4)) {
      emit(to, 0, f, first, dwords, 4);
      continue;
    }
    for (int32_t i = 0; i < count; i += 2) {
      if (i + 1 < count && fits(dwords + i, 2)) {
        emit(to, 1, f, first + i, dwords + i, 2);
        continue;
      }
      for (int32_t j = i; j < count && j < i + 2; ++j) emit_one(to, f, first + j, dwords + j);
    }
  }
}

int32_t ar_count_groups(const ar_filters *f, int32_t groups[AR_GROUP_SIZES]) {
  packing count = {0};
  group(f, &count);
  memcpy(groups, count.groups, sizeof count.groups);
  return 4 * groups[0] + 2 * groups[1] + groups[2];
}

void ar_pack_groups(const ar_filters *f, int32_t entries, int8_t *packed) {
  packing to = {.header = (ar_grouped *)packed, .weights = packed + ar_grouped_header(entries)};
  int32_t groups[AR_GROUP_SIZES];
  ar_count_groups(f, groups);
  to.place[1] = 4 * groups[0];
  to.place[2] = to.place[1] + 2 * groups[1];
  group(f, &to);
  memcpy(to.header->groups, groups, sizeof groups);
}
