/* The fields of one struct while a schema is parsed. */
#include "column/fields_int.h"

#include <string.h>

#include "base/limits.h"
#include "base/str.h"

void
weir_fields_init(struct weir_fields *list, struct weir_mem *scratch, uint32_t *leaves, weir_rc bad)
{
    *list = (struct weir_fields){.scratch = scratch, .leaves = leaves, .bad = bad};
    weir_map_init(&list->seen, scratch);
}

static weir_rc
fields_grow(struct weir_fields *list, struct weir_error *err)
{
    uint32_t cap = list->cap == 0 ? 8 : list->cap * 2;
    struct weir_field *at = weir_mem_alloc(list->scratch, cap * sizeof(*at));

    if (at == NULL)
        return weir_mem_fail(list->scratch, cap * sizeof(*at), err);
    if (list->n > 0)
        memcpy(at, list->at, list->n * sizeof(*at));
    list->at = at;
    list->cap = cap;
    return WEIR_OK;
}

static weir_rc
fields_note_name(struct weir_fields *list, const struct weir_field *field, struct weir_error *err)
{
    char *lower = weir_mem_strndup(list->scratch, field->name, field->name_len);
    void *before;
    char *c;

    if (lower == NULL)
        return weir_mem_fail(list->scratch, field->name_len, err);
    for (c = lower; *c != '\0'; c++)
        *c = weir_lower(*c);
    WEIR_TRY(weir_map_put(&list->seen, lower, field->name_len, lower, &before, err));
    if (before == NULL)
        return WEIR_OK;
    weir_fail(err, list->bad, "there are two columns \"%s\"", field->name);
    return weir_error_hint(err, "names of one struct must differ in more than upper and lower case");
}

weir_rc
weir_fields_add(struct weir_fields *list, const struct weir_field *field, struct weir_error *err)
{
    if (field->name_len > WEIR_NAME_MAX)
        return weir_fail(err, list->bad, "a column name of %u bytes; the limit is %d", field->name_len,
                         WEIR_NAME_MAX);
    if (list->n >= WEIR_FIELDS_MAX)
        return weir_fail(err, list->bad, "more than %d columns", WEIR_FIELDS_MAX);
    WEIR_TRY(fields_note_name(list, field, err));
    if (list->n == list->cap)
        WEIR_TRY(fields_grow(list, err));
    list->at[list->n++] = *field;
    return WEIR_OK;
}

weir_rc
weir_fields_build(const struct weir_fields *list, struct weir_mem *mem, const struct weir_type **out,
                  struct weir_error *err)
{
    *out = weir_type_struct(mem, list->at, list->n);
    return *out == NULL ? weir_mem_fail(mem, list->n * sizeof(*list->at), err) : WEIR_OK;
}

weir_rc
weir_leaf_count(uint32_t *leaves, weir_rc bad, struct weir_error *err)
{
    if (++*leaves > WEIR_FIELDS_MAX)
        return weir_fail(err, bad, "more than %d columns, nested ones counted", WEIR_FIELDS_MAX);
    return WEIR_OK;
}
