/* Spark's type coercion: TypeCoercion and AnsiTypeCoercion of Spark 4.0, as far as weir's types go.
 *
 * 1. Symmetric rules are written once: the smaller kind first (coerce_order).
 * 2. Nested types are widened field by field; names of structs must agree without regard to case, and the
 *    left one's spelling wins; an element may become null where its cast may.
 * Recursion is bounded by WEIR_NEST_MAX, which types keep. */
#include "sql/coerce.h"

#include "base/limits.h"
#include "base/str.h"

enum { DECIMAL_MAX = 38, DECIMAL_MIN_SCALE = 6 };

static const struct weir_field interval_day_field = {
    .name = "interval day to second", .name_len = 22, .nullable = false, .type = &weir_type_long};
static const struct weir_field interval_month_field = {
    .name = "interval year to month", .name_len = 22, .nullable = false, .type = &weir_type_int};
const struct weir_type weir_type_interval_day = {
    .kind = WEIR_STRUCT, .nfields = 1, .fields = &interval_day_field};
const struct weir_type weir_type_interval_month = {
    .kind = WEIR_STRUCT, .nfields = 1, .fields = &interval_month_field};

bool
weir_type_is_interval(const struct weir_type *type)
{
    return type == &weir_type_interval_day || type == &weir_type_interval_month;
}

/* ---- decimals ---- */

const struct weir_type *
weir_coerce_decimal_bounded(struct weir_mem *mem, int precision, int scale)
{
    return weir_type_decimal(mem, (unsigned)(precision < DECIMAL_MAX ? precision : DECIMAL_MAX),
                             (unsigned)(scale < DECIMAL_MAX ? scale : DECIMAL_MAX));
}

const struct weir_type *
weir_coerce_decimal(struct weir_mem *mem, int precision, int scale)
{
    int digits, least;

    if (precision <= DECIMAL_MAX)
        return weir_type_decimal(mem, (unsigned)precision, (unsigned)scale);
    digits = precision - scale; /* in front of the point: kept */
    least = scale < DECIMAL_MIN_SCALE ? scale : DECIMAL_MIN_SCALE;
    scale = DECIMAL_MAX - digits > least ? DECIMAL_MAX - digits : least;
    return weir_type_decimal(mem, DECIMAL_MAX, (unsigned)scale);
}

const struct weir_type *
weir_coerce_decimal_of(struct weir_mem *mem, const struct weir_type *type)
{
    switch (type->kind) {
    case WEIR_BYTE:
        return weir_type_decimal(mem, 3, 0);
    case WEIR_SHORT:
        return weir_type_decimal(mem, 5, 0);
    case WEIR_INT:
        return weir_type_decimal(mem, 10, 0);
    case WEIR_LONG:
        return weir_type_decimal(mem, 20, 0);
    case WEIR_FLOAT:
        return weir_type_decimal(mem, 14, 7);
    case WEIR_DOUBLE:
        return weir_type_decimal(mem, 30, 15);
    case WEIR_DECIMAL:
        return type;
    default:
        return NULL;
    }
}

/* Both fit: the wider scale and the wider range; over 38 digits the fraction gives way first. */
static const struct weir_type *
decimal_wider(struct weir_mem *mem, const struct weir_type *a, const struct weir_type *b)
{
    int scale = a->scale > b->scale ? a->scale : b->scale;
    int left = a->precision - a->scale, right = b->precision - b->scale;
    int precision = (left > right ? left : right) + scale;

    if (precision > DECIMAL_MAX) {
        scale = scale > precision - DECIMAL_MAX ? scale - (precision - DECIMAL_MAX) : 0;
        precision = DECIMAL_MAX;
    }
    return weir_type_decimal(mem, (unsigned)precision, (unsigned)scale);
}

