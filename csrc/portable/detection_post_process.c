/* TFLite_Detection_PostProcess: boxes out of encodings and anchors, non-maximum suppression of all
 * classes one by one or of each box's best, and the detections. */
#include <math.h>
#include <string.h>

#include "name.h"
#include "records/custom_tflite_detection_post_process.h"

enum { BOXES, CLASSES, SCORES, COUNT, ENCODINGS, PREDICTIONS, ANCHORS };

typedef struct {
  float ymin, xmin, ymax, xmax;
} box;

typedef struct {
  int32_t anchor, class_number;
  float score;
} detection;

/* Sizes, and where the workspace's parts begin. */
typedef struct {
  int64_t boxes, classes, room;
  int64_t most;       /* detections */
  int64_t candidates; /* the most numbers that are sorted at once */
  int64_t bytes;
  box *decoded, *active;
  detection *found;
  float *values;
  int32_t *order, *merged, *kept, *selected;
} job;

static uint8_t *part(job *j, uint8_t *memory, int64_t count, int64_t size) {
  uint8_t *start = memory ? memory + j->bytes : 0;
  j->bytes += count * size;
  return start;
}

static job describe(const DetectionPostProcessParams *p, const ar_tensor *io, uint8_t *memory) {
  job j = {0};
  j.boxes = io[PREDICTIONS].dims[1];
  j.classes = io[PREDICTIONS].dims[2] - p->first_class;
  j.room = ar_elements(&io[BOXES]) / 4;
  for (int i = CLASSES; i <= SCORES; ++i)
    if (ar_elements(&io[i]) < j.room) j.room = ar_elements(&io[i]);
  j.most = p->is_regular ? p->max_detections : j.room;
  j.candidates = (p->is_regular ? j.most : 0) + j.boxes + j.classes;
  j.decoded = (box *)part(&j, memory, j.boxes, sizeof(box));
  j.active = (box *)part(&j, memory, j.boxes, sizeof(box));
  j.found = (detection *)part(&j, memory, 2 * (j.most + j.boxes), sizeof(detection));
  j.values = (float *)part(&j, memory, j.candidates, sizeof(float));
  j.order = (int32_t *)part(&j, memory, j.candidates, sizeof(int32_t));
  j.merged = (int32_t *)part(&j, memory, j.candidates, sizeof(int32_t));
  j.kept = (int32_t *)part(&j, memory, j.boxes, sizeof(int32_t));
  j.selected = (int32_t *)part(&j, memory, j.boxes, sizeof(int32_t));
  return j;
}

static ar_status measure(const void *params, const ar_tensor *io, ar_sizes *sizes) {
  const DetectionPostProcessParams *p = params;
  for (int i = BOXES; i <= ANCHORS; ++i)
    if (io[i].type != AR_FLOAT32) return AR_UNSUPPORTED;
  if (io[ENCODINGS].rank != 3 || io[PREDICTIONS].rank != 3) return AR_UNSUPPORTED;
  const int64_t boxes = io[PREDICTIONS].dims[1];
  if (!AR_HAS_SHAPE(&io[ENCODINGS], 1, boxes, io[ENCODINGS].dims[2])) return AR_UNSUPPORTED;
  if (io[ENCODINGS].dims[2] < 4 || io[PREDICTIONS].dims[0] != 1) return AR_UNSUPPORTED;
  if (ar_elements(&io[ANCHORS]) < 4 * boxes || ar_elements(&io[COUNT]) < 1) return AR_UNSUPPORTED;
  if (p->first_class < 0 || p->first_class >= io[PREDICTIONS].dims[2]) return AR_UNSUPPORTED;
  const job j = describe(p, io, 0);
  if (p->max_detections < 1) return AR_UNSUPPORTED;
  if (p->is_regular ? p->max_detections > j.room
                    : p->classes_per_box < 1 || p->classes_per_box > j.classes)
    return AR_UNSUPPORTED;
  if (j.candidates > AR_MOST_ELEMENTS) return AR_UNSUPPORTED;
  sizes->workspace = j.bytes;
  return AR_OK;
}

/* Whether a value comes before another: the greater one does, and NaN last. */
static int is_before(float a, float b) { return a > b || (b != b && a == a); }

