#ifndef ARENITE_ROWS_H
#define ARENITE_ROWS_H

#include <stdint.h>

/* What becomes of a field's numbers, which are those of flatbuffer.h: */
typedef enum {
  AR_ROW_INTEGER = 0,
  AR_ROW_TRUTH = 1,    /* False or True */
  AR_ROW_TEXT = 2,     /* a string */
  AR_ROW_INTEGERS = 3, /* a tuple of signed integers */
  AR_ROW_TRUTHS = 4,   /* a tuple of False and True */
  AR_ROW_SLICE = 5,    /* a part of an array that is the whole file */
  AR_ROW_DECODED = 6   /* what a function makes of them */
} ar_row_kind;

typedef struct {
  int32_t child;  /* the column of the table that has the field, or -1 for the table itself */
  int32_t column; /* the field's first number */
  int32_t kind;   /* an ar_row_kind */
  int32_t item;   /* bytes of an element; of what is decoded, how many numbers there are */
} ar_row_field;

/* Adds rows() of python/rows.c to the module; 0 where it cannot. To be called once, from Python. */
int32_t ar_add_rows(void);

#endif
