/* The page: up to 2,048 rows by column, the currency between decoders, drivers and encoders.
 *
 * 1. cap = clamp(1 MiB / fixed bytes of a row, 64, WEIR_PAGE_ROWS).
 * 2. A page belongs to one lane. It and all it points to are valid until the next next() or reset of that
 *    lane; who keeps rows copies them. Builds with -Dpoison=true overwrite recycled pages to check that.
 * 3. Strings are valid UTF-8 with 16 readable bytes behind; invalid input never gets into a string column.
 * 4. valid == NULL means that all rows are present; the slot under a null is unspecified but readable. The
 *    children of a null struct are unspecified too.
 * 5. A CONST column has one slot (row 0) for all rows.
 * Slots: bool u8 (0, 1) · byte i8 · short i16 · int i32 · long i64 · float · double · date i32 ·
 * timestamp, timestamp_ntz i64 · decimal: precision <= 4 i16, <= 9 i32, <= 18 i64, else i128 (unscaled) ·
 * string, binary weir_str · array, map weir_list · struct, void: none · variant: STRUCT of value, metadata.
 * The layout is DuckDB's, so that its vectors can be lent. */
#ifndef WEIR_COLUMN_PAGE_H
#define WEIR_COLUMN_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/block.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/mem.h"
#include "column/type.h"

/* In memory it may lie at any multiple of eight: DuckDB's vectors do not give it more. */
typedef __int128 weir_i128 __attribute__((aligned(8)));

enum { WEIR_STR_INLINE = 12, WEIR_STR_PAD = 16 };

struct weir_str { /* len <= 12: the bytes are head and tail, the rest zero; else head holds the first four */
    uint32_t len;
    char head[4];
    union {
        const char *ptr;
        char tail[8];
    } u;
};

struct weir_list { /* rows at .. at + n - 1 of kids[0] */
    uint64_t at, n;
};

enum { WEIR_FLAT, WEIR_CONST };

struct weir_col {
    const struct weir_type *type;
    void *data;      /* 64-byte aligned; NULL where a slot has no bytes */
    uint64_t *valid; /* bit set = present; NULL = all present */
    uint64_t *mask;  /* room for cap bits, where valid will point when the first null comes */
    uint32_t len;    /* rows used, for children of lists; elsewhere the page's rows count */
    uint32_t cap;    /* slots */
    uint8_t form;    /* WEIR_FLAT | WEIR_CONST */
    uint32_t nkids;
    struct weir_col *kids; /* STRUCT n, ARRAY 1, MAP 1 (a struct of key and value), VARIANT 2 */
    /* Makes room for `need` slots here and in all below that are no list's children; may move data and valid. */
    weir_rc (*grow)(struct weir_col *col, uint32_t need, struct weir_error *err);
    void *backing; /* grow's own */
};

struct weir_count { /* of the records that went into this page */
    uint64_t records; /* seen: rows and those below */
    uint64_t rescued; /* rows with something in the rescued column */
    uint64_t corrupt; /* records that did not parse */
    uint64_t blank;   /* blank lines: no row */
    uint64_t dropped; /* DROPMALFORMED: no row */
    uint64_t lost;    /* values that became null with no column to keep them: valuesLost */
};

struct weir_page {
    const struct weir_type *schema;
    struct weir_col *cols;
    uint32_t ncols, rows, cap;
    struct weir_mem *mem;       /* unescaped strings; emptied by reset */
    struct weir_block *hold[4]; /* input blocks that strings point into */
    uint32_t nhold;
    uint32_t object;            /* index of the task that the rows come from */
    int64_t *pos;               /* per row: byte offset in the object, or record offset; NULL: lost on the way */
    const int32_t *objects;     /* per row instead of `object`, where rows of several are mixed; -1: of none. NULL */
    struct weir_count count;
    struct weir_quota *quota;
};

/* schema and q are borrowed and outlive the page. */
weir_rc weir_page_new(const struct weir_type *schema, struct weir_quota *q, struct weir_page **out,
                      struct weir_error *err);
void weir_page_free(struct weir_page *page);
/* rows 0, all valid, lists empty, FLAT, mem emptied, blocks given back, counts 0. */
void weir_page_reset(struct weir_page *page);
/* The page keeps a reference to block until reset. A block already held is not taken twice. CORRUPT never;
 * BUG when there is no room (4 blocks). */
weir_rc weir_page_hold(struct weir_page *page, struct weir_block *block, struct weir_error *err);
/* Rows that fit a page of this schema. */
uint32_t weir_page_cap(const struct weir_type *schema);

static inline bool
weir_col_is_null(const struct weir_col *col, uint32_t row)
{
    if (col->form == WEIR_CONST)
        row = 0;
    return col->valid != NULL && !(col->valid[row >> 6] >> (row & 63) & 1);
}

static inline void
weir_col_set_null(struct weir_col *col, uint32_t row)
{
    if (col->valid == NULL) {
        memset(col->mask, 0xff, ((size_t)col->cap + 63) / 64 * 8);
        col->valid = col->mask;
    }
    col->valid[row >> 6] &= ~(UINT64_C(1) << (row & 63));
}

/* For a value set after a null of the same row (a later duplicate key wins). */
static inline void
weir_col_set_valid(struct weir_col *col, uint32_t row)
{
    if (col->valid != NULL)
        col->valid[row >> 6] |= UINT64_C(1) << (row & 63);
}

static inline weir_rc
weir_col_room(struct weir_col *col, uint32_t need, struct weir_error *err)
{
    return need <= col->cap ? WEIR_OK : col->grow(col, need, err);
}

static inline const char *
weir_str_ptr(const struct weir_str *s)
{
    return s->len <= WEIR_STR_INLINE ? s->head : s->u.ptr;
}

/* p stays where it is for texts over 12 bytes; 16 bytes at p are readable. */
static inline struct weir_str
weir_str_of(const char *p, uint32_t len)
{
    struct weir_str s = {.len = len};

    if (len <= WEIR_STR_INLINE) {
        memcpy(s.head, p, len); /* head and tail are one run of 12 bytes */
    } else {
        memcpy(s.head, p, sizeof(s.head));
        s.u.ptr = p;
    }
    return s;
}

/* Copies p into mem first (with the pad). false: no memory. */
bool weir_str_copy(struct weir_mem *mem, const char *p, uint32_t len, struct weir_str *out);

/* The unscaled value of a decimal slot, whatever its width; and the way back (must fit). */
weir_i128 weir_decimal_get(const struct weir_col *col, uint32_t row);
void weir_decimal_set(struct weir_col *col, uint32_t row, weir_i128 v);

#endif
