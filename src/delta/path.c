/* Names of partition folders; spellings of paths. delta/path.h. Pure functions. */
#include "delta/path.h"

#include <inttypes.h>
#include <string.h>

#include "base/map.h"

enum { PATH_NAME_MAX = 255, PATH_CUT = 200 };

static void
path_escape(struct weir_buf *buf, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c < 0x20 || c == 0x7f || strchr("\"#%'*/:=?\\{[]^", c) != NULL)
            weir_buf_printf(buf, "%%%02X", c);
        else
            weir_buf_byte(buf, (char)c);
    }
}

void
weir_path_partition(struct weir_buf *buf, const char *name, const char *value, size_t len)
{
    size_t start = buf->len, cut;

    path_escape(buf, name, strlen(name));
    weir_buf_byte(buf, '=');
    if (value == NULL)
        weir_buf_str(buf, "__HIVE_DEFAULT_PARTITION__");
    else
        path_escape(buf, value, len);
    if (buf->failed || buf->len - start <= PATH_NAME_MAX)
        return;
    /* The hash is over all of it, so two long values stay two folders. Never cut inside a character or an escape. */
    cut = start + PATH_CUT;
    while ((buf->data[cut] & 0xc0) == 0x80)
        cut--;
    if (buf->data[cut - 1] == '%')
        cut--;
    else if (buf->data[cut - 2] == '%')
        cut -= 2;
    {
        uint64_t hash = weir_hash(buf->data + start, buf->len - start);

        buf->len = cut;
        weir_buf_printf(buf, "~%016" PRIx64, hash);
    }
}

void
weir_path_value(const struct weir_col *col, uint32_t row, const struct weir_zone *zone, struct weir_buf *buf)
{
    char text[64];

    if (col->type->kind == WEIR_TIMESTAMP) {
        int64_t us = ((const int64_t *)col->data)[col->form == WEIR_CONST ? 0 : row];

        weir_buf_add(buf, text, weir_timestamp_print(weir_zone_to_local(zone, us), -1, ' ', "", text));
    } else {
        weir_slot_print(col, row, buf);
    }
}

static void
path_add_part(struct weir_buf *buf, const char *part, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool hex = (i >= 1 && part[i - 1] == '%') || (i >= 2 && part[i - 2] == '%');

        weir_buf_byte(buf, hex && part[i] >= 'a' && part[i] <= 'f' ? (char)(part[i] - 32) : part[i]);
    }
}

void
weir_path_normal(const char *path, size_t len, struct weir_buf *buf)
{
    size_t start = buf->len;

    for (size_t i = 0; i < len;) {
        const char *slash = memchr(path + i, '/', len - i);
        size_t end = slash != NULL ? (size_t)(slash - path) : len;

        if (end - i == 2 && path[i] == '.' && path[i + 1] == '.' && buf->len > start) {
            while (!buf->failed && buf->len > start && buf->data[buf->len - 1] != '/')
                buf->len--;
            if (buf->len > start)
                buf->len--;
        } else if (end > i && !(end - i == 1 && path[i] == '.')) {
            if (buf->len > start || path[0] == '/')
                weir_buf_byte(buf, '/');
            path_add_part(buf, path + i, end - i);
        }
        i = end + 1;
    }
}
