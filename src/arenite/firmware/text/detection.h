// Boxes out of encodings and anchors, and non-maximum suppression.
//
// Facts: TFLM micro/kernels/detection_postprocess.cc.

/* Boxes that do not overlap, by decreasing score. */
#ifndef ARENITE_DETECTION_H
#define ARENITE_DETECTION_H

#include "arithmetic.h"

/* What is looked at, and memory: `scores` has `stride` numbers for each box. A detection is a box's
 * number times `classes`, plus its class. */
typedef struct {
  int32_t boxes, classes, stride, most;
  float score_threshold, overlap_threshold;
  const float *scores;
  float *corners, *values;
  int32_t *order, *merged, *kept, *selected, *found, *best;
} ar_detection;

/* Corners of all boxes; 0 where one has no height or no width. */
static inline int ar_decode_boxes(const ar_detection *d, const float *x, int32_t step,
                                  const float *anchor, const double *scales) {
  int are_boxes = 1;
  for (int32_t i = 0; i < d->boxes; ++i) {
    float *box = d->corners + 4 * i;
    for (int32_t axis = 0; axis < 2; ++axis) {
      const double size = (double)anchor[2 + axis];
      const double middle = (double)x[axis] / scales[axis] * size + (double)anchor[axis];
      const double half = 0.5 * ar_exp_double((double)x[2 + axis] / scales[2 + axis]) * size;
      box[axis] = (float)middle - (float)half;
      box[2 + axis] = (float)middle + (float)half;
      if (box[axis] >= box[2 + axis]) are_boxes = 0;
    }
    x += step;
    anchor += 4;
  }
  return are_boxes;
}

/* The order of decreasing values, equal ones as they come and NaN last, in d->order. */
static inline void ar_sort_decreasing(const ar_detection *d, const float *values, int32_t count) {
  int32_t *from = d->order, *to = d->merged;
  for (int32_t i = 0; i < count; ++i) from[i] = i;
  for (int32_t width = 1; width < count; width *= 2) {
    for (int32_t start = 0; start < count; start += 2 * width) {
      const int32_t middle = start + width < count ? start + width : count;
      const int32_t end = middle + width < count ? middle + width : count;
      int32_t left = start, right = middle;
      for (int32_t i = start; i < end; ++i) {
        int takes_right = right < end;
        if (takes_right && left < middle) {
          const float a = values[from[right]], b = values[from[left]];
          takes_right = a > b || (b != b && a == a);
        }
        to[i] = takes_right ? from[right++] : from[left++];
      }
    }
    int32_t *swap = from;
    from = to;
    to = swap;
  }
  for (int32_t i = 0; from != d->order && i < count; ++i) d->order[i] = from[i];
}

/* Intersection over union of two boxes. */
static inline float ar_overlap(const float *a, const float *b) {
  const float area_a = (a[2] - a[0]) * (a[3] - a[1]), area_b = (b[2] - b[0]) * (b[3] - b[1]);
  if (area_a <= 0.0f || area_b <= 0.0f) return 0.0f;
  const float low_y = a[0] < b[0] ? b[0] : a[0], low_x = a[1] < b[1] ? b[1] : a[1];
  const float high_y = b[2] < a[2] ? b[2] : a[2], high_x = b[3] < a[3] ? b[3] : a[3];
  const float height = high_y - low_y < 0.0f ? 0.0f : high_y - low_y;
  const float width = high_x - low_x < 0.0f ? 0.0f : high_x - low_x;
  const float shared = height * width;
  return shared / (area_a + area_b - shared);
}

/* Boxes by decreasing d->values that overlap with none before, at most `most`, to d->selected. */
static inline int32_t ar_suppress(const ar_detection *d, int32_t most) {
  int32_t kept = 0, count = 0;
  for (int32_t i = 0; i < d->boxes; ++i) {
    const float score = d->values[i];
    if (!(score >= d->score_threshold)) continue;
    d->kept[kept] = i;
    d->values[kept++] = score;
  }
  ar_sort_decreasing(d, d->values, kept);
  for (int32_t i = 0; i < kept; ++i) d->merged[i] = d->kept[d->order[i]];
  while (kept > 0 && count < most) {
    const int32_t first = d->merged[0];
    int32_t left = 0;
    d->selected[count++] = first;
    for (int32_t i = 1; i < kept; ++i) {
      const int32_t other = d->merged[i];
      const float overlap = ar_overlap(d->corners + 4 * first, d->corners + 4 * other);
      if (!(overlap > d->overlap_threshold)) d->merged[left++] = other;
    }
    kept = left;
  }
  return count;
}

/* The best detections of all classes, to d->found. */
static inline int32_t ar_detect_by_class(const ar_detection *d, int32_t most_of_class) {
  int32_t count = 0;
  for (int32_t number = 0; number < d->classes; ++number) {
    for (int32_t i = 0; i < d->boxes; ++i) d->values[i] = d->scores[i * d->stride + number];
    const int32_t selected = ar_suppress(d, most_of_class);
    for (int32_t i = 0; i < selected; ++i)
      d->found[count + i] = d->selected[i] * d->classes + number;
    const int32_t all = count + selected;
    for (int32_t i = 0; i < all; ++i)
      d->values[i] = d->scores[d->found[i] / d->classes * d->stride + d->found[i] % d->classes];
    ar_sort_decreasing(d, d->values, all);
    count = all < d->most ? all : d->most;
    for (int32_t i = 0; i < count; ++i) d->best[i] = d->found[d->order[i]];
    for (int32_t i = 0; i < count; ++i) d->found[i] = d->best[i];
  }
  return count;
}

/* The best classes of boxes, whose best scores are looked at; none where there is no room. */
static inline int32_t ar_detect_by_box(const ar_detection *d, int32_t columns, int32_t room) {
  for (int32_t i = 0; i < d->boxes; ++i) {
    const float *row = d->scores + i * d->stride;
    float best = row[0];
    for (int32_t k = 1; k < d->classes; ++k)
      if (row[k] > best || (best != best && row[k] == row[k])) best = row[k];
    d->values[i] = best;
  }
  const int32_t selected = ar_suppress(d, d->most);
  if (columns * (columns * selected - 1) + columns - 1 >= room) return 0;
  for (int32_t i = 0; i < selected; ++i) {
    ar_sort_decreasing(d, d->scores + d->selected[i] * d->stride, d->classes);
    for (int32_t k = 0; k < columns; ++k)
      d->found[i * columns + k] = d->selected[i] * d->classes + d->order[k];
  }
  return selected * columns;
}

#endif
