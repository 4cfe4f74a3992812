/* What the files of the Parquet writer share. Not for other folders: they include parquet_write.h.
 *
 *   parquet_write.c   the writer: schema to leaves, append, row groups, the order of the file
 *   parquet_levels.c  shredding: a page's nested columns to definition and repetition levels
 *   parquet_column.c  a leaf's open page: levels, values, when a page ends
 *   parquet_dict.c    a leaf's dictionary
 *   parquet_page.c    an ended page: encoded, compressed, kept until its row group ends
 *   parquet_mem.c     growing arrays, the stack of scratch
 *   parquet_stats.c   bounds of values, for the footer and for Delta
 *   parquet_footer.c  schema elements, column chunks, the footer
 *   parquet_rle.c     RLE/bit-packed hybrid
 *   parquet_thrift.c  Thrift's compact protocol, the writing half
 *
 * Words: a *node* is a field of the schema, a *leaf* one that has values; an *entry* is a leaf's slot with
 * its levels, whether it holds a value or not; an entry with a value is *live*. */
#ifndef WEIR_CODEC_PARQUET_INT_H
#define WEIR_CODEC_PARQUET_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "codec/compress_block.h"
#include "codec/parquet_write.h"
#include "column/page.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "PLAIN is little-endian, and so are a page's slots");

/* ---- growing arrays: parquet_mem.c ---- */

enum { WEIR_ARRAY_SLACK = 32 }; /* bytes behind the room asked for that may be written to */

struct weir_array {
    uint8_t *p;
    size_t len, cap;
};
/* Room for more bytes behind len, and the slack. NOMEM. */
weir_rc weir_array_room(struct weir_quota *q, struct weir_array *h, size_t more, struct weir_error *err);
void weir_array_fini(struct weir_quota *q, struct weir_array *h);
void weir_array_trim(struct weir_quota *q, struct weir_array *h,
                     size_t most); /* frees an empty one over `most` */

/* A stack of scratch memory (parquet_mem.c): what a step of shredding needs until it returns. */
struct weir_stack {
    struct weir_quota *q;
    struct weir_stack_chunk *top, *spare;
};
struct weir_stack_mark {
    struct weir_stack_chunk *chunk;
    size_t used;
};
void *weir_stack_alloc(struct weir_stack *st, size_t size); /* 64-byte aligned, with slack; NULL: no memory */
struct weir_stack_mark weir_stack_mark(const struct weir_stack *st);
void weir_stack_release(struct weir_stack *st, struct weir_stack_mark mark);
void weir_stack_fini(struct weir_stack *st);

/* ---- RLE/bit-packed hybrid (parquet-format "Encodings", RLE = 3) ---- */

unsigned weir_rle_width(uint32_t max); /* bits of the values 0 .. max */
/* The most bytes that n values can take; out must have as many. width <= 16. */
size_t weir_rle_bound(size_t n, unsigned width);
size_t weir_rle_u8(const uint8_t *v, size_t n, unsigned width, uint8_t *out);
size_t weir_rle_u16(const uint16_t *v, size_t n, unsigned width, uint8_t *out);
size_t weir_rle_run(uint64_t n, uint32_t value, unsigned width, uint8_t *out); /* one run; at most 12 bytes */

/* ---- Thrift compact protocol ---- */

enum weir_thrift_type {
    WEIR_THRIFT_TRUE = 1,
    WEIR_THRIFT_FALSE = 2,
    WEIR_THRIFT_BYTE = 3,
    WEIR_THRIFT_I16 = 4,
    WEIR_THRIFT_I32 = 5,
    WEIR_THRIFT_I64 = 6,
    WEIR_THRIFT_BINARY = 8,
    WEIR_THRIFT_LIST = 9,
    WEIR_THRIFT_STRUCT = 12
};
enum { WEIR_THRIFT_DEPTH = 8 };
struct weir_thrift {
    struct weir_buf *buf;
    int16_t last[WEIR_THRIFT_DEPTH]; /* the last field id of each open struct */
    unsigned depth;
};
/* A struct that stands alone, or an element of a list. */
void weir_thrift_open(struct weir_thrift *t);
void weir_thrift_close(struct weir_thrift *t);
/* Fields of the open struct, ids ascending. */
void weir_thrift_struct(struct weir_thrift *t, int16_t id); /* close() ends it */
void weir_thrift_list(struct weir_thrift *t, int16_t id, enum weir_thrift_type of, uint32_t n);
void weir_thrift_bool(struct weir_thrift *t, int16_t id, bool v);
void weir_thrift_byte(struct weir_thrift *t, int16_t id, int8_t v);
void weir_thrift_i16(struct weir_thrift *t, int16_t id, int16_t v);
void weir_thrift_i32(struct weir_thrift *t, int16_t id, int32_t v);
void weir_thrift_i64(struct weir_thrift *t, int16_t id, int64_t v);
void weir_thrift_binary(struct weir_thrift *t, int16_t id, const void *p, size_t n);
/* Elements of a list of scalars. */
void weir_thrift_put_i32(struct weir_thrift *t, int32_t v);
void weir_thrift_put_binary(struct weir_thrift *t, const void *p, size_t n);

