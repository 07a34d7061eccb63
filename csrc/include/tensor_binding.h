#pragma once

#include <stdint.h>

/* Behind a step's tensors: three absent ones and AR_END. */
enum { AR_BEHIND = 4 };

/* What a record's field is in its struct. */
typedef enum {
  AR_AS_INTEGER = 0, /* int32_t or int64_t */
  AR_AS_REAL = 1,    /* double */
  AR_AS_TRUTH = 2,   /* bool */
  AR_AS_ARRAY = 3,   /* one of arrays.h: an array's address, and its length */
  AR_AS_STRUCT = 4   /* another record */
} ar_field_kind;

/* A field of a record's struct. */
typedef struct {
  int32_t kind;   /* an ar_field_kind */
  int32_t offset; /* in bytes */
  int32_t count;  /* of its elements, 0 where it is no array */
  int32_t item;   /* bytes of one */
} ar_field;
