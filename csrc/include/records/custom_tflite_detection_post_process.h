#ifndef ARENITE_RECORDS_CUSTOM_TFLITE_DETECTION_POST_PROCESS_H
#define ARENITE_RECORDS_CUSTOM_TFLITE_DETECTION_POST_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
