/* Comparing slots. column/pred.h. Pure functions. */
#include "column/pred.h"

#include <math.h>

static int
order(bool less, bool more)
{
    return more - less;
}

static int
compare_real(double a, double b)
{
    if (isnan(a) || isnan(b))
        return order(!isnan(a), !isnan(b));
    return order(a<b, a> b);
}

static int
compare_text(const struct weir_str *a, const struct weir_str *b)
{
    uint32_t n = a->len < b->len ? a->len : b->len;
    int c = memcmp(weir_str_ptr(a), weir_str_ptr(b), n);

    return c != 0 ? order(c<0, c> 0) : order(a->len<b->len, a->len> b->len);
}

#define COMPARE(T)                                                                                           \
    order(((const T *)a->data)[i]<((const T *)b->data)[j], ((const T *)a->data)[i]>((const T *)b->data)[j])

int
weir_slot_compare(const struct weir_col *a, uint32_t i, const struct weir_col *b, uint32_t j)
{
    weir_i128 x, y;

    switch (a->type->kind) {
    case WEIR_BOOLEAN:
        return COMPARE(uint8_t);
    case WEIR_BYTE:
        return COMPARE(int8_t);
    case WEIR_SHORT:
        return COMPARE(int16_t);
    case WEIR_INT:
    case WEIR_DATE:
        return COMPARE(int32_t);
    case WEIR_LONG:
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_NTZ:
        return COMPARE(int64_t);
    case WEIR_FLOAT:
        return compare_real((double)((const float *)a->data)[i], (double)((const float *)b->data)[j]);
    case WEIR_DOUBLE:
        return compare_real(((const double *)a->data)[i], ((const double *)b->data)[j]);
    case WEIR_DECIMAL:
        x = weir_decimal_get(a, i);
        y = weir_decimal_get(b, j);
        return order(x<y, x> y);
    case WEIR_STRING:
    case WEIR_BINARY:
        return compare_text(&((const struct weir_str *)a->data)[i], &((const struct weir_str *)b->data)[j]);
    default:
        return 0;
    }
}
