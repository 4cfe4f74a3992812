/* Partition columns from folders that read "name=value", as Spark's PartitioningUtils finds them.
 *
 * 1. From the last folder upwards: folders that are no columns are passed over until one is; from there on the columns
 *    go up without a gap. What is above them is the key's base.
 * 2. Layouts agree when all bases are equal and all keys with columns have the same names in the same order. A key
 *    without columns has its folder as the base. Names compare without regard to ASCII case; the first spelling wins.
 * 3. A type holds for every value seen, else the column is a STRING, which keeps the text ("01").
 * Names and values of file systems need not be UTF-8: stray bytes become U+FFFD. */
#include "schema/partition.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "column/text.h"
#include "store/store.h"

enum { PARTITION_MAX = 64, PARTITION_TEXT_MAX = 16 * 1024 };

struct part { /* one folder "name=value", still escaped */
    struct weir_slice name, value;
};

struct parts {
    struct part at[PARTITION_MAX];
    uint32_t n;
    size_t base; /* length of what stands above the first */
};

static bool
part_split(const char *p, size_t n, struct part *out)
{
    const char *eq = memchr(p, '=', n);

    if (eq == NULL || eq == p)
        return false;
    out->name = weir_slice(p, (size_t)(eq - p));
    out->value = weir_slice(eq + 1, n - out->name.len - 1);
    return true;
}

/* The columns of key by rule 1. More than PARTITION_MAX: the ones next to the file. */
static void
parts_of(const char *key, struct parts *out)
{
    const char *end = strrchr(key, '/');
    struct part part;

    out->n = 0;
    out->base = end != NULL ? (size_t)(end - key) : 0;
    while (end != NULL && out->n < PARTITION_MAX) {
        const char *start = end;

        while (start > key && start[-1] != '/')
            start--;
        if (part_split(start, (size_t)(end - start), &part)) {
            out->at[out->n++] = part;
            out->base = start > key ? (size_t)(start - key) - 1 : 0;
        } else if (out->n > 0) {
            break;
        }
        end = start > key ? start - 1 : NULL;
    }
    for (uint32_t i = 0; i < out->n / 2; i++) { /* found from below; wanted from above */
        part = out->at[i];
        out->at[i] = out->at[out->n - 1 - i];
        out->at[out->n - 1 - i] = part;
    }
}

/* Hive's escapes decoded; always valid UTF-8. */
static void
part_text(struct weir_slice text, struct weir_buf *out)
{
    struct weir_buf raw = WEIR_BUF(PARTITION_TEXT_MAX);
    size_t start = out->len;

    weir_uri_decode(text.ptr, text.len, out);
    if (out->failed || out->len == start || weir_utf8_valid(out->data + start, out->len - start))
        return;
    weir_buf_add(&raw, out->data + start, out->len - start);
    out->len = start;
    weir_buf_utf8(out, raw.data, raw.len);
    out->failed |= raw.failed;
    weir_buf_fini(&raw);
}

static bool
part_null(struct weir_slice value)
{
    return value.len == 0 || weir_slice_is(value, "__HIVE_DEFAULT_PARTITION__");
}

/* --- types --- */

struct part_type {
    weir_kind kind;  /* VOID: no value yet */
    unsigned digits; /* DECIMAL */
};

static bool
type_digits(const char *t, size_t n, size_t from, size_t count)
{
    if (from + count > n)
        return false;
    for (size_t i = 0; i < count; i++)
        if (t[from + i] < '0' || t[from + i] > '9')
            return false;
    return true;
}

/* yyyy-MM-dd */
static bool
type_is_date(const char *t, size_t n)
{
    return n == 10 && type_digits(t, n, 0, 4) && t[4] == '-' && type_digits(t, n, 5, 2) && t[7] == '-' &&
           type_digits(t, n, 8, 2) &&
           weir_civil_valid((t[0] - '0') * 1000 + (t[1] - '0') * 100 + (t[2] - '0') * 10 + t[3] - '0',
                            (unsigned)((t[5] - '0') * 10 + t[6] - '0'),
                            (unsigned)((t[8] - '0') * 10 + t[9] - '0'));
}

/* yyyy-MM-dd HH:mm:ss[.S…] */
static bool
type_is_timestamp(const char *t, size_t n)
{
    int64_t us;

    return n >= 19 && type_is_date(t, 10) && t[10] == ' ' && type_digits(t, n, 11, 2) && t[13] == ':' &&
           type_digits(t, n, 14, 2) && t[16] == ':' && type_digits(t, n, 17, 2) &&
           (n == 19 || (t[19] == '.' && n > 20 && type_digits(t, n, 20, n - 20))) &&
           weir_timestamp_parse(t, n, &weir_zone_utc, &us);
}

