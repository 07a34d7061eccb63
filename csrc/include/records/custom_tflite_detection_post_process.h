#pragma once

#include "arrays.h"

typedef struct {
  bool is_regular;
  int32_t max_detections;
  int32_t detections_per_class;
  int32_t classes_per_box;
  int32_t first_class;
  double score_threshold;
  double iou_threshold;
  double scale_y;
  double scale_x;
  double scale_h;
  double scale_w;
} DetectionPostProcessParams;
