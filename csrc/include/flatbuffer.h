/* Verifies a FlatBuffer of a declared schema, and finds all that it holds, see
 * src/arenite/formats/flatbuffer/scan.py. */
#pragma once

#include <stdint.h>

/* What a field is, and what stands for it in its table's row: */
typedef enum {
  AR_FB_BOOL = 0, /* the value, as of all integers; the fallback where the file leaves it out */
  AR_FB_SIGNED = 1,
  AR_FB_UNSIGNED = 2,
  AR_FB_PLACE = 3,  /* another scalar: its place in the file, or 0 */
  AR_FB_TEXT = 4,   /* place and length; 0 and 0 where it is not there, as of all vectors */
  AR_FB_VECTOR = 5, /* of scalars: place and length */
  AR_FB_TEXTS = 6,  /* the room's number at which the first one's place and length are; how many */
  AR_FB_TABLE = 7,  /* the room's number at which its row begins, or 0 */
  AR_FB_TABLES = 8, /* the room's number at which the first row begins; how many */
  AR_FB_UNION = 9   /* type code, 0 for none; a member's row in the room, else the table's place;
                       whether such a table has no fields */
} ar_fb_kind;

typedef struct {
  int32_t id;      /* its slot of the vtable */
  int32_t kind;    /* an ar_fb_kind */
  int32_t item;    /* bytes of the scalar, or of a vector's element */
  int32_t table;   /* of what table its tables are; of a union the first of its members */
  int32_t members; /* of a union: how many members there are */
  int32_t required;
  int64_t fallback;
} ar_fb_field;

typedef struct {
  int32_t fields, field_count; /* the first of its fields, which its row has in their order */
  int32_t width;               /* numbers in its row */
} ar_fb_table;

/* A union's type whose fields are known. */
typedef struct {
  int32_t code, table;
} ar_fb_member;

typedef struct {
  const ar_fb_table *tables; /* the first one is the root */
  const ar_fb_field *fields;
  const ar_fb_member *members;
  int32_t max_depth;
  int32_t table_cost; /* the least that a visited table takes of the budget */
  int32_t first;      /* the root's number among the tables of all schemas of one scan */
} ar_fb_schema;

/* A vtable that tables of a kind were found to have; zeros where nothing was. */
typedef struct {
  int64_t vtable; /* its place, and one more */
  int64_t table;
} ar_fb_known;

typedef struct {
  const uint8_t *data;
  int64_t size;
  int64_t budget; /* what may be visited, in bytes; what is left of it afterwards */
  int64_t *room;  /* for the rows, that of the root first */
  int64_t room_count;
  int64_t used;        /* how many numbers the rows take, and they may not have room for all */
  ar_fb_known *known;  /* zeros */
  int64_t known_count; /* a power of two */
} ar_fb_scan;

/* Whether all of the file is sound, as far as the schema says what it holds. No is also the answer
 * where there are too many vtables to tell. */
int32_t ar_fb_verify(const ar_fb_schema *schema, ar_fb_scan *scan);

/* The same for a table at a place of the file that is the root of a schema of its own. */
int32_t ar_fb_verify_table(const ar_fb_schema *schema, ar_fb_scan *scan, int64_t place);
