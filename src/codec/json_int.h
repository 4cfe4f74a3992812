/* Between the parts of the JSON format: options, tokens, records, the rescued text.
 *
 * 1. A text that is parsed ends with a byte that no token can contain (a line end or NUL at `end` or in front
 *    of it); where such a byte may stand in a string (allowUnquotedControlChars) the limit is checked as
 *    well.
 * 2. A token function gets a pointer to the token's first byte and returns the byte behind its last, or NULL
 *    when the text is no JSON under the options; then text->why says what was expected, for people.
 * 3. What only an allow... option admits sets text->loose: such text is no standard JSON and must not be
 *    copied into JSON that weir writes. */
#ifndef WEIR_CODEC_JSON_INT_H
#define WEIR_CODEC_JSON_INT_H

#include "codec/format.h"
#include "codec/json_scan.h"

enum {
    JSON_DEPTH_MAX = 1000,  /* Jackson's StreamReadConstraints.maxNestingDepth */
    JSON_NUMBER_MAX = 1000, /* digits of a number: maxNumberLength */
};

typedef enum json_framing {
    JSON_LINES,  /* lines end with \n, \r or \r\n (or only \n: lineSep) */
    JSON_CUSTOM, /* lines end with another lineSep */
    JSON_STREAM, /* multiLine: values one after another; elements of a top-level array are records */
} json_framing;

struct json_options {
    int mode; /* weir_parse_mode */
    bool multi_line;
    bool comments, single_quotes, unquoted_names, leading_zeros, any_escape, control_chars, non_numeric;
    bool primitives_as_string, prefers_decimal, drop_if_all_null, infer_timestamp;
    int64_t max_depth, max_number;
    const char *corrupt_column, *line_sep, *encoding, *charset, *locale, *sampling_ratio;
    const char *date_format, *timestamp_format, *ntz_format, *time_zone;

    /* Made by prepare. */
    const struct weir_json_scan *scan;
    json_framing framing;
    bool cr_ends; /* LINES: \r ends a line, too */
    size_t sep_len;
    const struct weir_zone *zone;
    struct weir_pattern *date, *timestamp, *ntz; /* NULL: Spark's default parsing */
    bool case_sensitive;
    uint64_t max_record;
    struct weir_quota *quota;
};

extern const struct weir_option weir_json_option_table[];
weir_rc weir_json_prepare(void *opt, const struct weir_format_env *env, struct weir_error *err);
void weir_json_traits(const void *opt, struct weir_format_traits *out);
size_t weir_json_cut(const void *opt, struct weir_cut_state *st, const char *p, size_t n, bool eof);

/* ---- Tokens: json_token.c */

struct json_text {
    const struct json_options *opt;
    const struct weir_json_scan *scan;
    const char *end;  /* behind the text */
    unsigned char pause; /* what is above needs no look at blanks: ' ', or '/' where comments are allowed */
    bool lines;       /* a line end is no blank */
    bool cr_ends;
    bool loose;
    unsigned depth;   /* open objects and arrays */
    const char *why;  /* what was wrong */
};

struct json_string { /* between the quotes, as in the file; valid UTF-8 */
    const char *at;
    size_t len;
    bool escaped;
};

typedef enum json_number_kind {
    NUMBER_INTEGER,
    NUMBER_FRACTION,
    NUMBER_NAN,
    NUMBER_INFINITE,
    NUMBER_MINUS_INFINITE
} json_number_kind;

struct json_number {
    const char *at;
    size_t len;
    json_number_kind kind;
};

void weir_json_text_init(struct json_text *t, const struct json_options *opt, const char *end, bool lines);
const char *weir_json_blanks_skip(struct json_text *t, const char *p);
const char *weir_json_string(struct json_text *t, const char *p, struct json_string *out);
const char *weir_json_key(struct json_text *t, const char *p, struct json_string *out);
const char *weir_json_number(struct json_text *t, const char *p, struct json_number *out);
/* p at the first letter of true, false or null; *out is that letter. */
const char *weir_json_word(struct json_text *t, const char *p, char *out);
/* Any value, checked as strictly as if it were kept. */
const char *weir_json_skip(struct json_text *t, const char *p);
/* Writes the string without its escapes; out has room for s->len bytes. false: a bad escape (why is set).
 * *lone: a lone surrogate, which no UTF-8 can hold. */