/* PageType and Encoding of parquet.thrift, as far as they are written. */
enum { PAGE_DATA = 0, PAGE_DICT = 2 };
enum { ENC_PLAIN = 0, ENC_RLE = 3, ENC_RLE_DICT = 8 };

/* ---- statistics ---- */

/* Parquet's physical types, by their numbers in the format. */
enum weir_phys {
    WEIR_PHYS_BOOL = 0,
    WEIR_PHYS_I32 = 1,
    WEIR_PHYS_I64 = 2,
    WEIR_PHYS_F32 = 4,
    WEIR_PHYS_F64 = 5,
    WEIR_PHYS_BYTES = 6,
    WEIR_PHYS_FIXED = 7 /* decimals over 18 digits; in memory an i128 */
};

/* A bound of a text: enough of it for all that is ever said about it. Delta's longest maximum looks at 66
 * UTF-16 units, that is 200 bytes at most; the footer keeps 64 bytes. */
enum { WEIR_BOUND_BYTES = 208, WEIR_FOOTER_BOUND = 64 };
struct weir_bound {
    uint64_t key; /* the first eight bytes, big-endian, zeros behind the end: most comparisons need no more */
    uint32_t len; /* at most WEIR_BOUND_BYTES: then it may have been cut */
    char text[WEIR_BOUND_BYTES];
};
struct weir_bounds {
    bool any; /* a value other than NaN was seen: min and max hold */
    bool nan;
    union {
        int64_t i;
        double d;
        weir_i128 dec;
    } min, max;
    struct weir_bound lo, hi; /* WEIR_PHYS_BYTES */
};
void weir_bounds_reset(struct weir_bounds *r);
/* n values in memory's form: u8, i32, i64, float, double, weir_str, i128. */
void weir_bounds_add(struct weir_bounds *r, enum weir_phys phys, const void *v, size_t n);
void weir_bounds_merge(struct weir_bounds *r, const struct weir_bounds *more, enum weir_phys phys);
struct weir_leaf;
/* Field `id` of the open struct: Statistics. */
void weir_bounds_thrift(const struct weir_bounds *r, const struct weir_leaf *leaf, uint64_t nulls,
                        struct weir_thrift *t, int16_t id);
void weir_colstats_fill(struct weir_colstats *cs, const struct weir_bounds *r, enum weir_phys phys);

/* ---- leaves ---- */

/* A dictionary: values in PLAIN form, found by hash. Slots hold an index + 1, 0 is free. */
enum { WEIR_DICT_MAX = 65535 };
struct weir_dict {
    uint16_t *slots;
    uint32_t nslots, n;
    struct weir_array values; /* FIXED: i128s; BYTES: lengths and bytes as the page will have them */
    struct weir_array keys;   /* BYTES only: weir_str each, its ptr an offset into values */
};
/* Appends the indices of v to idx. *full: the dictionary or its patience ended; idx and the dictionary are as
 * before the call. Bounds of new values go to r. NOMEM. */
weir_rc weir_dict_add(struct weir_dict *d, struct weir_quota *q, enum weir_phys phys, const void *v, size_t n,
                      struct weir_array *idx, struct weir_bounds *r, bool *full, struct weir_error *err);
void weir_dict_reset(struct weir_dict *d);
void weir_dict_fini(struct weir_dict *d, struct weir_quota *q);

struct weir_piece { /* an ended page: header and compressed body, in the writer's store */
    struct weir_piece *next;
    size_t len;
    uint8_t bytes[];
};

struct weir_leaf {
    const struct weir_field *field;
    const char **path; /* names from the root, as in path_in_schema */
    uint32_t npath;
    const char *name; /* "items.element.sku" */
    enum weir_phys phys;
    uint8_t width; /* bytes of a value in memory's form */
    uint8_t fixed; /* FIXED: bytes in the file */
    bool is_text;  /* STRING: its bounds are cut at characters */
    uint8_t max_def, max_rep;
    struct weir_colstats *stats; /* NULL below lists and maps */

    /* The open page. */
    struct weir_array values; /* PLAIN, behind WEIR_PAGE_HEAD bytes for the levels; BOOL: a byte each */
    struct weir_array idx;    /* u16 each, while the dictionary is on */
    struct weir_array def, rep;
    bool def_flat; /* all entries are live: def is not filled */
    uint32_t entries, rows;
    uint64_t raw; /* bytes of the page's values in PLAIN form, whatever form they are in */