/* At least one is a decimal, the other a number. */
static const struct weir_type *
decimal_common(struct weir_mem *mem, const struct weir_type *a, const struct weir_type *b)
{
    if (a->kind == WEIR_FLOAT || a->kind == WEIR_DOUBLE || b->kind == WEIR_FLOAT || b->kind == WEIR_DOUBLE)
        return &weir_type_double;
    a = weir_coerce_decimal_of(mem, a);
    b = weir_coerce_decimal_of(mem, b);
    return a == NULL || b == NULL ? NULL : decimal_wider(mem, a, b);
}

/* ---- scalars ---- */

static const struct weir_type *
number_common(struct weir_mem *mem, bool ansi, const struct weir_type *a, const struct weir_type *b)
{
    const struct weir_type *wide = a->kind > b->kind ? a : b, *slim = a->kind > b->kind ? b : a;

    if (a->kind == WEIR_DECIMAL || b->kind == WEIR_DECIMAL)
        return decimal_common(mem, a, b);
    if (ansi && wide->kind == WEIR_FLOAT && weir_kind_is_integral(slim->kind))
        return &weir_type_double; /* a float would lose digits of the integer */
    return wide;
}

/* A string and a scalar that is none. */
static const struct weir_type *
string_common(bool ansi, const struct weir_type *other)
{
    if (weir_type_is_interval(other) || weir_kind_is_nested(other->kind))
        return NULL;
    if (!ansi)
        return other->kind == WEIR_BINARY || other->kind == WEIR_BOOLEAN ? NULL : &weir_type_string;
    if (weir_kind_is_integral(other->kind))
        return &weir_type_long;
    return weir_kind_is_numeric(other->kind) ? &weir_type_double : other;
}

static const struct weir_type *
datetime_common(const struct weir_type *a, const struct weir_type *b)
{
    if (a->kind == WEIR_TIMESTAMP || b->kind == WEIR_TIMESTAMP)
        return &weir_type_timestamp;
    return &weir_type_timestamp_ntz;
}

/* ---- nested ---- */

static bool
nested_nullable(const struct weir_field *a, const struct weir_field *b, const struct weir_type *wide)
{
    return a->nullable || b->nullable || weir_coerce_force_nullable(a->type, wide) ||
           weir_coerce_force_nullable(b->type, wide);
}

static const struct weir_type *
struct_common(struct weir_mem *mem, bool ansi, const struct weir_type *a, const struct weir_type *b)
{
    struct weir_field *fields;

    if (a->nfields != b->nfields || weir_type_is_interval(a) || weir_type_is_interval(b))
        return NULL;
    fields = weir_mem_zalloc(mem, (a->nfields + 1) * sizeof(*fields));
    if (fields == NULL)
        return NULL;
    for (uint32_t i = 0; i < a->nfields; i++) {
        const struct weir_field *x = &a->fields[i], *y = &b->fields[i];

        fields[i] = (struct weir_field){.name = x->name, .name_len = x->name_len};
        if (!weir_slice_is_nocase(weir_slice(x->name, x->name_len), y->name) ||
            (fields[i].type = weir_coerce_wider(mem, ansi, x->type, y->type)) == NULL)
            return NULL;
        fields[i].nullable = nested_nullable(x, y, fields[i].type);
    }
    return weir_type_struct(mem, fields, a->nfields);
}

static const struct weir_type *
nested_common(struct weir_mem *mem, bool ansi, const struct weir_type *a, const struct weir_type *b)
{
    const struct weir_type *key, *value;

    if (a->kind == WEIR_STRUCT)
        return struct_common(mem, ansi, a, b);
    if (a->kind == WEIR_ARRAY) {
        value = weir_coerce_wider(mem, ansi, a->fields[0].type, b->fields[0].type);
        return value == NULL ? NULL
                             : weir_type_array(mem, value, nested_nullable(a->fields, b->fields, value));
    }
    if (a->kind != WEIR_MAP)
        return NULL;
    key = weir_coerce_wider(mem, ansi, weir_map_key(a)->type, weir_map_key(b)->type);
    value = weir_coerce_wider(mem, ansi, weir_map_value(a)->type, weir_map_value(b)->type);
    if (key == NULL || value == NULL || nested_nullable(weir_map_key(a), weir_map_key(b), key))
        return NULL; /* a key may not become null */
    return weir_type_map(mem, key, value, nested_nullable(weir_map_value(a), weir_map_value(b), value));
}

