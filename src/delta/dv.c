/* Reading deletion vectors. delta/dv.h.
 *
 * 1. Nothing of a bitmap is believed: every container is walked once when it is read, and the number of rows
 *    must be the one that the log says. A lookup then trusts what was checked.
 * 2. The bytes are kept as they came, with an index of the containers beside them: 24 bytes for up to 65,536
 *    rows.
 * 3. Byte orders are mixed by the format: sizes and checksums of the file are big-endian, all in the bitmap
 *    is little.
 * Bitmaps are in the portable serialisation of Roaring bitmaps (its public format specification).
 * Threads: immutable once made. */
#include "delta/dv.h"

#include <inttypes.h>
#include <zlib.h>

#include "base/limits.h"
#include "base/str.h"

enum {
    DV_MAGIC_PORTABLE = 1681511377,
    DV_MAGIC_NATIVE = 1681511376,
    DV_FILE_VERSION = 1,
    DV_UUID_TEXT = 20, /* characters of Z85 */
    ROARING_PLAIN = 12346,
    ROARING_RUNS = 12347,
    ROARING_OFFSETS_FROM = 4, /* with runs, offsets are there from so many containers on */
    ARRAY_MOST = 4096,
    BITMAP_BYTES = 8192
};
#define DV_BYTES_MOST (1024 * WEIR_MIB)
#define DV_KEYS_MOST 0x7fffffff

typedef enum container_kind { CONTAINER_ARRAY, CONTAINER_BITMAP, CONTAINER_RUNS } container_kind;

struct container {
    uint64_t key; /* row >> 16 */
    uint32_t at;  /* of its data, in bytes */
    uint32_t n;   /* values of ARRAY, runs of RUNS */
    container_kind kind;
};

struct weir_dv {
    struct weir_quota *q;
    unsigned char *bytes;
    size_t nbytes;
    struct container *at;
    size_t n, cap;
    uint64_t cardinality;
};

/* --- bytes ---------------------------------------------------------------------------------------------- */

static uint32_t
le16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t
le32(const unsigned char *p)
{
    return le16(p) | le16(p + 2) << 16;
}

static uint32_t
be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

struct cursor {
    const unsigned char *p;
    size_t at, n;
};

/* The next k bytes; NULL: so many are not there. */
static const unsigned char *
cursor_take(struct cursor *c, size_t k)
{
    const unsigned char *p = c->p + c->at;

    if (k > c->n - c->at)
        return NULL;
    c->at += k;
    return p;
}

static weir_rc
dv_bad(const char *what, struct weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "a deletion vector's bitmap is broken: %s", what);
}

/* --- containers ----------------------------------------------------------------------------------------- */

static weir_rc
dv_add(struct weir_dv *dv, const struct container *c, struct weir_error *err)
{
    if (dv->n == dv->cap) {
        size_t cap = dv->cap == 0 ? 16 : dv->cap * 2;
        struct container *at = weir_heap_grow(dv->q, dv->at, dv->cap * sizeof(*at), cap * sizeof(*at));

        if (at == NULL)
            return weir_fail(err, WEIR_NOMEM, "no memory for a deletion vector; raise weir.memoryLimit");
        dv->at = at;
        dv->cap = cap;
    }
    if (dv->n > 0 && dv->at[dv->n - 1].key >= c->key)
        return dv_bad("its keys are not in order", err);
    dv->at[dv->n++] = *c;
    return WEIR_OK;
}

static bool
array_is_sorted(const unsigned char *p, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (le16(p + 2 * i) <= le16(p + 2 * (i - 1)))
            return false;
    }
    return true;
}

static uint32_t
bitmap_count(const unsigned char *p)
{
    uint32_t n = 0;

    for (size_t i = 0; i < BITMAP_BYTES; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, p + i, sizeof(word));
        n += (uint32_t)__builtin_popcountll(word);
    }
    return n;
}

/* How many rows n runs hold; 0: they overlap, or are not in order. */
static uint32_t
runs_count(const unsigned char *p, uint32_t n)
{
    uint32_t total = 0, next = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t start = le16(p + 4 * i), more = le16(p + 4 * i + 2);

        if (start < next || start + more > UINT16_MAX)
            return 0;
        next = start + more + 1;
        total += more + 1;
    }
    return total;
}

