/* Arrays of parameter records, with the number of their elements; and the types of their numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const int8_t *data;
  int64_t count;
} ar_int8s;

typedef struct {
  const int16_t *data;
  int64_t count;
} ar_int16s;

typedef struct {
  const int32_t *data;
  int64_t count;
} ar_int32s;

typedef struct {
  const int64_t *data;
  int64_t count;
} ar_int64s;

typedef struct {
  const float *data;
  int64_t count;
} ar_floats;
