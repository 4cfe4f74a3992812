/* The text of the rescued data column: one JSON object that keeps what found no place in the row.
 *
 *   {"price":"$100","address":{"zip":7},"_file_path":"file:///in/a.json"}
 *
 * 1. It is written while the record is parsed, in the record's order: an object of the record that holds
 *    something rescued is opened when the first such value comes and closed when the parser leaves it.
 * 2. Values stand as in the file. What is no standard JSON, and an object or array where a scalar was
 *    expected, stands as a JSON string of its text (Auto Loader does so).
 * 3. A key that came several times may stand several times: the text keeps all values that lost.
 * 4. The text is JSON and UTF-8, whatever the record was. */
#include "codec/json_int.h"

#include "base/str.h"

/* The key that begins at `at`, as the file spells it; one that is no standard JSON in standard JSON's
 * quotes. */
static void
rescue_key(struct json_rescue *r, struct json_frame *frame, const char *at)
{
    struct json_text probe = *r->text;
    struct json_string key;

    probe.loose = false;
    if (weir_json_key(&probe, at, &key) == NULL) {
        WEIR_ASSERT(false); /* it was read before */
    }
    if (frame->any)
        weir_buf_byte(&r->buf, ',');
    frame->any = true;
    if (probe.loose) {
        weir_buf_json(&r->buf, key.at, key.len);
    } else {
        weir_buf_byte(&r->buf, '"');
        weir_buf_add(&r->buf, key.at, key.len);
        weir_buf_byte(&r->buf, '"');
    }
    weir_buf_byte(&r->buf, ':');
}

/* At most as deep as the schema. */
static void
rescue_open(struct json_rescue *r, struct json_frame *frame)
{
    if (frame->open)
        return;
    if (frame->up != NULL) {
        rescue_open(r, frame->up);
        rescue_key(r, frame->up, frame->key);
    }
    weir_buf_byte(&r->buf, '{');
    frame->open = true;
}

void
weir_json_rescue_put(struct json_rescue *r, const char *key, struct weir_slice value, bool as_text)
{
    rescue_open(r, r->frame);
    rescue_key(r, r->frame, key);
    if (as_text)
        weir_buf_json(&r->buf, value.ptr, value.len);
    else
        weir_buf_add(&r->buf, value.ptr, value.len);
}

void
weir_json_rescue_text(struct json_rescue *r, struct weir_slice text)
{
    rescue_open(r, r->frame);
    weir_buf_str(&r->buf, r->frame->any ? ",\"_corrupt_record\":" : "\"_corrupt_record\":");
    weir_buf_json(&r->buf, text.ptr, text.len);
    r->frame->any = true;
}

void
weir_json_rescue_leave(struct json_rescue *r, struct json_frame *frame)
{
    if (frame->open)
        weir_buf_byte(&r->buf, '}');
    r->frame = frame->up;
}

void
weir_json_rescue_end(struct json_rescue *r, struct weir_slice path)
{
    if (path.ptr != NULL) {
        weir_buf_str(&r->buf, ",\"_file_path\":");
        weir_buf_json(&r->buf, path.ptr, path.len);
    }
    weir_buf_byte(&r->buf, '}');
}

/* ---- Text that is no UTF-8 */

/* Bytes that a sequence with this lead byte has, and what its second byte may be (Unicode, table 3-7, but for
 * surrogates, which Java takes as one bad sequence of three bytes); 0: none. */
static unsigned
lead_length(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *high = lead == 0xf4 ? 0x8f : 0xbf;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* Bytes of p .. p + n - 1 that are one character, or (*good false) the longest part that one U+FFFD stands
 * for. */
static size_t
repair_step(const unsigned char *p, size_t n, bool *good)
{
    unsigned char low, high;
    unsigned want = lead_length(p[0], &low, &high), have = 1;

    while (have < want && have < n && p[have] >= low && p[have] <= high) {
        low = 0x80;
        high = 0xbf;
        have++;
    }
    *good = want > 0 && have == want && !(p[0] == 0xed && p[1] >= 0xa0);
    return have;
}

bool
weir_json_repair(struct weir_mem *mem, struct weir_slice text, struct weir_slice *out)
{
    size_t at = 0;
    char *copy, *to;

    if (text.len > UINT32_MAX / 3)
        return false;
    copy = to = weir_mem_alloc(mem, text.len * 3 + WEIR_STR_PAD);
    if (copy == NULL)
        return false;
    while (at < text.len) {
        bool good;
        size_t n = repair_step((const unsigned char *)text.ptr + at, text.len - at, &good);

        memcpy(to, good ? text.ptr + at : "\xef\xbf\xbd", good ? n : 3);
        to += good ? n : 3;
        at += n;
    }
    memset(to, 0, WEIR_STR_PAD);
    *out = weir_slice(copy, (size_t)(to - copy));
    return true;
}