/* The data of one container with `card` rows. */
static weir_rc
dv_container(struct weir_dv *dv, struct cursor *c, uint64_t key, uint32_t card, bool runs,
             struct weir_error *err)
{
    struct container out = {.key = key, .n = card};
    const unsigned char *p;
    bool right;

    if (runs) {
        p = cursor_take(c, 2);
        out.kind = CONTAINER_RUNS;
        out.n = p != NULL ? le16(p) : 0;
        out.at = (uint32_t)c->at;
        p = cursor_take(c, 4 * (size_t)out.n);
        right = p != NULL && runs_count(p, out.n) == card;
    } else if (card > ARRAY_MOST) {
        out.kind = CONTAINER_BITMAP;
        out.at = (uint32_t)c->at;
        p = cursor_take(c, BITMAP_BYTES);
        right = p != NULL && bitmap_count(p) == card;
    } else {
        out.kind = CONTAINER_ARRAY;
        out.at = (uint32_t)c->at;
        p = cursor_take(c, 2 * (size_t)card);
        right = p != NULL && array_is_sorted(p, card);
    }
    if (!right)
        return dv_bad(p == NULL ? "it ends too early" : "a container does not hold what it says", err);
    dv->cardinality += card;
    return dv_add(dv, &out, err);
}

/* One 32-bit bitmap at the cursor. high: the upper bits of its rows. */
static weir_rc
dv_bitmap(struct weir_dv *dv, struct cursor *c, uint64_t high, struct weir_error *err)
{
    size_t start = c->at;
    const unsigned char *cookie = cursor_take(c, 4), *flags = NULL, *heads, *offsets = NULL, *count;
    uint32_t n;

    if (cookie == NULL)
        return dv_bad("it ends too early", err);
    if (le16(cookie) == ROARING_RUNS) {
        n = le16(cookie + 2) + 1;
        flags = cursor_take(c, (n + 7) / 8);
    } else if (le32(cookie) == ROARING_PLAIN) {
        count = cursor_take(c, 4);
        n = count != NULL ? le32(count) : UINT32_MAX;
    } else {
        return dv_bad("no Roaring bitmap", err);
    }
    if (n > UINT16_MAX + 1u || (le16(cookie) == ROARING_RUNS && flags == NULL))
        return dv_bad("it ends too early", err);
    heads = cursor_take(c, 4 * (size_t)n);
    if (flags == NULL || n >= ROARING_OFFSETS_FROM)
        offsets = cursor_take(c, 4 * (size_t)n);
    if (heads == NULL || (offsets == NULL && (flags == NULL || n >= ROARING_OFFSETS_FROM)))
        return dv_bad("it ends too early", err);
    for (uint32_t i = 0; i < n; i++) {
        bool runs = flags != NULL && (flags[i / 8] >> (i % 8) & 1);

        if (offsets != NULL && le32(offsets + 4 * i) != c->at - start)
            return dv_bad("a container is not where it should be", err);
        WEIR_TRY(
            dv_container(dv, c, high << 16 | le16(heads + 4 * i), le16(heads + 4 * i + 2) + 1, runs, err));
    }
    return WEIR_OK;
}

static weir_rc
dv_portable(struct weir_dv *dv, struct cursor *c, struct weir_error *err)
{
    const unsigned char *p = cursor_take(c, 8);
    uint64_t n = p != NULL ? le32(p) | (uint64_t)le32(p + 4) << 32 : 0;

    if (p == NULL || n > DV_KEYS_MOST)
        return dv_bad("its number of parts cannot be right", err);
    for (uint64_t i = 0; i < n; i++) {
        p = cursor_take(c, 4);
        if (p == NULL || le32(p) > DV_KEYS_MOST)
            return dv_bad("it ends too early", err);
        WEIR_TRY(dv_bitmap(dv, c, le32(p), err));
    }
    return WEIR_OK;
}

static weir_rc
dv_native(struct weir_dv *dv, struct cursor *c, struct weir_error *err)
{
    const unsigned char *p = cursor_take(c, 4);
    uint32_t n = p != NULL ? le32(p) : UINT32_MAX;

    if (n > DV_KEYS_MOST)
        return dv_bad("its number of parts cannot be right", err);
    for (uint32_t i = 0; i < n; i++) {
        size_t end;

        p = cursor_take(c, 4);
        if (p == NULL || le32(p) > c->n - c->at)
            return dv_bad("it ends too early", err);
        end = c->at + le32(p);
        WEIR_TRY(dv_bitmap(dv, c, i, err));
        if (c->at != end)
            return dv_bad("a part is not as long as it says", err);
    }
    return WEIR_OK;
}