/* ---- rules ---- */

const struct weir_type *
weir_coerce_wider(struct weir_mem *mem, bool ansi, const struct weir_type *a, const struct weir_type *b)
{
    if (weir_type_equal(a, b) || b->kind == WEIR_VOID)
        return a;
    if (a->kind == WEIR_VOID)
        return b;
    if (weir_kind_is_numeric(a->kind) && weir_kind_is_numeric(b->kind))
        return weir_type_same(a, b) ? a : number_common(mem, ansi, a, b);
    if (weir_kind_is_datetime(a->kind) && weir_kind_is_datetime(b->kind))
        return a->kind == b->kind ? a : datetime_common(a, b);
    if (a->kind == b->kind)
        return weir_kind_is_nested(a->kind) ? nested_common(mem, ansi, a, b) : a;
    if (a->kind == WEIR_STRING)
        return string_common(ansi, b);
    if (b->kind == WEIR_STRING)
        return string_common(ansi, a);
    return NULL;
}

const struct weir_type *
weir_coerce_compared(struct weir_mem *mem, bool ansi, const struct weir_type *a, const struct weir_type *b)
{
    const struct weir_type *other = a->kind == WEIR_STRING ? b : a;

    if (ansi || a->kind == b->kind || (a->kind != WEIR_STRING && b->kind != WEIR_STRING))
        return weir_coerce_wider(mem, ansi, a, b);
    if (other->kind == WEIR_VOID)
        return &weir_type_string;
    if (weir_type_is_interval(other) || weir_kind_is_nested(other->kind))
        return NULL;
    return other->kind == WEIR_DECIMAL ? &weir_type_double : other; /* no decimal holds every text */
}

bool
weir_coerce_implicit(bool ansi, const struct weir_type *from, const struct weir_type *to)
{
    if (weir_type_same(from, to) || from->kind == WEIR_VOID)
        return true;
    if (weir_type_is_interval(from) || weir_type_is_interval(to))
        return false;
    if (from->kind == WEIR_ARRAY && to->kind == WEIR_ARRAY)
        return weir_coerce_implicit(ansi, from->fields[0].type, to->fields[0].type);
    if (from->kind == WEIR_MAP && to->kind == WEIR_MAP)
        return weir_coerce_implicit(ansi, weir_map_key(from)->type, weir_map_key(to)->type) &&
               weir_coerce_implicit(ansi, weir_map_value(from)->type, weir_map_value(to)->type);
    if (weir_kind_is_nested(from->kind) || weir_kind_is_nested(to->kind))
        return false;
    if (to->kind == WEIR_STRING)
        return true;
    if (from->kind == WEIR_STRING)
        return ansi || to->kind != WEIR_BOOLEAN;
    if (weir_kind_is_numeric(from->kind) && weir_kind_is_numeric(to->kind))
        return true;
    return weir_kind_is_datetime(from->kind) && weir_kind_is_datetime(to->kind);
}

/* ---- casts ---- */

static bool
castable_nested(bool ansi, const struct weir_type *from, const struct weir_type *to)
{
    if (from->kind != to->kind || from->nfields != to->nfields || weir_type_is_interval(from) ||
        weir_type_is_interval(to))
        return false;
    for (uint32_t i = 0; i < from->nfields; i++) {
        const struct weir_field *x = &from->fields[i], *y = &to->fields[i];

        if (!weir_coerce_castable(ansi, x->type, y->type))
            return false;
        if (!y->nullable && (x->nullable || (!ansi && weir_coerce_force_nullable(x->type, y->type))))
            return false; /* a null would have no place */
    }
    return true;
}