/* Writes the order of decreasing values to j->order, equal ones as they come: whatever the
 * values are, each number below count once. */
static void sort_decreasing(const job *j, const float *values, int64_t count) {
  int32_t *from = j->order, *to = j->merged;
  for (int64_t i = 0; i < count; ++i) from[i] = (int32_t)i;
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t start = 0; start < count; start += 2 * width) {
      const int64_t middle = start + width < count ? start + width : count;
      const int64_t end = middle + width < count ? middle + width : count;
      int64_t left = start, right = middle;
      for (int64_t i = start; i < end; ++i) {
        const int takes_right =
            right < end && (left >= middle || is_before(values[from[right]], values[from[left]]));
        to[i] = takes_right ? from[right++] : from[left++];
      }
    }
    int32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != j->order) memcpy(j->order, from, (size_t)count * sizeof(int32_t));
}

/* 0 where a box has no height or no width. */
static int decode(const DetectionPostProcessParams *p, const ar_tensor *io, const job *j) {
  const float *x = io[ENCODINGS].data, *anchor = io[ANCHORS].data;
  int are_boxes = 1;
  for (int64_t i = 0; i < j->boxes; ++i, x += io[ENCODINGS].dims[2], anchor += 4) {
    const double height = anchor[2], width = anchor[3];
    const float y_centre = (float)(x[0] / p->scale_y * height + anchor[0]);
    const float x_centre = (float)(x[1] / p->scale_x * width + anchor[1]);
    const float half_height = (float)(0.5 * exp(x[2] / p->scale_h) * height);
    const float half_width = (float)(0.5 * exp(x[3] / p->scale_w) * width);
    box *b = &j->decoded[i];
    b->ymin = y_centre - half_height;
    b->xmin = x_centre - half_width;
    b->ymax = y_centre + half_height;
    b->xmax = x_centre + half_width;
    are_boxes &= !(b->ymin >= b->ymax || b->xmin >= b->xmax);
  }
  return are_boxes;
}

static inline float larger(float a, float b) { return a < b ? b : a; }
static inline float smaller(float a, float b) { return b < a ? b : a; }

static inline float intersection_over_union(const box a, const box b) {
  const float area_a = (a.ymax - a.ymin) * (a.xmax - a.xmin);
  const float area_b = (b.ymax - b.ymin) * (b.xmax - b.xmin);
  const float height = smaller(a.ymax, b.ymax) - larger(a.ymin, b.ymin);
  const float width = smaller(a.xmax, b.xmax) - larger(a.xmin, b.xmin);
  const float shared = larger(height, 0) * larger(width, 0);
  const float part_of_both = shared / (area_a + area_b - shared);
  return ((area_a <= 0) | (area_b <= 0)) ? 0 : part_of_both;
}

/* A function of its own, for what `restrict` says. */
static __attribute__((noinline)) void find_overlaps(const box taken, const box *restrict others,
                                                    int64_t count, float limit,
                                                    int32_t *restrict overlaps) {
  for (int64_t i = 0; i < count; ++i)
    overlaps[i] = intersection_over_union(taken, others[i]) > limit;
}

/* Boxes that are left, in their order: numbers, places, scores, and which has the best score, the
 * first one of several. */
typedef struct {
  int64_t count, best;
  int32_t *number;
  box *place;
  float *score;
} candidates;

static inline void append(candidates *c, int is_one, int32_t number, box place, float score) {
  const int is_better = (c->count == 0) | (score > c->score[c->best]);
  c->number[c->count] = number;
  c->place[c->count] = place;
  c->score[c->count] = score;
  if (is_one & is_better) c->best = c->count;
  c->count += is_one;
}

/* Boxes by decreasing score that overlap with none before, at most `most`, to j->selected. Scores
 * are those of j->values, which this changes. There is no need to sort: whoever is left is looked at
 * for every box that is taken. */
