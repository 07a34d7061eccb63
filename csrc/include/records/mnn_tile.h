#ifndef ARENITE_RECORDS_MNN_TILE_H
#define ARENITE_RECORDS_MNN_TILE_H

#include <stdint.h>

typedef struct {
  int32_t multiples[6];
} MnnTileParams;

#endif
