/* Whether buffers fit into a height: a search that proves it or finds their places, see
 * src/arenite/memory/packing.py. */
#pragma once

#include <stdint.h>

/* A buffer. Sections are stretches of time in which the same buffers are alive. */
typedef struct {
  int64_t size;     /* 1 or more bytes */
  int64_t least;    /* bytes of it on which nothing may lie, whoever it is: its least distance */
  int64_t lifetime; /* in moments */
  int64_t offset;   /* where it is, once there is a plan */
  int32_t first, behind; /* alive in the sections [first, behind), at least one */
  int32_t others;        /* the first of its neighbours */
  int32_t unused;
} ar_block;

/* A buffer that is alive together with another one. */
typedef struct {
  int32_t block;
  int32_t unused;
  int64_t above; /* it begins so many bytes above the other one, or more, */
  int64_t below; /* or so many below it */
} ar_neighbour;

/* What the first choice among buffers goes by: the longest lifetime (W), the largest product of
 * lifetime and size (A), the fullest section (T), and what decides then. */
typedef enum { AR_WAT = 0, AR_TAW = 1, AR_TWA = 2 } ar_rank_order;

typedef struct {
  ar_block *blocks; /* one more than there are, whose `others` is the end */
  const ar_neighbour *neighbours;
  const int32_t *alive;      /* the blocks of every section, one section after the other, */
  const int32_t *alive_from; /* each from there on, and the end */
  int32_t count, sections;
  int64_t height;
  int32_t order;    /* an ar_rank_order */
  int32_t has_ties; /* two neighbours may begin at the same byte; not in a circle */
  int64_t *room;    /* ar_packing_room() or more numbers; more serve deep searches */
  int64_t room_count;
} ar_packing;

typedef enum {
  AR_FITS = 0,     /* all offsets are set */
  AR_FITS_NOT = 1, /* there is no plan */
  AR_SEARCHING = 2,
  AR_NO_ROOM = 3 /* the search would take more room */
} ar_packing_state;

/* What the search takes before its first step, in numbers. */
int64_t ar_packing_room(int32_t count, int32_t sections);
/* Begins, or begins anew. The room holds the search until it ends. */
void ar_packing_start(const ar_packing *packing);
/* Goes on for so many steps; counts in `taken` those that it took. */
ar_packing_state ar_packing_run(const ar_packing *packing, int64_t steps, int64_t *taken);