/* [+-]digits, any number of them: how many count. */
static bool
type_is_integer(const char *t, size_t n, unsigned *digits)
{
    size_t at = n > 0 && (t[0] == '-' || t[0] == '+');

    if (at == n || !type_digits(t, n, at, n - at))
        return false;
    while (at + 1 < n && t[at] == '0')
        at++;
    *digits = (unsigned)(n - at);
    return true;
}

static struct part_type
type_of(const char *t, size_t n)
{
    struct part_type type = {WEIR_STRING, 0};
    size_t sign = n > 0 && t[0] == '+';
    int64_t value;
    double number;

    if (type_is_integer(t, n, &type.digits)) {
        if (weir_parse_int(weir_slice(t + sign, n - sign), &value))
            type.kind = value >= INT32_MIN && value <= INT32_MAX ? WEIR_INT : WEIR_LONG;
        else
            type.kind = type.digits <= 38 ? WEIR_DECIMAL : WEIR_DOUBLE;
    } else if (weir_double_parse(t + sign, n - sign, &number)) {
        type.kind = WEIR_DOUBLE;
    } else if (type_is_timestamp(t, n)) {
        type.kind = WEIR_TIMESTAMP;
    } else if (type_is_date(t, n)) {
        type.kind = WEIR_DATE;
    }
    return type;
}

/* The type that holds both; Spark's findWiderTypeForPartitionColumn. */
static struct part_type
type_wider(struct part_type a, struct part_type b)
{
    bool a_int = a.kind == WEIR_INT || a.kind == WEIR_LONG, b_int = b.kind == WEIR_INT || b.kind == WEIR_LONG;
    struct part_type t = {WEIR_STRING, a.digits > b.digits ? a.digits : b.digits};

    if (a.kind == WEIR_VOID || b.kind == WEIR_VOID)
        t.kind = a.kind == WEIR_VOID ? b.kind : a.kind;
    else if (a.kind == b.kind)
        t.kind = a.kind;
    else if (a_int && b_int)
        t.kind = WEIR_LONG;
    else if ((a_int && (b.kind == WEIR_DECIMAL || b.kind == WEIR_DOUBLE)))
        t.kind = b.kind;
    else if ((b_int && (a.kind == WEIR_DECIMAL || a.kind == WEIR_DOUBLE)))
        t.kind = a.kind;
    else if ((a.kind == WEIR_DATE && b.kind == WEIR_TIMESTAMP) ||
             (a.kind == WEIR_TIMESTAMP && b.kind == WEIR_DATE))
        t.kind = WEIR_TIMESTAMP;
    return t;
}

static const struct weir_type *
type_make(struct part_type type, struct weir_mem *mem)
{
    switch (type.kind) {
    case WEIR_INT:
        return &weir_type_int;
    case WEIR_LONG:
        return &weir_type_long;
    case WEIR_DOUBLE:
        return &weir_type_double;
    case WEIR_DATE:
        return &weir_type_date;
    case WEIR_TIMESTAMP:
        return &weir_type_timestamp;
    case WEIR_DECIMAL: /* beside a BIGINT, which takes 20 digits in Spark */
        return weir_type_decimal(mem, type.digits > 20 ? type.digits : 20, 0);
    default:
        return &weir_type_string;
    }
}

/* --- layouts --- */

struct layout {
    const char *names[PARTITION_MAX];
    struct part_type types[PARTITION_MAX];
    uint32_t n;
};

static weir_rc
layout_name(struct layout *lay, struct weir_slice name, struct weir_mem *mem, struct weir_error *err)
{
    struct weir_buf text = WEIR_BUF(PARTITION_TEXT_MAX);
    weir_rc rc;

    part_text(name, &text);
    WEIR_GO(weir_buf_check(&text, err));
    lay->names[lay->n] = weir_mem_strndup(mem, text.data, text.len);
    if (lay->names[lay->n] == NULL)
        WEIR_GO(weir_mem_fail(mem, text.len, err));
    lay->types[lay->n++] = (struct part_type){WEIR_VOID, 0};
out:
    weir_buf_fini(&text);
    return rc;
}

/* partitionColumns: "a, b" */
static weir_rc
layout_given(struct layout *lay, const char *only, struct weir_mem *mem, struct weir_error *err)
{
    for (const char *p = only; *p != '\0';) {
        size_t n = strcspn(p, ",");
        struct weir_slice name = weir_slice_trim(weir_slice(p, n));

        if (name.len > 0 && lay->n == PARTITION_MAX)
            return weir_fail(err, WEIR_USAGE, "more than %d partition columns", PARTITION_MAX);
        if (name.len > 0) {
            lay->names[lay->n] = weir_mem_strndup(mem, name.ptr, name.len);
            if (lay->names[lay->n] == NULL)
                return weir_mem_fail(mem, name.len, err);
            lay->types[lay->n++] = (struct part_type){WEIR_VOID, 0};
        }
        p += n + (p[n] == ',');
    }
    return WEIR_OK;
}

