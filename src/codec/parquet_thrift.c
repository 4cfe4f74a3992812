/* Thrift's compact protocol, the writing half: varints, zigzag, field ids as steps from the last one.
 *
 * 1. Fields come in ascending order of their ids.
 * 2. A bool stands in its field's header; sizes and texts cannot fail here: the buffer says at the end
 *    whether all fitted. */
#include "codec/parquet_int.h"

static void
thrift_varint(struct weir_thrift *t, uint64_t v)
{
    while (v >= 0x80) {
        weir_buf_byte(t->buf, (char)(v | 0x80));
        v >>= 7;
    }
    weir_buf_byte(t->buf, (char)v);
}

static void
thrift_zigzag(struct weir_thrift *t, int64_t v)
{
    thrift_varint(t, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static void
thrift_field(struct weir_thrift *t, int16_t id, enum weir_thrift_type type)
{
    int16_t *last = &t->last[t->depth - 1];
    int step = id - *last;

    WEIR_ASSERT(step > 0);
    if (step <= 15) {
        weir_buf_byte(t->buf, (char)(step << 4 | (int)type));
    } else {
        weir_buf_byte(t->buf, (char)type);
        thrift_zigzag(t, id);
    }
    *last = id;
}

void
weir_thrift_open(struct weir_thrift *t)
{
    WEIR_ASSERT(t->depth < WEIR_THRIFT_DEPTH);
    t->last[t->depth++] = 0;
}

void
weir_thrift_close(struct weir_thrift *t)
{
    WEIR_ASSERT(t->depth > 0);
    weir_buf_byte(t->buf, 0);
    t->depth--;
}

void
weir_thrift_struct(struct weir_thrift *t, int16_t id)
{
    thrift_field(t, id, WEIR_THRIFT_STRUCT);
    weir_thrift_open(t);
}

void
weir_thrift_list(struct weir_thrift *t, int16_t id, enum weir_thrift_type of, uint32_t n)
{
    thrift_field(t, id, WEIR_THRIFT_LIST);
    if (n < 15) {
        weir_buf_byte(t->buf, (char)(n << 4 | (unsigned)of));
    } else {
        weir_buf_byte(t->buf, (char)(0xf0 | (unsigned)of));
        thrift_varint(t, n);
    }
}

void
weir_thrift_bool(struct weir_thrift *t, int16_t id, bool v)
{
    thrift_field(t, id, v ? WEIR_THRIFT_TRUE : WEIR_THRIFT_FALSE);
}

void
weir_thrift_byte(struct weir_thrift *t, int16_t id, int8_t v)
{
    thrift_field(t, id, WEIR_THRIFT_BYTE);
    weir_buf_byte(t->buf, (char)v);
}

void
weir_thrift_i16(struct weir_thrift *t, int16_t id, int16_t v)
{
    thrift_field(t, id, WEIR_THRIFT_I16);
    thrift_zigzag(t, v);
}

void
weir_thrift_i32(struct weir_thrift *t, int16_t id, int32_t v)
{
    thrift_field(t, id, WEIR_THRIFT_I32);
    thrift_zigzag(t, v);
}

void
weir_thrift_i64(struct weir_thrift *t, int16_t id, int64_t v)
{
    thrift_field(t, id, WEIR_THRIFT_I64);
    thrift_zigzag(t, v);
}

void
weir_thrift_binary(struct weir_thrift *t, int16_t id, const void *p, size_t n)
{
    thrift_field(t, id, WEIR_THRIFT_BINARY);
    weir_thrift_put_binary(t, p, n);
}

void
weir_thrift_put_i32(struct weir_thrift *t, int32_t v)
{
    thrift_zigzag(t, v);
}

void
weir_thrift_put_binary(struct weir_thrift *t, const void *p, size_t n)
{
    thrift_varint(t, n);
    weir_buf_add(t->buf, p, n);
}