/* Both scalars, of different kinds, neither void. */
static bool
castable_scalar(bool ansi, weir_kind from, weir_kind to)
{
    if (to == WEIR_STRING || from == WEIR_STRING)
        return true;
    if (to == WEIR_BINARY)
        return !ansi && weir_kind_is_integral(from);
    if (from == WEIR_BINARY)
        return false;
    if (weir_kind_is_numeric(from))
        return weir_kind_is_numeric(to) || to == WEIR_BOOLEAN || to == WEIR_TIMESTAMP;
    if (from == WEIR_BOOLEAN)
        return weir_kind_is_numeric(to) || (!ansi && to == WEIR_TIMESTAMP);
    if (weir_kind_is_datetime(to))
        return true;
    if (from == WEIR_TIMESTAMP)
        return weir_kind_is_numeric(to) || (!ansi && to == WEIR_BOOLEAN);
    return !ansi && from == WEIR_DATE && (weir_kind_is_numeric(to) || to == WEIR_BOOLEAN); /* always null */
}

bool
weir_coerce_castable(bool ansi, const struct weir_type *from, const struct weir_type *to)
{
    if (weir_type_same(from, to) || from->kind == WEIR_VOID)
        return true;
    if (to->kind == WEIR_VOID || from->kind == WEIR_VARIANT || to->kind == WEIR_VARIANT)
        return false;
    if (to->kind == WEIR_STRING)
        return true;
    if (weir_kind_is_nested(from->kind) || weir_kind_is_nested(to->kind))
        return castable_nested(ansi, from, to);
    return from->kind == to->kind || castable_scalar(ansi, from->kind, to->kind);
}

/* Does every value of the number fit the decimal without a loss? (DecimalType.isWiderThan) */
static bool
decimal_holds(const struct weir_type *to, const struct weir_type *from)
{
    int precision = from->precision, scale = from->scale;

    if (from->kind == WEIR_BOOLEAN) {
        precision = 1;
        scale = 0;
    } else if (weir_kind_is_integral(from->kind)) {
        precision = (const int[]){3, 5, 10, 20}[from->kind - WEIR_BYTE];
        scale = 0;
    } else if (from->kind != WEIR_DECIMAL) {
        return false;
    }
    return to->precision - to->scale >= precision - scale && to->scale >= scale;
}

bool
weir_coerce_force_nullable(const struct weir_type *from, const struct weir_type *to)
{
    if (from->kind == WEIR_VOID || weir_type_same(from, to) || to->kind == WEIR_STRING)
        return false;
    if (from->kind == WEIR_STRING)
        return to->kind != WEIR_BINARY;
    if (from->kind == WEIR_TIMESTAMP && weir_kind_is_integral(to->kind))
        return to->kind != WEIR_LONG;
    if ((from->kind == WEIR_FLOAT || from->kind == WEIR_DOUBLE) && to->kind == WEIR_TIMESTAMP)
        return true;
    if (weir_kind_is_datetime(from->kind) && weir_kind_is_datetime(to->kind))
        return false;
    if (to->kind == WEIR_DATE || from->kind == WEIR_DATE)
        return true;
    if (to->kind == WEIR_DECIMAL)
        return !decimal_holds(to, from);
    return (from->kind == WEIR_FLOAT || from->kind == WEIR_DOUBLE || from->kind == WEIR_DECIMAL) &&
           weir_kind_is_integral(to->kind);
}

bool
weir_type_orderable(const struct weir_type *type)
{
    if (type->kind == WEIR_MAP || type->kind == WEIR_VARIANT)
        return false;
    for (uint32_t i = 0; i < type->nfields; i++)
        if (!weir_type_orderable(type->fields[i].type))
            return false;
    return true;
}