static bool
part_is_named(const struct part *part, const char *name)
{
    struct weir_buf text = WEIR_BUF(PARTITION_TEXT_MAX);
    bool same;

    part_text(part->name, &text);
    same = !text.failed && text.len > 0 && weir_slice_is_nocase(weir_slice(text.data, text.len), name);
    weir_buf_fini(&text);
    return same;
}

/* Rule 2 for all keys. */
static weir_rc
layout_common(struct layout *lay, const char *const *keys, uint32_t n, struct weir_mem *mem, bool *conflict,
              struct weir_error *err)
{
    struct parts parts, first = {.n = 0};
    const char *base = NULL;
    size_t base_len = 0;

    for (uint32_t i = 0; i < n; i++) {
        parts_of(keys[i], &parts);
        if (base == NULL) {
            base = keys[i];
            base_len = parts.base;
        }
        if (parts.base != base_len || memcmp(base, keys[i], base_len) != 0)
            *conflict = true;
        if (parts.n == 0)
            continue;
        if (first.n == 0) {
            first = parts;
            for (uint32_t k = 0; k < parts.n; k++)
                WEIR_TRY(layout_name(lay, parts.at[k].name, mem, err));
        }
        *conflict |= parts.n != lay->n;
        for (uint32_t k = 0; k < parts.n && !*conflict; k++)
            *conflict |= !part_is_named(&parts.at[k], lay->names[k]);
    }
    *conflict &= lay->n > 0; /* plain folders side by side are no layout at all */
    return WEIR_OK;
}

static weir_rc
layout_types(struct layout *lay, const char *const *keys, uint32_t n, struct weir_error *err)
{
    struct weir_buf text = WEIR_BUF(PARTITION_TEXT_MAX);
    weir_rc rc = WEIR_OK;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < lay->n; k++) {
            weir_buf_reset(&text);
            if (lay->types[k].kind == WEIR_STRING || !weir_partition_value(keys[i], lay->names[k], &text))
                continue;
            WEIR_GO(weir_buf_check(&text, err));
            lay->types[k] = type_wider(lay->types[k], type_of(text.data, text.len));
        }
out:
    weir_buf_fini(&text);
    return rc;
}

weir_rc
weir_partition_infer(const char *const *keys, uint32_t n, const struct weir_partition_options *opt,
                     struct weir_mem *mem, const struct weir_type **out, bool *conflict,
                     struct weir_error *err)
{
    struct layout lay = {.n = 0};
    struct weir_field fields[PARTITION_MAX];
    bool disagree = false;

    if (opt->only != NULL)
        WEIR_TRY(layout_given(&lay, opt->only, mem, err));
    else
        WEIR_TRY(layout_common(&lay, keys, n, mem, &disagree, err));
    if (conflict != NULL)
        *conflict = disagree;
    if (disagree)
        lay.n = 0;
    if (opt->infer_types)
        WEIR_TRY(layout_types(&lay, keys, n, err));
    for (uint32_t i = 0; i < lay.n; i++) {
        fields[i] = (struct weir_field){.name = lay.names[i],
                                        .name_len = (uint32_t)strlen(lay.names[i]),
                                        .nullable = true,
                                        .type = type_make(lay.types[i], mem)};
        if (fields[i].type == NULL)
            return weir_mem_fail(mem, sizeof(struct weir_type), err);
    }
    *out = weir_type_struct(mem, fields, lay.n);
    return *out != NULL ? WEIR_OK : weir_mem_fail(mem, sizeof(struct weir_type), err);
}

/* The folder "name=…" of key that is next to the file. */
static bool
part_find(const char *key, const char *name, struct part *out)
{
    const char *end = strrchr(key, '/');

    while (end != NULL) {
        const char *start = end;

        while (start > key && start[-1] != '/')
            start--;
        if (part_split(start, (size_t)(end - start), out) && part_is_named(out, name))
            return true;
        end = start > key ? start - 1 : NULL;
    }
    return false;
}

bool
weir_partition_value(const char *key, const char *name, struct weir_buf *out)
{
    struct part part;

    if (!part_find(key, name, &part) || part_null(part.value))
        return false;
    part_text(part.value, out);
    return true;
}

bool
weir_partition_has(const char *key, const char *name)
{
    struct part part;

    return part_find(key, name, &part);
}
