/* SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: images and their parts as batches. Block sizes and
 * margins may be fed. */
#include "boxes.h"

/* Along one axis of an image: n pixels, with margins `blocks` blocks of `size` pixels. */
typedef struct {
  int64_t n, blocks, size, before;
} blocked_axis;

/* Batches, two axes, and the bytes of a pixel. Pixel i of the image is number
 * `(i + before) % size` in its block. */
typedef struct {
  int64_t batches, depth;
  blocked_axis rows, columns;
} blocking;

static ar_status check(const ar_tensor *io, const ar_tensor *image, const ar_tensor *parts) {
  const int32_t axes = image->rank - 2, last = image->rank - 1;
  if (axes < 1 || axes > 2 || parts->rank != image->rank) return AR_UNSUPPORTED;
  if (image->type != parts->type || !ar_element_bytes(image->type)) return AR_UNSUPPORTED;
  if (image->dims[last] != parts->dims[last]) return AR_UNSUPPORTED;
  if (io[2].type != AR_INT32 || io[3].type != AR_INT32) return AR_UNSUPPORTED;
  return ar_elements(&io[2]) >= axes && ar_elements(&io[3]) >= 2 * axes ? AR_OK : AR_UNSUPPORTED;
}

/* An axis of its own if the tensors have one, whose block and margins make parts of the image. */
static int is_axis(const int64_t *size, const int64_t *margins, int64_t n, int64_t blocks,
                   blocked_axis *axis) {
  *axis = (blocked_axis){n, blocks, size[0], margins[0]};
  if (size[0] < 1 || margins[0] < 0 || margins[1] < 0) return 0;
  return margins[0] + n + margins[1] == ar_times(blocks, size[0]);
}

static int read_blocks(const ar_tensor *io, const ar_tensor *image, const ar_tensor *parts,
                       blocking *b) {
  const int32_t axes = image->rank - 2;
  int64_t size[2] = {1, 1}, margins[4] = {0};
  ar_read_numbers(&io[2], axes, size);
  ar_read_numbers(&io[3], 2 * axes, margins);
  const int64_t width = axes == 2 ? image->dims[2] : 1, blocks = axes == 2 ? parts->dims[2] : 1;
  if (!is_axis(size, margins, image->dims[1], parts->dims[1], &b->rows)) return 0;
  if (!is_axis(size + 1, margins + 2, width, blocks, &b->columns)) return 0;
  b->batches = image->dims[0];
  b->depth = image->dims[axes + 1] * (int64_t)ar_element_bytes(image->type);
  return ar_times(b->batches, ar_times(size[0], size[1])) == parts->dims[0];
}

/* The blocks [first, end) whose pixel at a place is one of the image's. */
typedef struct {
  int64_t first, end;
} block_range;

static inline block_range blocks_with(blocked_axis axis, int64_t place) {
  const int64_t below = axis.before - place, above = below + axis.n;
  const int64_t first = below > 0 ? (below + axis.size - 1) / axis.size : 0;
  return (block_range){first, above > 0 ? (above + axis.size - 1) / axis.size : 0};
}

/* Copies all pixels that are in the image: out of it, or into it. */
static void copy_pixels(const blocking *b, uint8_t *image, uint8_t *parts, int into_image) {
  const int64_t image_row = b->columns.n * b->depth, part_row = b->columns.blocks * b->depth;
  const int64_t image_bytes = b->rows.n * image_row, part_bytes = b->rows.blocks * part_row;
  for (int64_t y = 0; y < b->rows.size; ++y)
    for (int64_t x = 0; x < b->columns.size; ++x, parts += b->batches * part_bytes) {
      const block_range rows = blocks_with(b->rows, y), columns = blocks_with(b->columns, x);
      if (rows.first >= rows.end || columns.first >= columns.end) continue;
      const int64_t sizes[3] = {columns.end - columns.first, rows.end - rows.first, b->batches};
      const int64_t image_steps[3] = {b->columns.size * b->depth, b->rows.size * image_row,
                                      image_bytes};
      const int64_t part_steps[3] = {b->depth, part_row, part_bytes};
      ar_box box = {.run = b->depth};
      for (int i = 0; i < 3; ++i)
        ar_box_axis(&box, sizes[i], into_image ? part_steps[i] : image_steps[i],
                    into_image ? image_steps[i] : part_steps[i]);
      uint8_t *in_image = image + (rows.first * b->rows.size + y - b->rows.before) * image_row +
                          (columns.first * b->columns.size + x - b->columns.before) * b->depth;
      uint8_t *in_part = parts + rows.first * part_row + columns.first * b->depth;
      if (into_image) ar_copy_box(&box, in_part, in_image);
      else ar_copy_box(&box, in_image, in_part);
    }
}

static ar_status measure_batches(const void *, const ar_tensor *io, ar_sizes *) {
  return check(io, &io[1], &io[0]);
}

static ar_status run_batches(const void *, const void *, const ar_tensor *io, uint8_t *) {
  const ar_tensor *parts = &io[0], *image = &io[1];
  const int64_t bytes = ar_elements(parts) * ar_element_bytes(parts->type);
  blocking b;
  if (!read_blocks(io, image, parts, &b)) return AR_BAD_ARGUMENT;
  if (bytes == 0) return AR_OK;
  if (ar_elements(parts) != ar_elements(image)) memset(parts->data, 0, (size_t)bytes);
  if (ar_elements(image)) copy_pixels(&b, image->data, parts->data, 0);
  return AR_OK;
}

static ar_status measure_images(const void *, const ar_tensor *io, ar_sizes *) {
  return check(io, &io[0], &io[1]);
}

static ar_status run_images(const void *, const void *, const ar_tensor *io, uint8_t *) {
  blocking b;
  if (!read_blocks(io, &io[0], &io[1], &b)) return AR_BAD_ARGUMENT;
  if (ar_elements(&io[0])) copy_pixels(&b, io[0].data, io[1].data, 1);
  return AR_OK;
}

AR_PORTABLE_KERNEL(SPACE_TO_BATCH_ND, measure_batches, ar_plan_nothing, run_batches)
AR_PORTABLE_KERNEL(BATCH_TO_SPACE_ND, measure_images, ar_plan_nothing, run_images)
