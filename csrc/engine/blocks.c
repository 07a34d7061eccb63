/* Counts of the blocks that an emulated core runs; src/arenite/emulator/blocks.py says the same in
 * Python. */
#include "blocks.h"

/* The number of a block, from 1; 0 if it is new and there is no room. */
static int32_t number_of(ar_code_counts *b, int64_t address, int64_t bytes) {
  const uint32_t mask = 2 * (uint32_t)b->most - 1;
  uint32_t slot = (uint32_t)(((uint64_t)address >> 1) * 0x9E3779B97F4A7C15u >> 40) & mask;
  for (; b->slots[slot]; slot = (slot + 1) & mask) {
    const ar_code_block *known = &b->blocks[b->slots[slot] - 1];
    if (known->address == address && known->bytes == bytes) return b->slots[slot];
  }
  if (b->count >= b->most) {
    b->count = b->most + 1;
    return 0;
  }
  b->blocks[b->count] = (ar_code_block){.address = address, .bytes = bytes};
  b->slots[slot] = ++b->count;
  return b->count;
}

void ar_count_block(void *core, uint64_t address, uint32_t bytes, void *blocks) {
  ar_code_counts *b = blocks;
  (void)core;
  b->left -= bytes;
  if (b->counts) {
    if (b->before) {
      ar_code_block *before = &b->blocks[b->before - 1];
      before->leaps += before->address + before->bytes != (int64_t)address;
    }
    b->before = number_of(b, (int64_t)address, bytes);
    if (b->before) ++b->blocks[b->before - 1].runs;
  }
  if (b->left < 0 || b->count > b->most) b->beat(b->user);
}
