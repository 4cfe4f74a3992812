/* Signatures and rows of the text functions; see fn_text.h. */
#include "sql/fn_text.h"

#include <stdlib.h>

static const struct weir_field strings_field = {
    .name = "element", .name_len = 7, .nullable = true, .type = &weir_type_string};
const struct weir_type weir_type_strings = {.kind = WEIR_ARRAY, .nfields = 1, .fields = &strings_field};

static int
signature_compare(const void *name, const void *row)
{
    return strcmp(name, ((const struct weir_signature *)row)->name);
}

static const struct weir_type *
letter_type(char letter)
{
    switch (letter) {
    case 's':
        return &weir_type_string;
    case 'b':
        return &weir_type_binary;
    case 'i':
        return &weir_type_int;
    case 'l':
        return &weir_type_long;
    case 'd':
        return &weir_type_double;
    case 'z':
        return &weir_type_boolean;
    case 'a':
        return &weir_type_strings;
    default:
        return NULL;
    }
}

/* What the x of this call is: binary when all arguments of that letter are. */
static const struct weir_type *
either_type(const struct weir_resolve *r, const char *types)
{
    bool any = false;

    for (uint32_t i = 0; i < r->node->nkids; i++) {
        if (*types == 'x') {
            if (r->node->kids[i]->type->kind != WEIR_BINARY)
                return &weir_type_string;
            any = true;
        }
        if (types[0] != '\0' && types[1] != '*')
            types += types[1] == '?' ? 2 : 1;
    }
    return any ? &weir_type_binary : &weir_type_string;
}

static weir_rc
arguments_want(struct weir_resolve *r, const char *types, const struct weir_type *either,
               struct weir_error *err)
{
    for (uint32_t i = 0; i < r->node->nkids; i++) {
        const struct weir_type *want = *types == 'x' ? either : letter_type(*types);

        if (*types == 'y' && r->node->kids[i]->type->kind != WEIR_STRING)
            want = &weir_type_binary;
        WEIR_ASSERT(*types != '\0');
        if (want != NULL)
            WEIR_TRY(weir_resolve_want(r, i, want, err));
        if (types[1] != '*')
            types += types[1] == '?' ? 2 : 1;
    }
    return WEIR_OK;
}

weir_rc
weir_signature_resolve(struct weir_resolve *r, const struct weir_signature *table, size_t n,
                       struct weir_error *err)
{
    const struct weir_signature *s = bsearch(r->node->text, table, n, sizeof(*table), signature_compare);
    const struct weir_type *either;

    WEIR_ASSERT(s != NULL);
    either = either_type(r, s->types + 2);
    WEIR_TRY(arguments_want(r, s->types + 2, either, err));
    r->type = s->types[0] == 'x' ? either : letter_type(s->types[0]);
    r->nullable = true;
    if (s->flags & SIGNATURE_NEVER_NULL) {
        r->nullable = false;
        for (uint32_t i = 0; i < r->node->nkids; i++)
            r->nullable |= r->node->kids[i]->nullable;
    }
    r->plan.kernel = s->kernel;
    r->plan.prepare = s->prepare;
    r->plan.null_in_null_out = !(s->flags & SIGNATURE_SEES_NULLS);
    r->plan.is_volatile = (s->flags & SIGNATURE_VOLATILE) != 0;
    r->plan.try_ = (s->flags & SIGNATURE_TRY) != 0;
    r->plan.may_fail = (s->flags & SIGNATURE_MAY_FAIL) != 0;
    return WEIR_OK;
}

char *
weir_row_room(const struct fn_row *r, uint64_t n, weir_rc *rc)
{
    char *p = NULL;

    *rc = WEIR_OK;
    if (n > TEXT_MAX)
        *rc = weir_fail(r->err, WEIR_BADDATA, "a string of %llu bytes: at most %d can be",
                        (unsigned long long)n, TEXT_MAX);
    else if ((p = weir_mem_alloc(r->call->mem, n + WEIR_STR_PAD)) == NULL)
        *rc = weir_mem_fail(r->call->mem, n, r->err);
    else
        memset(p + n, 0, WEIR_STR_PAD);
    return p;
}

int
weir_show_len(struct weir_slice s)
{
    size_t n = s.len < 60 ? s.len : 60;

    while (n > 0 && n < s.len && (s.ptr[n] & 0xc0) == 0x80)
        n--;
    return (int)n;
}

size_t
weir_utf8_count(const char *p, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += (p[i] & 0xc0) != 0x80;
    return count;
}

size_t
weir_utf8_offset(const char *p, size_t n, uint64_t at)
{
    size_t i = 0;

    if (at >= n) /* a character has a byte at least */
        return n;
    for (; i < n && at > 0; at--)
        i += utf8_width((unsigned char)p[i]);
    return i < n ? i : n;
}

int64_t
weir_slice_find(struct weir_slice s, struct weir_slice what, size_t from)
{
    const char *p;

    if (from > s.len)
        return -1;
    p = memmem(s.ptr + from, s.len - from, what.ptr, what.len);
    return p == NULL ? -1 : p - s.ptr;
}
