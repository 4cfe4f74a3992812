/* The JSON decoder's inside: the field tree that a schema is compiled into, and the decoder of one lane. */
#ifndef WEIR_CODEC_JSON_DECODE_INT_H
#define WEIR_CODEC_JSON_DECODE_INT_H

#include "codec/json_int.h"

struct json_node;
struct json_decoder;

/* Reads the value at p into a slot. Returns the byte behind it; NULL: malformed, or d->rc. d->fit says
 * whether the slot was written. */
typedef const char *json_read(struct json_decoder *d, struct json_node *node, struct weir_col *col,
                              uint32_t row, const char *p);

struct json_field {
    /* How the key usually stands: "name": The first 16 bytes as words under masks. The field behind the last,
     * and names that JSON escapes or that are very long, match nothing: want[0] has a bit that mask[0]
     * lacks. */
    uint64_t mask[2], want[2];
    const char *quick;
    uint32_t quick_len;
    uint32_t col;            /* among the columns of its struct */
    struct json_field *next; /* the field that came behind it last time: the first guess for the next key */
    struct json_node *node;
    uint64_t object;         /* the last object that it came in: number, and */
    const char *at;          /* where its value begins; NULL: one that did not fit */
    const char *name;
    uint32_t len;
    bool foreign;            /* the reader or weir fills the column: the record's value is rescued */
};

/* Open addressing; a slot is 1 + the field's number, 0: free. */
struct json_index {
    uint32_t *slots;
    uint32_t mask;
    bool folded; /* names without regard to ASCII case */
};

struct json_node {
    weir_kind kind;
    json_read *read;
    const struct weir_type *type;
    struct json_node *kid;     /* ARRAY: element; MAP: value */
    struct json_field *fields; /* STRUCT: nfields and one that matches nothing */
    uint32_t nfields;
    uint32_t nown;             /* those that are not foreign */
    uint64_t object;           /* number of the object at hand; a struct is never inside itself */
    struct json_index exact, folded;
};

/* A list's child column, and how to get there from the child of the list around it (or from the page). */
struct json_list {
    int32_t around; /* -1: the page */
    uint32_t depth;
    const uint32_t *path; /* numbers of columns; the last is the list itself */
    struct weir_col *child;
    uint32_t mark; /* its length before the record at hand */
};

typedef enum json_fit {
    JSON_FITS,
    JSON_PARTIAL, /* in a list: a part of the value is null that was something; or a number was rounded */
    JSON_MISFIT   /* the slot was not written */
} json_fit;

struct json_decoder {
    const struct json_options *opt;
    struct weir_decode_env env;
    struct weir_mem *mem;
    struct json_node *root;
    struct json_list *lists;
    uint32_t nlists;
    struct weir_buf uri;     /* of the object at hand, for _file_path */
    struct weir_buf scratch; /* unescaped keys and texts */

    struct json_walk walk;
    struct weir_page *page;
    struct weir_error *err;
    weir_rc rc;              /* not OK: a function returned NULL for that, not for the record */

    /* Of the record at hand. */
    json_fit fit;            /* of the value decoded last; FITS again once its owner has seen it */
    uint32_t in_list;        /* lists and maps around */
    uint32_t map_level;      /* maps around */
    uint64_t misfits;
    uint64_t lost;           /* values of keys that came again, with no rescued column */
    const char *misfit_key;
    const struct weir_type *misfit_type; /* NULL: no mismatch but text behind the value */
    const char *key;         /* of the member at hand: where it begins */
    struct json_frame top;
    struct json_rescue rescue;

    struct json_map_index *maps; /* by level; large maps only */

    bool unknown;            /* a field that the schema lacks came, since decode() began */
    char unknown_name[128];

    uint64_t day_text;       /* of the last date: 8 bytes of it and the other 2 */
    uint16_t day_text2;
    int64_t day;
};

/* An index of the keys of a large map: open addressing, a slot is 1 + the key's row, 0: free. */
struct json_map_index {
    uint32_t *slots;
    uint32_t size;
};

/* json_decode.c */
/* A new slot at the end of a list's child; false: d->rc. */
bool weir_json_child_append(struct json_decoder *d, struct weir_col *child, uint32_t *slot);
/* Rows from .. to - 1 of the column, and of structs below, are as never written. */
void weir_json_rows_forget(struct weir_col *col, uint32_t from, uint32_t to);

/* json_map.c: the members behind the brace at p, appended to child. *worst: FITS before. */
const char *weir_json_map(struct json_decoder *d, struct json_node *node, struct weir_col *child,
                          const char *p, json_fit *worst);
void weir_json_map_fini(struct json_decoder *d);

json_read weir_json_read_struct, weir_json_read_list;

/* json_fields.c */
weir_rc weir_json_compile(struct json_decoder *d, struct weir_error *err);
/* The field with that name, or the one that matches nothing. */
struct json_field *weir_json_field_find(const struct json_node *node, const struct json_index *index,
                                        const char *name, size_t len);

/* json_value.c */
json_read *weir_json_reader(weir_kind kind, const struct json_options *opt); /* of scalars */
json_read weir_json_read_any; /* of every kind: null, what fits a scalar, or a misfit */
/* The text of a string without escapes, in place or in d->scratch. */
bool weir_json_plain(struct json_decoder *d, const struct json_string *s, struct weir_slice *out, bool *lone);

static inline const char *
json_misfit(struct json_decoder *d, const char *p)
{
    d->fit = JSON_MISFIT;
    return p;
}

static inline void
json_fit_worsen(struct json_decoder *d, json_fit *worst)
{
    if (__builtin_expect(d->fit > *worst, 0))
        *worst = d->fit;
    d->fit = JSON_FITS;
}

static inline bool
json_field_matches(const struct json_field *f, const char *p)
{
    uint64_t a, b;

    memcpy(&a, p, 8);
    if ((a & f->mask[0]) != f->want[0])
        return false;
    if (f->quick_len <= 8)
        return true;
    memcpy(&b, p + 8, 8);
    return (b & f->mask[1]) == f->want[1] &&
           (f->quick_len <= 16 || memcmp(p + 16, f->quick + 16, f->quick_len - 16) == 0);
}

#endif