static int64_t suppress(const DetectionPostProcessParams *p, const job *j, int64_t most) {
  const float threshold = (float)p->score_threshold, limit = (float)p->iou_threshold;
  candidates c = {0, 0, j->kept, j->active, j->values};
  int64_t selected = 0;
  for (int64_t i = 0; i < j->boxes; ++i)
    append(&c, j->values[i] >= threshold, (int32_t)i, j->decoded[i], j->values[i]);
  while (c.count && selected < most) {
    const int32_t *leaves = j->order;
    j->selected[selected++] = c.number[c.best];
    find_overlaps(c.place[c.best], c.place, c.count, limit, j->order);
    j->order[c.best] = 1;
    candidates left = {0, 0, c.number, c.place, c.score};
    for (int64_t i = 0; i < c.count; ++i)
      append(&left, !leaves[i], c.number[i], c.place[i], c.score[i]);
    c = left;
  }
  return selected;
}

/* The best detections of all classes, which are in j->found. */
static int64_t detect_regular(const DetectionPostProcessParams *p, const ar_tensor *io,
                              const job *j) {
  const float *scores = (const float *)io[PREDICTIONS].data + p->first_class;
  const int64_t stride = io[PREDICTIONS].dims[2];
  detection *best = j->found + j->most + j->boxes;
  int64_t count = 0;
  for (int64_t number = 0; number < j->classes; ++number) {
    for (int64_t i = 0; i < j->boxes; ++i) j->values[i] = scores[i * stride + number];
    const int64_t selected = suppress(p, j, p->detections_per_class);
    for (int64_t i = 0; i < selected; ++i) {
      const int32_t anchor = j->selected[i];
      const detection d = {anchor, (int32_t)number, scores[anchor * stride + number]};
      j->found[count + i] = d;
    }
    const int64_t all = count + selected;
    for (int64_t i = 0; i < all; ++i) j->values[i] = j->found[i].score;
    sort_decreasing(j, j->values, all);
    count = all < j->most ? all : j->most;
    for (int64_t i = 0; i < count; ++i) best[i] = j->found[j->order[i]];
    memcpy(j->found, best, (size_t)count * sizeof(detection));
  }
  return count;
}

/* The boxes whose best class scores best; -1 where the outputs have no room for their classes. */
static int64_t detect_fast(const DetectionPostProcessParams *p, const ar_tensor *io, const job *j) {
  const float *scores = (const float *)io[PREDICTIONS].data + p->first_class;
  const int64_t stride = io[PREDICTIONS].dims[2], columns = p->classes_per_box;
  for (int64_t i = 0; i < j->boxes; ++i) {
    float best = scores[i * stride];
    for (int64_t k = 1; k < j->classes; ++k)
      if (is_before(scores[i * stride + k], best)) best = scores[i * stride + k];
    j->values[i] = best;
  }
  const int64_t selected = suppress(p, j, p->max_detections);
  const int64_t last = columns * (columns * selected - 1) + columns - 1;
  if (selected && last >= j->room) return -1;
  for (int64_t i = 0; i < selected; ++i) {
    const int32_t anchor = j->selected[i];
    const float *row = scores + anchor * stride;
    sort_decreasing(j, row, j->classes);
    for (int64_t k = 0; k < columns; ++k) {
      const int32_t number = j->order[k];
      const detection d = {anchor, number, row[number]};
      j->found[i * columns + k] = d;
    }
  }
  return selected * columns;
}

static ar_status run(const void *params, const void *, const ar_tensor *io, uint8_t *workspace) {
  const DetectionPostProcessParams *p = params;
  const job j = describe(p, io, workspace);
  if (!decode(p, io, &j)) return AR_UNSUPPORTED;
  const int64_t count = p->is_regular ? detect_regular(p, io, &j) : detect_fast(p, io, &j);
  if (count < 0) return AR_UNSUPPORTED;
  box *boxes = io[BOXES].data;
  float *classes = io[CLASSES].data, *scores = io[SCORES].data, *number = io[COUNT].data;
  const int64_t columns = p->is_regular ? 1 : p->classes_per_box;
  for (int i = BOXES; i <= COUNT; ++i)
    memset(io[i].data, 0, (size_t)ar_elements(&io[i]) * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = columns * i + i % columns;
    boxes[place] = j.decoded[j.found[i].anchor];
    classes[place] = (float)j.found[i].class_number;
    scores[place] = j.found[i].score;
  }
  number[0] = (float)count;
  return AR_OK;
}

AR_PORTABLE_KERNEL(TFLite_Detection_PostProcess, measure, ar_plan_nothing, run)
