/* The writer's memory beside its arena: arrays that grow, and a stack of scratch for one step.
 *
 * 1. All of it is counted under the writer's quota; arrays are kept from row group to row group, unless one page has
 *    stretched them far (weir_array_trim).
 * 2. Behind an array's room and a stack's object WEIR_ARRAY_SLACK bytes may be written to: loops store whole words.
 * 3. A chunk of the stack is kept when it is left, so that a steady run does not allocate. */
#include "codec/parquet_int.h"

/* ---- growing arrays ---- */

weir_rc
weir_array_room(struct weir_quota *q, struct weir_array *h, size_t more, struct weir_error *err)
{
    size_t need = h->len + more + WEIR_ARRAY_SLACK, cap;
    uint8_t *p;

    if (need <= h->cap)
        return WEIR_OK;
    cap = need < 1024 ? 1024 : need + need / 2;
    p = weir_heap_grow(q, h->p, h->cap, cap);
    if (p == NULL)
        return weir_heap_fail(q, cap, "a Parquet file", err);
    h->p = p;
    h->cap = cap;
    return WEIR_OK;
}

void
weir_array_fini(struct weir_quota *q, struct weir_array *h)
{
    weir_heap_free(q, h->p, h->cap);
    *h = (struct weir_array){0};
}

void
weir_array_trim(struct weir_quota *q, struct weir_array *h, size_t most)
{
    if (h->cap > most)
        weir_array_fini(q, h);
}

/* ---- the stack ---- */

enum { STACK_CHUNK = 64 * 1024, STACK_KEEP = 1 << 20, STACK_ALIGN = 64 };

struct weir_stack_chunk {
    struct weir_stack_chunk *below;
    size_t cap, used;
    _Alignas(STACK_ALIGN) uint8_t bytes[];
};

static void
stack_free_chunk(struct weir_stack *st, struct weir_stack_chunk *c)
{
    if (c != NULL)
        weir_heap_free(st->q, c, sizeof(*c) + c->cap);
}

static struct weir_stack_chunk *
stack_push(struct weir_stack *st, size_t size)
{
    struct weir_stack_chunk *c = st->spare;

    st->spare = NULL;
    if (c == NULL || c->cap < size) {
        size_t cap = size < STACK_CHUNK ? STACK_CHUNK : size;

        stack_free_chunk(st, c);
        c = weir_heap_alloc(st->q, sizeof(*c) + cap);
        if (c == NULL)
            return NULL;
        c->cap = cap;
    }
    c->used = 0;
    c->below = st->top;
    st->top = c;
    return c;
}

void *
weir_stack_alloc(struct weir_stack *st, size_t size)
{
    struct weir_stack_chunk *c = st->top;
    void *p;

    size = (size + WEIR_ARRAY_SLACK + STACK_ALIGN - 1) & ~(size_t)(STACK_ALIGN - 1);
    if (c == NULL || c->cap - c->used < size)
        c = stack_push(st, size);
    if (c == NULL)
        return NULL;
    p = c->bytes + c->used;
    c->used += size;
    return p;
}

struct weir_stack_mark
weir_stack_mark(const struct weir_stack *st)
{
    return (struct weir_stack_mark){st->top, st->top != NULL ? st->top->used : 0};
}

void
weir_stack_release(struct weir_stack *st, struct weir_stack_mark mark)
{
    while (st->top != mark.chunk) {
        struct weir_stack_chunk *c = st->top;

        st->top = c->below;
        if (st->spare == NULL && c->cap <= STACK_KEEP)
            st->spare = c;
        else
            stack_free_chunk(st, c);
    }
    if (st->top != NULL)
        st->top->used = mark.used;
}

void
weir_stack_fini(struct weir_stack *st)
{
    weir_stack_release(st, (struct weir_stack_mark){NULL, 0});
    stack_free_chunk(st, st->spare);
    st->spare = NULL;
}