static weir_rc
dv_parse(struct weir_dv *dv, uint64_t cardinality, struct weir_error *err)
{
    struct cursor c = {dv->bytes, 0, dv->nbytes};
    const unsigned char *p = cursor_take(&c, 4);

    if (p != NULL && le32(p) == DV_MAGIC_PORTABLE)
        WEIR_TRY(dv_portable(dv, &c, err));
    else if (p != NULL && le32(p) == DV_MAGIC_NATIVE)
        WEIR_TRY(dv_native(dv, &c, err));
    else
        return dv_bad("its magic number is none", err);
    if (dv->cardinality != cardinality)
        return weir_fail(err, WEIR_CORRUPT, "a deletion vector holds %" PRIu64 " rows, the log says %" PRIu64,
                         dv->cardinality, cardinality);
    return WEIR_OK;
}

static struct weir_dv *
dv_new(size_t nbytes, struct weir_quota *q)
{
    struct weir_dv *dv = weir_heap_alloc(q, sizeof(*dv));

    if (dv == NULL)
        return NULL;
    *dv = (struct weir_dv){.q = q, .nbytes = nbytes, .bytes = weir_heap_alloc(q, nbytes + 1)};
    if (dv->bytes == NULL) {
        weir_heap_free(q, dv, sizeof(*dv));
        return NULL;
    }
    return dv;
}

weir_rc
weir_dv_parse(const void *p, size_t n, uint64_t cardinality, struct weir_quota *q, struct weir_dv **out,
              struct weir_error *err)
{
    struct weir_dv *dv = n <= DV_BYTES_MOST ? dv_new(n, q) : NULL;

    *out = NULL;
    if (dv == NULL)
        return weir_fail(err, WEIR_NOMEM,
                         "no memory for a deletion vector of %zu bytes; raise weir.memoryLimit", n);
    memcpy(dv->bytes, p, n);
    if (dv_parse(dv, cardinality, err) != WEIR_OK) {
        weir_dv_free(dv);
        return err->rc;
    }
    *out = dv;
    return WEIR_OK;
}

void
weir_dv_free(struct weir_dv *dv)
{
    if (dv == NULL)
        return;
    weir_heap_free(dv->q, dv->bytes, dv->nbytes + 1);
    weir_heap_free(dv->q, dv->at, dv->cap * sizeof(*dv->at));
    weir_heap_free(dv->q, dv, sizeof(*dv));
}

uint64_t
weir_dv_cardinality(const struct weir_dv *dv)
{
    return dv->cardinality;
}

/* --- looking up ----------------------------------------------------------------------------------------- */

