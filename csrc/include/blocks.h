/* Blocks of code that an emulated core runs, counted. An emulator calls `ar_count_block` for each.
 */
#pragma once

#include <stdint.h>

/* One block, by its place in flash. */
typedef struct {
  int64_t address, bytes;
  int64_t runs;
  int64_t leaps; /* how often another block than the one behind it was next */
} ar_code_block;

typedef struct {
  ar_code_block *blocks; /* in the order in which they first ran; `most` fit */
  int32_t *slots; /* a hash table, `most` times two, of numbers of blocks, 0 where there is none */
  int32_t most;   /* a power of two */
  int32_t count;
  int32_t before; /* the number of the block that ran last, or 0 */
  int32_t counts; /* whether blocks are counted now */
  int64_t left;   /* bytes of code that may run until `beat` is called */
  void (*beat)(void *user);
  void *user;
} ar_code_counts;

/* Count a block. The core's emulator passes its own handle first; `blocks` is an `ar_code_counts`. Where
 * no more blocks fit, `count` is above `most`, and `beat` is called. */
void ar_count_block(void *core, uint64_t address, uint32_t bytes, void *blocks);