bool weir_json_unescape(struct json_text *t, const struct json_string *s, char *out, size_t *len, bool *lone);

static inline const char *
json_fail(struct json_text *t, const char *why)
{
    t->why = why;
    return NULL;
}

static inline const char *
json_blanks(struct json_text *t, const char *p)
{
    return __builtin_expect((unsigned char)*p > t->pause, 1) ? p : weir_json_blanks_skip(t, p);
}

/* ---- Records: json_cut.c */

typedef enum json_step {
    JSON_END,    /* no more bytes */
    JSON_RECORD, /* walk->p is at the first byte of a record */
    JSON_BLANK,  /* a blank line passed */
    JSON_BROKEN, /* something between records that is none; weir_json_walk_broken() gives its text */
} json_step;

struct json_walk {
    struct json_text text;
    struct weir_records *in;
    struct weir_mem *mem;    /* copies that are needed live here */
    bool message;
    const char *p;           /* in the text at hand */
    const char *base, *raw;  /* the text at hand, and where it stands in `in`: the same, or it is a copy */
    const char *line;        /* start of the line at hand when nothing of it was taken yet, else NULL */
    const char *whole;       /* the line's start when the record at p is the first in it, outside of arrays */
    uint8_t place;           /* JSON_TOP ... */
};

weir_rc weir_json_walk_open(struct json_walk *w, const struct json_options *opt, struct weir_records *in,
                            bool message, struct weir_mem *mem, struct weir_error *err);
void weir_json_walk_close(struct json_walk *w); /* moves in */
weir_rc weir_json_walk_next(struct json_walk *w, json_step *step, struct weir_error *err);
/* The record at p was good and ends at `end`. */
void weir_json_walk_took(struct json_walk *w, const char *end);
/* Behind took(): the text of the record that began at start; alone on its line: the line. */
struct weir_slice weir_json_walk_text(const struct json_walk *w, const char *start);
/* The record at `start` is malformed: its text up to where the next one can begin, which becomes p. */
struct weir_slice weir_json_walk_broken(struct json_walk *w, const char *start);
int64_t weir_json_walk_offset(const struct json_walk *w, const char *p);

/* ---- Rescued text: json_rescue.c */

struct json_frame { /* an object that the decoder is in */
    struct json_frame *up;
    const char *key; /* where its key begins; NULL: the record itself */
    bool open;       /* its brace stands in the text */
    bool any;        /* and a member */
};

struct json_rescue {
    struct weir_buf buf;
    struct json_frame *frame;     /* the innermost */
    const struct json_text *text; /* how the record is read */
};

/* "key":value into the object of the innermost frame. key: where it begins in the record, which was read
 * before. value is JSON text; as_text: put it into a JSON string. */
void weir_json_rescue_put(struct json_rescue *r, const char *key, struct weir_slice value, bool as_text);
/* A whole text under the key _corrupt_record, beside what is there. */
void weir_json_rescue_text(struct json_rescue *r, struct weir_slice text);
void weir_json_rescue_leave(struct json_rescue *r, struct json_frame *frame); /* closes its brace */
void weir_json_rescue_end(struct json_rescue *r, struct weir_slice path);     /* ,"_file_path":"…"} */
/* A copy of text in which each part that is no UTF-8 is U+FFFD, as Java's decoder has it. false: no
 * memory. */
bool weir_json_repair(struct weir_mem *mem, struct weir_slice text, struct weir_slice *out);

/* "03:04": read neither as a timestamp nor inferred as one. */
bool weir_json_is_bare_time(struct weir_slice s);

/* ---- Decoder: json_decode.c; inference: json_infer.c */

weir_rc weir_json_decoder_new(const void *opt, const struct weir_decode_env *env, void **dec,
                              struct weir_error *err);
void weir_json_decoder_object(void *dec, const char *uri);
weir_rc weir_json_decode(void *dec, struct weir_records *in, struct weir_page *page, struct weir_error *err);
void weir_json_decoder_free(void *dec);
weir_rc weir_json_infer(const void *opt, struct weir_records *in, struct weir_infer *inf,
                        struct weir_error *err);

#endif