/* How many of n values, `step` bytes apart, are at most v. They ascend. */
static uint32_t
upper(const unsigned char *p, uint32_t n, size_t step, uint32_t v)
{
    uint32_t lo = 0, hi = n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (le16(p + step * mid) <= v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool
container_has(const struct weir_dv *dv, const struct container *c, uint32_t low)
{
    const unsigned char *p = dv->bytes + c->at;
    uint32_t i;

    switch (c->kind) {
    case CONTAINER_BITMAP:
        return p[low / 8] >> (low % 8) & 1;
    case CONTAINER_ARRAY:
        i = upper(p, c->n, 2, low);
        return i > 0 && le16(p + 2 * (i - 1)) == low;
    default:
        i = upper(p, c->n, 4, low);
        return i > 0 && low - le16(p + 4 * (i - 1)) <= le16(p + 4 * (i - 1) + 2);
    }
}

bool
weir_dv_has(const struct weir_dv *dv, uint64_t row)
{
    uint64_t key = row >> 16;
    size_t lo = 0, hi = dv->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (dv->at[mid].key < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < dv->n && dv->at[lo].key == key &&
           container_has(dv, &dv->at[lo], (uint32_t)(row & UINT16_MAX));
}

/* --- Z85 ------------------------------------------------------------------------------------------------ */

/* The digit's value; -1: none. */
static int
z85_digit(char c)
{
    static const char digits[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* Five characters into four bytes, big-endian. A last group of some writers begins with k times '#', which
 * overflows 32 bits: it holds 4 - k bytes in its other characters. Returns the number of bytes; 0: not Z85.
 * */
static unsigned
z85_group(const char *text, unsigned char out[4])
{
    uint64_t v = 0;
    unsigned pad = 0, n;

    for (unsigned i = 0; i < 5; i++) {
        int d = z85_digit(text[i]);

        if (d < 0)
            return 0;
        v = v * 85 + (uint64_t)d;
    }
    if (v > UINT32_MAX) {
        while (pad < 3 && text[pad] == '#')
            pad++;
        v = 0;
        for (unsigned i = pad; i < 5; i++)
            v = v * 85 + (uint64_t)z85_digit(text[i]);
    }
    n = 4 - pad;
    if (n < 4 ? v >> (8 * n) != 0 : v > UINT32_MAX)
        return 0;
    for (unsigned i = 0; i < n; i++)
        out[i] = (unsigned char)(v >> (8 * (n - 1 - i)));
    return n;
}

/* Appends the bytes of the text; false: it is not Z85. */
static bool
z85_decode(const char *text, size_t len, unsigned char *out, size_t *n)
{
    *n = 0;
    if (len % 5 != 0)
        return false;
    for (size_t i = 0; i < len; i += 5) {
        unsigned got = z85_group(text + i, out + *n);

        if (got == 0 || (got < 4 && i + 5 < len))
            return false;
        *n += got;
    }
    return true;
}

/* --- where they stand ----------------------------------------------------------------------------------- */

static weir_rc
dv_inline(const struct weir_dv_ref *ref, struct weir_quota *q, struct weir_dv **out, struct weir_error *err)
{
    size_t len = strlen(ref->text), n;
    unsigned char *bytes = weir_heap_alloc(q, len + 4);
    weir_rc rc;

    if (bytes == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a deletion vector");
    if (!z85_decode(ref->text, len, bytes, &n) || ref->size < 0 || (uint64_t)ref->size > n)
        rc = weir_fail(err, WEIR_CORRUPT, "an inline deletion vector cannot be decoded");
    else
        rc = weir_dv_parse(bytes, (size_t)ref->size, (uint64_t)ref->cardinality, q, out, err);
    weir_heap_free(q, bytes, len + 4);
    return rc;
}

static weir_rc
input_exact(struct weir_input *in, unsigned char *p, size_t n, struct weir_error *err)
{
    size_t got;

    for (size_t at = 0; at < n; at += got) {
        WEIR_TRY(weir_input_read(in, p + at, n - at, &got, err));
        if (got == 0)
            return weir_fail(err, WEIR_CORRUPT, "ends too early for the deletion vector that the log names");
    }
    return WEIR_OK;
}

/* size, bitmap, checksum at the offset. */
static weir_rc
dv_from_input(struct weir_input *in, const struct weir_dv_ref *ref, struct weir_dv *dv,
              struct weir_error *err)
{
    unsigned char word[4];

    WEIR_TRY(input_exact(in, word, sizeof(word), err));
    if (be32(word) != (uint64_t)ref->size)
        return weir_fail(err, WEIR_CORRUPT, "a deletion vector is %u bytes long, the log says %" PRId64,
                         be32(word), ref->size);
    WEIR_TRY(input_exact(in, dv->bytes, dv->nbytes, err));
    WEIR_TRY(input_exact(in, word, sizeof(word), err));
    if (be32(word) != crc32(0, dv->bytes, (uInt)dv->nbytes))
        return weir_fail(err, WEIR_CORRUPT, "a deletion vector's checksum is wrong");
    return dv_parse(dv, (uint64_t)ref->cardinality, err);
}

static weir_rc
dv_file_version(struct weir_store *st, const char *key, struct weir_error *err)
{
    struct weir_input *in = NULL;
    unsigned char version;
    weir_rc rc;

    WEIR_GO(weir_input_open(st, key, 0, &in, err));
    WEIR_GO(input_exact(in, &version, 1, err));
    if (version != DV_FILE_VERSION)
        rc = weir_fail(err, WEIR_UNSUPPORTED, "deletion vectors of format version %u", version);
out:
    weir_input_close(in);
    return rc;
}

static weir_rc
dv_object(struct weir_store *st, const char *key, const struct weir_dv_ref *ref, struct weir_quota *q,
          struct weir_dv **out, struct weir_error *err)
{
    int64_t offset = ref->offset >= 0 ? ref->offset : 1;
    struct weir_input *in = NULL;
    struct weir_dv *dv = NULL;
    struct weir_object obj;
    weir_rc rc;

    WEIR_GO(weir_store_head(st, key, &obj, err));
    if (ref->size < 0 || ref->size > obj.size || (uint64_t)ref->size > DV_BYTES_MOST || offset > obj.size)
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "is too small for the deletion vector that the log names"));
    WEIR_GO(dv_file_version(st, key, err));
    dv = dv_new((size_t)ref->size, q);
    if (dv == NULL)
        WEIR_GO(weir_fail(err, WEIR_NOMEM,
                          "no memory for a deletion vector of %" PRId64 " bytes; raise "
                          "weir.memoryLimit",
                          ref->size));
    WEIR_GO(weir_input_open(st, key, offset, &in, err));
    WEIR_GO(dv_from_input(in, ref, dv, err));
    *out = dv;
    dv = NULL;
out:
    weir_input_close(in);
    weir_dv_free(dv);
    if (rc == WEIR_NOTFOUND)
        err->rc = WEIR_CORRUPT;
    return rc == WEIR_OK ? rc : weir_error_context(err, "%s/%s", st->path, key);
}

/* [prefix/]deletion_vector_UUID.bin */
static weir_rc
dv_key(const char *text, char *key, size_t size, struct weir_error *err)
{
    size_t len = strlen(text), prefix = len - DV_UUID_TEXT, n = 0;
    unsigned char u[DV_UUID_TEXT];
    int wrote;

    if (len < DV_UUID_TEXT || !z85_decode(text + prefix, DV_UUID_TEXT, u, &n) || n != 16)
        return weir_fail(err, WEIR_CORRUPT, "\"%.60s\" names no deletion vector", text);
    wrote = snprintf(
        key, size,
        "%.*s%sdeletion_vector_%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x.bin",
        (int)prefix, text, prefix > 0 ? "/" : "", u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9],
        u[10], u[11], u[12], u[13], u[14], u[15]);
    return wrote > 0 && (size_t)wrote < size
               ? WEIR_OK
               : weir_fail(err, WEIR_CORRUPT, "a deletion vector's prefix is too long");
}

/* Anywhere: a store of its own on the folder. */
static weir_rc
dv_absolute(const struct weir_dv_ref *ref, struct weir_quota *q, struct weir_dv **out, struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, q, "deletion vector");
    struct weir_buf path = {.max = WEIR_SMALL_MAX, .q = q};
    struct weir_store *st = NULL;
    char *slash;
    weir_rc rc;

    if (mem == NULL)
        return weir_fail(err, WEIR_NOMEM, "no memory for a deletion vector");
    (void)weir_uri_decode(ref->text, strlen(ref->text), &path);
    weir_buf_byte(&path, '\0');
    WEIR_GO(weir_buf_check(&path, err));
    slash = strrchr(path.data, '/');
    if (slash == NULL || slash == path.data || slash[1] == '\0')
        WEIR_GO(weir_fail(err, WEIR_CORRUPT, "\"%.200s\" names no deletion vector", ref->text));
    *slash = '\0';
    WEIR_GO(weir_store_open(path.data, mem, &st, err));
    rc = dv_object(st, slash + 1, ref, q, out, err);
out:
    weir_store_close(st);
    weir_buf_fini(&path);
    weir_mem_free(mem);
    return rc;
}

weir_rc
weir_dv_read(struct weir_store *st, const struct weir_dv_ref *ref, struct weir_quota *q, struct weir_dv **out,
             struct weir_error *err)
{
    char key[512];

    *out = NULL;
    if (ref->cardinality < 0)
        return weir_fail(err, WEIR_CORRUPT, "a deletion vector of %" PRId64 " rows", ref->cardinality);
    switch (ref->type) {
    case 'i':
        return dv_inline(ref, q, out, err);
    case 'p':
        return dv_absolute(ref, q, out, err);
    case 'u':
        WEIR_TRY(dv_key(ref->text, key, sizeof(key), err));
        return dv_object(st, key, ref, q, out, err);
    default:
        return weir_fail(err, WEIR_UNSUPPORTED, "deletion vectors of storage type %c", ref->type);
    }
}