    /* The open chunk. */
    bool dict_on, dict_judged;
    struct weir_dict dict;
    uint64_t dict_seen; /* values that went through it */
    struct weir_piece *first, *last;
    uint32_t dict_pages, plain_pages;
    uint64_t chunk_entries, chunk_nulls;
    uint64_t chunk_raw,
        chunk_packed; /* bytes of the ended pages with headers: before and after compression */
    struct weir_bounds chunk;

    struct weir_bounds file;
};

struct weir_parquet_node {
    const struct weir_field *field;
    const char *path; /* "items.element.sku" */
    weir_kind kind;
    bool optional;
    uint8_t def, rep; /* of a present value here; in a list of its elements one more */
    uint32_t nkids;
    struct weir_parquet_node *kids;
    struct weir_leaf *leaf;
    struct weir_colstats *stats; /* NULL below lists and maps */
};

enum { WEIR_PAGE_HEAD = 8192 };

struct weir_segment;
struct weir_parquet {
    struct weir_parquet_options opt;
    struct weir_parquet_out out;
    struct weir_quota *parent; /* of the quota; the writer itself is counted there */
    struct weir_quota quota;   /* all other memory of the writer */
    struct weir_mem *mem;      /* nodes, leaves, statistics */
    const struct weir_type *schema;
    struct weir_parquet_node *nodes;
    uint32_t nnodes;
    struct weir_leaf *leaves;
    uint32_t nleaves;
    struct weir_filestats stats;
    struct weir_stack stack;
    struct weir_squeeze *squeeze;
    struct weir_array levels, body, packed; /* scratch of a page's end */
    struct weir_buf head;                   /* scratch: a page header */
    struct weir_segment *segs, *seg; /* the ended pages of the row group; segs is kept between groups */
    struct weir_buf groups, group;   /* RowGroup structs of the file so far; the open one */
    uint32_t ngroups;
    uint64_t rows, group_rows, pos; /* pos: bytes written */
    uint32_t null_row;              /* of the append: where a null was refused */
    bool begun, failed, finished;
};

/* ---- parquet_levels.c ---- */

/* Entries of a node, from its parent's point of view. */
enum { WEIR_LIVE = 255 };
struct weir_shred {
    uint32_t n, live, rows;
    const uint32_t *pos; /* the slots of the live entries; NULL: first, first + step, ... */
    uint32_t first, step;
    const uint8_t *def; /* WEIR_LIVE, or the level where the entry ended; NULL: all live */
    const uint8_t *rep; /* NULL: no list above */
};
/* Takes col apart down to its leaves and appends them. SCHEMA: a null where none may be. */
weir_rc weir_shred_column(struct weir_parquet *w, struct weir_parquet_node *node, const struct weir_col *col,
                          const struct weir_shred *in, struct weir_error *err);

/* ---- parquet_column.c ---- */

weir_rc weir_leaf_append(struct weir_parquet *w, struct weir_leaf *leaf, const struct weir_col *col,
                         const struct weir_shred *in, struct weir_error *err);
/* Ends the open page, if it has entries. */
weir_rc weir_leaf_end_page(struct weir_parquet *w, struct weir_leaf *leaf, struct weir_error *err);
uint64_t
weir_leaf_encoded(const struct weir_leaf *leaf); /* about the bytes of its open chunk, uncompressed */
void weir_leaf_reset_chunk(struct weir_leaf *leaf);
/* Gives back what one giant page has stretched. */
void weir_leaf_trim(struct weir_leaf *leaf, struct weir_parquet *w);
void weir_leaf_fini(struct weir_leaf *leaf, struct weir_quota *q);

/* ---- parquet_page.c ---- */

/* v big-endian in n bytes, two's complement. */
static inline void
weir_fixed_put(weir_i128 v, unsigned n, uint8_t *p)
{
    for (; n-- > 0; v >>= 8)
        p[n] = (uint8_t)v;
}

weir_rc weir_parquet_page_encode(struct weir_parquet *w, struct weir_leaf *leaf, struct weir_error *err);
/* Writes the leaf's chunk to the file: dictionary page, then the pages. *dict_pos is 0
 * without a dictionary. */
weir_rc weir_parquet_chunk_write(struct weir_parquet *w, struct weir_leaf *leaf, uint64_t *dict_pos,
                                 uint64_t *data_pos, struct weir_error *err);
void weir_parquet_drop_pieces(struct weir_parquet *w);
void weir_parquet_free_pieces(struct weir_parquet *w);
weir_rc weir_parquet_emit(struct weir_parquet *w, const void *p, size_t n, struct weir_error *err);

/* ---- parquet_footer.c ---- */

/* Appends the leaf's ColumnChunk to w->group. */
void weir_parquet_footer_chunk(struct weir_parquet *w, const struct weir_leaf *leaf, uint64_t dict_pos,
                               uint64_t data_pos);
/* The whole FileMetaData. */
weir_rc weir_parquet_footer_build(const struct weir_parquet *w, struct weir_buf *out, struct weir_error *err);

#endif
