/* Changes of types. delta/widening.h. */
#include "delta/widening.h"

#include "base/limits.h"
#include "base/str.h"

static int
integer_rank(const char *name)
{
    static const char *const names[] = {"byte", "short", "integer", "long"};

    for (int i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0)
            return i;
    }
    return -1;
}

/* "decimal(10,2)"; false: no decimal. */
static bool
decimal_of(const char *name, int *whole, int *scale)
{
    int precision, end = 0;

    if (sscanf(name, "decimal(%d , %d )%n", &precision, scale, &end) < 2 || name[end] != '\0')
        return false;
    *whole = precision - *scale;
    return true;
}

static bool
widening_known(const char *from, const char *to)
{
    static const int digits[] = {10, 10, 10, 20};
    int a = integer_rank(from), b = integer_rank(to), whole, scale, from_whole, from_scale;

    if (strcmp(from, to) == 0 || (a >= 0 && b >= a))
        return true;
    if (strcmp(to, "double") == 0)
        return strcmp(from, "float") == 0 || (a >= 0 && a <= 2);
    if (strcmp(to, "timestamp_ntz") == 0)
        return strcmp(from, "date") == 0;
    if (!decimal_of(to, &whole, &scale))
        return false;
    if (a >= 0)
        return whole >= digits[a];
    return decimal_of(from, &from_whole, &from_scale) && whole >= from_whole && scale >= from_scale;
}

static weir_rc
field_check(const struct weir_field *f, struct weir_error *err)
{
    struct weir_error ignored = {0};
    const json_t *changes, *change;
    json_t *doc = NULL;
    weir_rc rc = WEIR_OK;
    size_t i;

    if (f->metadata == NULL || strstr(f->metadata, "\"delta.typeChanges\"") == NULL ||
        weir_json_load(f->metadata, strlen(f->metadata), &doc, &ignored) != WEIR_OK)
        return WEIR_OK;
    changes = json_object_get(doc, "delta.typeChanges");
    json_array_foreach(changes, i, change)
    {
        const char *from = json_string_value(json_object_get(change, "fromType"));
        const char *to = json_string_value(json_object_get(change, "toType"));

        if (rc == WEIR_OK && (from == NULL || to == NULL || !widening_known(from, to)))
            rc = weir_fail(err, WEIR_UNSUPPORTED, "column %s was changed from %s to %s", f->name,
                           from != NULL ? from : "a type", to != NULL ? to : "another");
    }
    json_decref(doc);
    return rc;
}

weir_rc
weir_widening_check(const struct weir_type *schema, struct weir_error *err)
{
    for (uint32_t i = 0; i < schema->nfields; i++) {
        WEIR_TRY(field_check(&schema->fields[i], err));
        WEIR_TRY(weir_widening_check(schema->fields[i].type, err));
    }
    return WEIR_OK;
}
