#ifndef ARENITE_RECORDS_MIRROR_PAD_H
#define ARENITE_RECORDS_MIRROR_PAD_H

#include <stdint.h>

typedef struct {
  int32_t edge; /* elements of the edge that the mirror leaves out: 1 or 0 */
} MirrorPadParams;

#endif
