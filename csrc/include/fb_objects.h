#pragma once

#include <stdint.h>

/* What becomes of a field's numbers, which are those of flatbuffer.h. Some are made with something of
 * Python's, the field's helper: */
typedef enum {
  AR_ROW_INTEGER = 0,
  AR_ROW_TRUTH = 1,    /* False or True */
  AR_ROW_TEXT = 2,     /* a string */
  AR_ROW_INTEGERS = 3, /* a tuple of signed integers */
  AR_ROW_TRUTHS = 4,   /* a tuple of False and True */
  /* a part of an array that is the whole file; the helper is that array, or None where it is not
   * aligned, and what makes an array of a place and a length */
  AR_ROW_SLICE = 5,
  AR_ROW_DECODED = 6, /* what the helper, a function, makes of them */
  /* of a union: a named tuple of its type, something given, its table's place and path; the helper
   * has its class, what is given, the path of the vector in which the field's table is, and the
   * field's name */
  AR_ROW_PLACED = 7,
  AR_ROW_REAL = 8, /* a float32 or float64 of the file */
  AR_ROW_BYTES = 9,
  AR_ROW_ITEM = 10,    /* what the helper, a tuple, has at that place: not NotImplemented */
  AR_ROW_NOTHING = 11, /* it must not be there, and has no value; behind all values of a tuple */
  AR_ROW_OBJECT = 12, /* of the table that the field is: an object of the form that is the helper */
  /* of a union's table, which the schema does not have: the helper has, by another field, the
   * address of its schema, the union's type and a form, or what stands for a table without fields */
  AR_ROW_OPAQUE = 13
} ar_row_kind;

typedef struct {
  int32_t child;  /* the column of the table that has the field, or -1 for the table itself */
  int32_t column; /* the field's first number */
  int32_t kind;   /* an ar_row_kind */
  /* bytes of an element; of what is decoded, how many numbers there are; of an object, of how many
   * of its first fields one must be there; of an opaque table, the column of the other field */
  int32_t item;
} ar_row_field;
