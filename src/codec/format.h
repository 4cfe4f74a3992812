/* A file format: bytes of whole records to pages. formats.def lists them.
 *
 * The reader feeds a format blocks that begin and end at record borders, which the format itself names with cut();
 * so any lane can decode any block, and one large file keeps all lanes busy.
 * Threads: options are read-only after open; a decoder and a cutter have one owner each. */
#ifndef WEIR_CODEC_FORMAT_H
#define WEIR_CODEC_FORMAT_H

#include "base/block.h"
#include "base/error.h"
#include "base/option.h"
#include "column/page.h"
#include "column/text.h"
#include "schema/infer.h"

typedef enum weir_parse_mode { WEIR_PERMISSIVE, WEIR_DROPMALFORMED, WEIR_FAILFAST } weir_parse_mode;

struct weir_format_env {          /* what the reader decides for the whole run */
    const struct weir_zone *zone; /* spark.sql.session.timeZone */
    bool case_sensitive;          /* readerCaseSensitive; keys that differ only in case are rescued */
    uint64_t max_record_bytes;
    struct weir_quota *quota;
    struct weir_mem *mem;         /* of the run: compiled patterns live here */
};

struct weir_decode_env {            /* what a decoder fills */
    const struct weir_type *schema; /* of the page */
    const int32_t *source;          /* per column: 1: the format fills it; 0: the reader does (partition, _metadata) */
    int32_t rescued, corrupt;       /* column numbers, or -1 */
    bool rescue_path;               /* put _file_path into the rescued text */
    bool message;                   /* each decode() gets one message's text: exactly one row, as from_json */
    bool track_unknown;             /* keep the unknown fields' paths for schema evolution */
    struct weir_quota *quota;
};

struct weir_cut_state { /* of one object's stream of bytes; zeroed at its start. The format says what they mean */
    uint64_t scanned;   /* bytes of the current block already looked at */
    uint32_t depth;
    uint8_t mode, in_string, escape, seen;
    uint8_t more[32];
};

struct weir_records {         /* whole records of one object */
    const char *at, *end;     /* WEIR_BLOCK_PAD readable bytes behind end; a NUL at end saves a copy. decode() and
                               * infer() move at, offset and entry along and clear first */
    struct weir_block *block; /* holds the bytes; NULL: whoever calls keeps them until the page is reset */
    int64_t offset;           /* of `at` in the object */
    bool first;               /* `at` is the start of the object */
    bool last;                /* `end` is the end of the object */
    struct weir_cut_state entry; /* *st as it was before the cut() calls that gave these bytes; zeroed when first */
};

struct weir_format_traits {      /* what a format's options say to others; zeroed by the caller */
    const char *corrupt_column;  /* columnNameOfCorruptRecord */
    const char *encoding;        /* of the objects, NULL: UTF-8; the reader transcodes */
    struct weir_infer_options infer; /* infer_column_types and case_sensitive are the reader's */
};

struct weir_format_type {
    const char *name, *about;
    const struct weir_option *options; /* of the parser; self is options_size bytes, zeroed by the caller */
    size_t options_size;
    /* After the options are filled: compile patterns, check combinations. MUST. Any thread, once. */
    weir_rc (*prepare)(void *opt, const struct weir_format_env *env, struct weir_error *err);
    void (*traits)(const void *opt, struct weir_format_traits *out); /* after prepare; MAY be NULL */
    /* How many bytes from the front of p end at a record's end; 0: more is needed. eof: nothing follows, all of p
     * are records. Called again with the same front and more bytes, or behind the bytes it gave. MUST, pure but for
     * *st. A format that needs `last` never gives all of p before eof. */
    size_t (*cut)(const void *opt, struct weir_cut_state *st, const char *p, size_t n, bool eof);
    weir_rc (*decoder_new)(const void *opt, const struct weir_decode_env *env, void **dec, struct weir_error *err);
    /* A new object begins: its URI for _file_path. May be NULL when env.rescue_path is off. */
    void (*decoder_object)(void *dec, const char *uri);
    /* Appends rows until the page is full or in->at == in->end. Every record becomes a row or is counted.
     * BADDATA (FAILFAST) names the byte offset; SCHEMA: unknown fields were met and track_unknown is on: the page
     * is good all the same, the caller may go on. */
    weir_rc (*decode)(void *dec, struct weir_records *in, struct weir_page *page, struct weir_error *err);
    void (*decoder_free)(void *dec); /* NULL is fine */
    /* Looks at all records for inference; MAY be NULL (then a schema must be given). */
    weir_rc (*infer)(const void *opt, struct weir_records *in, struct weir_infer *inf, struct weir_error *err);
};

const struct weir_format_type *weir_format_find(const char *name); /* NULL: unknown */
/* Names of all formats, NULL-terminated. */
const char *const *weir_format_names(void);

#endif
