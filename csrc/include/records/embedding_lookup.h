#ifndef ARENITE_RECORDS_EMBEDDING_LOOKUP_H
#define ARENITE_RECORDS_EMBEDDING_LOOKUP_H

#include <stdint.h>

typedef struct {
  double scale;
} EmbeddingLookupParams;

#endif
