/* Expressions: the parser's node becomes a bound one, with the type and nullability that Spark's analyzer
 * would give.
 *
 * 1. A CALL is resolved by its row in the table of functions; nothing else may name a function. Its arguments
 *    are cast to what the function asked for; those casts are not SHOWN: Spark's names of columns leave them
 *    out.
 * 2. Operators are CALLs; a[i] is the CALL "[]". (a, b) is the CALL named_struct.
 * 3. Depth is bounded: the parser's tree by WEIR_NEST_MAX, what aliases add to it by b->depth.
 * 4. Aggregates and window functions may stand only where b says so. */
#include "sql/bind_int.h"

#include <string.h>

#include "base/limits.h"

/* ---- casts ---- */

static weir_rc
cast_refuse(struct weir_bind *b, const struct weir_type *from, const struct weir_type *to, bool try_)
{
    struct weir_buf x = WEIR_BUF(4096), y = WEIR_BUF(4096);
    weir_rc rc;

    weir_type_print_simple(from, &x);
    weir_type_print_simple(to, &y);
    rc = weir_fail(b->err, WEIR_SCHEMA, "%s cannot be cast to %s", x.len > 0 ? x.data : "?",
                   y.len > 0 ? y.data : "?");
    weir_buf_fini(&x);
    weir_buf_fini(&y);
    if (!try_ && b->set->ansi && weir_coerce_castable(false, from, to))
        return weir_error_hint(b->err, "spark.sql.ansi.enabled: false allows it");
    return rc;
}

/* A constant of the type already, or a null: the same constant, which keeps the name of the cast in *node. */
static weir_rc
cast_literal(struct weir_bind *b, const struct weir_node *value, struct weir_node **node)
{
    struct weir_node *cast = *node;

    WEIR_TRY(weir_bound_literal(b, cast->type, value->text, value->text_len, node));
    (*node)->at = cast->at;
    (*node)->nullable = cast->nullable;
    (*node)->bound = cast;
    return WEIR_OK;
}

weir_rc
weir_bind_cast(struct weir_bind *b, struct weir_node *node, const struct weir_type *type, bool try_,
               bool shown, struct weir_node **out)
{
    struct weir_bound_call *bound;
    bool ansi = b->set->ansi || try_;

    *out = node;
    if (!shown && weir_type_same(node->type, type))
        return WEIR_OK;
    if (!weir_coerce_castable(ansi, node->type, type))
        return cast_refuse(b, node->type, type, try_);
    if (node->kind == WEIR_NODE_LITERAL && node->text == NULL && !shown) {
        WEIR_TRY(weir_bound_literal(b, type, NULL, 0, out));
        (*out)->at = node->at;
        (*out)->bound = node->bound;
        return WEIR_OK;
    }
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_CAST, node->at, 1, out));
    (*out)->kids[0] = node;
    (*out)->type = type;
    (*out)->flags = (try_ ? WEIR_NODE_TRY : 0u) | (shown ? WEIR_BOUND_SHOWN : 0u);
    (*out)->nullable = node->nullable || node->type->kind == WEIR_VOID || try_ ||
                       weir_coerce_force_nullable(node->type, type);
    WEIR_BIND_NEW(bound, b, sizeof(*bound));
    bound->shown = *out;
    (*out)->bound = bound;
    if (node->kind == WEIR_NODE_LITERAL && (node->text == NULL || weir_type_same(node->type, type)))
        return cast_literal(b, node, out);
    if (weir_type_same(node->type, type) || node->type->kind == WEIR_VOID)
        return WEIR_OK;
    WEIR_BIND_NEW((*out)->plan, b, sizeof(*(*out)->plan));
    WEIR_TRY(weir_cast_plan(b->mem, b->set, node->type, type, try_, node->kind == WEIR_NODE_LITERAL,
                            (*out)->plan, b->err));
    bound->data = (*out)->plan->data;
    return weir_bind_fold(b, out);
}

weir_rc
weir_bind_condition(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
                    const char *what, struct weir_node **out)
{
    weir_rc rc = weir_bind_expr(b, sc, node, out);

    if (rc == WEIR_OK && (*out)->type->kind != WEIR_BOOLEAN && (*out)->type->kind != WEIR_VOID) {
        (void)weir_fail(b->err, WEIR_SCHEMA, "%s wants a boolean, not a %s", what,
                        weir_kind_name((*out)->type->kind));
        rc = weir_bind_where(b, node, b->err->rc);
    }
    return rc == WEIR_OK ? weir_bind_cast(b, *out, &weir_type_boolean, false, false, out) : rc;
}

/* ---- calls ---- */

static weir_rc
call_unknown(struct weir_bind *b, const char *name)
{
    const char *near = weir_function_nearest(name), *why = weir_function_absent(name);

    if (why != NULL) {
        (void)weir_fail(b->err, WEIR_UNSUPPORTED, "Spark's function %s is not there: %s", name, why);
        return weir_error_hint(b->err, "docs/sql.md lists what there is");
    }
    (void)weir_fail(b->err, WEIR_UNSUPPORTED, "there is no function %s", name);
    if (near != NULL)
        return weir_error_hint(b->err, "did you mean %s? docs/sql.md lists what there is", near);
    return weir_error_hint(b->err, "docs/sql.md lists what there is");
}

static weir_rc
call_check(struct weir_bind *b, const struct weir_function *fn, const struct weir_node *node, bool over)
{
    uint32_t n = node->nkids;

    if (n < fn->min || (fn->max != 255 && n > fn->max)) {
        if (fn->min == fn->max)
            return weir_fail(b->err, WEIR_SCHEMA, "%s takes %u argument%s, not %u", fn->name, fn->min,
                             fn->min == 1 ? "" : "s", n);
        if (fn->max == 255)
            return weir_fail(b->err, WEIR_SCHEMA, "%s takes at least %u arguments, not %u", fn->name, fn->min,
                             n);
        return weir_fail(b->err, WEIR_SCHEMA, "%s takes %u to %u arguments, not %u", fn->name, fn->min,
                         fn->max, n);
    }
    if (fn->class_ == WEIR_FN_AGGREGATE && !over && !b->aggregates_ok)
        return weir_fail(b->err, WEIR_SCHEMA, "the aggregate %s cannot stand in %s", fn->name,
                         b->no_aggregates == NULL ? "this place" : b->no_aggregates);
    if (fn->class_ == WEIR_FN_WINDOW && !over)
        return weir_fail(b->err, WEIR_SCHEMA, "%s needs an OVER clause", fn->name);
    if (over && fn->class_ != WEIR_FN_WINDOW && fn->class_ != WEIR_FN_AGGREGATE)
        return weir_fail(b->err, WEIR_SCHEMA, "%s is neither an aggregate nor a window function: no OVER",
                         fn->name);
    if ((node->flags & WEIR_NODE_DISTINCT) != 0 && fn->class_ != WEIR_FN_AGGREGATE)
        return weir_fail(b->err, WEIR_SCHEMA, "%s is no aggregate: no DISTINCT", fn->name);
    return WEIR_OK;
}

/* What a lambda's function says of its parameters, and the body over them. */
static weir_rc
call_lambda(struct weir_bind *b, const struct weir_scope *sc, struct weir_resolve *r, uint32_t arg,
            const struct weir_node *lambda, struct weir_node **out)
{
    struct weir_bound_lambda *bound;
    struct weir_scope_lambda frame = {.node = lambda, .outer = sc->lambdas};
    struct weir_scope inner = *sc;

    if (r->node->fn->lambda == NULL)
        return weir_fail(b->err, WEIR_SCHEMA, "%s takes no lambda", r->node->text);
    if (lambda->nnames == 0 || lambda->nnames > 4)
        return weir_fail(b->err, WEIR_SCHEMA, "a lambda takes 1 to 4 parameters");
    WEIR_BIND_NEW(bound, b, sizeof(*bound));
    bound->id = b->next_id++;
    bound->made.n = lambda->nnames;
    bound->made.printed = lambda->nnames;
    WEIR_TRY(r->node->fn->lambda(r, arg, &bound->made, b->err));
    frame.bound = bound;
    inner.lambdas = &frame;
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_LAMBDA, lambda->at, 1, out));
    (*out)->names = lambda->names;
    (*out)->nnames = lambda->nnames;
    (*out)->bound = bound;
    WEIR_TRY(weir_bind_expr(b, &inner, lambda->kids[0], &(*out)->kids[0]));
    if (bound->made.want != NULL)
        WEIR_TRY(weir_bind_cast(b, (*out)->kids[0], bound->made.want, false, false, &(*out)->kids[0]));
    (*out)->type = (*out)->kids[0]->type;
    (*out)->nullable = (*out)->kids[0]->nullable;
    return WEIR_OK;
}

/* A call that a function made of its arguments gets what bind_call() would give it. */
static weir_rc
call_adopt(struct weir_bind *b, struct weir_node **node)
{
    struct weir_bound_call *bound;
    struct weir_node *call = *node;
    const struct weir_type *const *wanted;

    if (call->kind != WEIR_NODE_CALL || call->plan == NULL || call->bound != NULL)
        return WEIR_OK;
    WEIR_BIND_NEW(bound, b, sizeof(*bound));
    bound->shown = call;
    bound->data = call->plan->data;
    call->bound = bound;
    wanted = call->plan->arg_types;
    for (uint32_t i = 0; i < call->nkids; i++) {
        WEIR_TRY(call_adopt(b, &call->kids[i]));
        if (wanted != NULL && wanted[i] != NULL && call->kids[i]->kind != WEIR_NODE_LAMBDA)
            WEIR_TRY(weir_bind_cast(b, call->kids[i], wanted[i], false, false, &call->kids[i]));
    }
    WEIR_TRY(weir_bind_prepare(b, call));
    return weir_bind_fold(b, node);
}

/* The arguments cast to what resolve() asked for; then constants are prepared. */
static weir_rc
call_finish(struct weir_bind *b, struct weir_resolve *r, struct weir_node **out)
{
    struct weir_node *node = *out;
    const struct weir_type *const *wanted = r->plan.arg_types;

    if (r->type == NULL)
        return weir_fail(b->err, WEIR_BUG, "%s has no type", node->text);
    node->type = r->type;
    node->nullable = r->nullable;
    WEIR_BIND_NEW(node->plan, b, sizeof(*node->plan));
    *node->plan = r->plan;
    ((struct weir_bound_call *)node->bound)->data = r->plan.data;
    for (uint32_t i = 0; i < node->nkids; i++)
        WEIR_TRY(call_adopt(b, &node->kids[i]));
    for (uint32_t i = 0; wanted != NULL && i < node->nkids; i++)
        if (wanted[i] != NULL && node->kids[i]->kind != WEIR_NODE_LAMBDA)
            WEIR_TRY(weir_bind_cast(b, node->kids[i], wanted[i], false, false, &node->kids[i]));
    WEIR_TRY(weir_bind_prepare(b, node));
    return weir_bind_fold(b, out);
}

/* node: a fresh CALL whose kids are bound but for lambdas, which are the parser's. */
static weir_rc
call_resolve(struct weir_bind *b, const struct weir_scope *sc, bool over, struct weir_node **out)
{
    struct weir_node *node = *out, *shown;
    struct weir_bound_call *bound;
    struct weir_resolve r = {.set = b->set, .node = node, .mem = b->mem, .over = over, .nullable = true};
    uint32_t n = node->nkids;

    WEIR_BIND_NEW(bound, b, sizeof(*bound));
    WEIR_BIND_NEW(shown, b, sizeof(*shown));
    node->bound = bound;
    for (uint32_t i = 0; i < n; i++)
        if (node->kids[i]->kind == WEIR_NODE_LAMBDA && node->kids[i]->bound == NULL)
            WEIR_TRY(call_lambda(b, sc, &r, i, node->kids[i], &node->kids[i]));
    *shown = *node; /* before the function changes its arguments */
    WEIR_BIND_NEW(shown->kids, b, (n + 1) * sizeof(shown->kids[0]));
    if (n > 0)
        memcpy(shown->kids, node->kids, n * sizeof(shown->kids[0]));
    bound->shown = shown;
    WEIR_TRY(node->fn->resolve(&r, b->err));
    WEIR_TRY(call_finish(b, &r, out));
    shown->type = node->type;
    return WEIR_OK;
}

weir_rc
weir_bind_call(struct weir_bind *b, const char *name, struct weir_node *const *kids, uint32_t n, uint32_t at,
               struct weir_node **out)
{
    const struct weir_function *fn = weir_function_find(name);
    const struct weir_scope none = {0};

    if (fn == NULL)
        return call_unknown(b, name);
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_CALL, at, n, out));
    (*out)->text = fn->name;
    (*out)->text_len = (uint32_t)strlen(fn->name);
    (*out)->fn = fn;
    if (n > 0)
        memcpy((*out)->kids, kids, n * sizeof(kids[0]));
    WEIR_TRY(call_check(b, fn, *out, false));
    return call_resolve(b, &none, false, out);
}

/* The arguments as written: * spelled out, count(*) counts 1, lambdas left as they are. */
static weir_rc
call_arguments(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
               struct weir_nodes *out)
{
    for (uint32_t i = 0; i < node->nkids; i++) {
        struct weir_node *kid = node->kids[i], *bound;

        if (kid->kind == WEIR_NODE_STAR && kid->nnames == 0 && strcmp(node->text, "count") == 0) {
            WEIR_TRY(weir_bound_literal(b, &weir_type_int, "1", 1, &bound));
        } else if (kid->kind == WEIR_NODE_STAR) {
            WEIR_TRY(weir_bind_where(b, kid, weir_scope_star(b, sc, kid, out)));
            continue;
        } else if (kid->kind == WEIR_NODE_NAMED_ARG) {
            return weir_fail(b->err, WEIR_UNSUPPORTED, "%s: arguments by name (%s => …)", node->text,
                             kid->text);
        } else if (kid->kind == WEIR_NODE_LAMBDA) {
            bound = kid;
        } else {
            WEIR_TRY(weir_bind_expr(b, sc, kid, &bound));
        }
        WEIR_TRY(weir_nodes_add(b, out, bound));
    }
    return WEIR_OK;
}

/* input_file_name() is the hidden _metadata.file_path, under its own name. NOTFOUND: the query has none. */
static weir_rc
bind_file_name(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
               struct weir_node **out)
{
    static const char *path[] = {"_metadata", "file_path"};
    struct weir_node *name, *shown;
    struct weir_bound_call *bound;

    WEIR_BIND_NEW(name, b, sizeof(*name));
    WEIR_BIND_NEW(shown, b, sizeof(*shown));
    WEIR_BIND_NEW(bound, b, sizeof(*bound));
    *name = (struct weir_node){.kind = WEIR_NODE_NAME, .at = node->at, .names = path, .nnames = 2};
    *shown = *node;
    bound->shown = shown;
    WEIR_TRY(weir_scope_try(b, sc, name, &name));
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_CALL, node->at, 1, out));
    WEIR_BIND_NEW((*out)->plan, b, sizeof(*(*out)->plan));
    *(*out)->plan = (struct weir_call_plan){.text = "$1", .exact = true};
    (*out)->text = node->text;
    (*out)->text_len = node->text_len;
    (*out)->fn = shown->fn = weir_function_find(node->text);
    (*out)->type = shown->type = &weir_type_string;
    (*out)->nullable = true;
    (*out)->kids[0] = name;
    (*out)->bound = bound;
    return WEIR_OK;
}

/* over: the function that OVER stands behind. */
static weir_rc
bind_call(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node, bool over,
          struct weir_node **out)
{
    const struct weir_function *fn = weir_function_find(node->text);
    bool aggregates_ok = b->aggregates_ok, windows_ok = b->windows_ok;
    const char *why = b->no_aggregates;
    struct weir_nodes kids = {0};
    weir_rc rc;

    if (fn == NULL)
        return call_unknown(b, node->text);
    if (strcmp(node->text, "input_file_name") == 0 && node->nkids == 0 && !over) {
        rc = bind_file_name(b, sc, node, out);
        if (rc != WEIR_NOTFOUND)
            return rc;
    }
    if (fn->class_ == WEIR_FN_GENERATOR && node != b->generator)
        return weir_fail(b->err, WEIR_SCHEMA, "%s makes rows: it stands alone in the list, or in LATERAL VIEW",
                         fn->name);
    if (fn->class_ == WEIR_FN_AGGREGATE && !over) { /* none inside another */
        if (!b->aggregates_ok)
            return call_check(b, fn, node, over);
        b->aggregates_ok = b->windows_ok = false;
        b->no_aggregates = "the argument of another";
    }
    if (over)
        b->windows_ok = false;
    rc = call_arguments(b, sc, node, &kids);
    b->aggregates_ok = aggregates_ok;
    b->windows_ok = windows_ok;
    b->no_aggregates = why;
    WEIR_TRY(rc);
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_CALL, node->at, kids.n, out));
    (*out)->flags = node->flags;
    (*out)->text = fn->name;
    (*out)->text_len = (uint32_t)strlen(fn->name);
    (*out)->fn = fn;
    if (kids.n > 0)
        memcpy((*out)->kids, kids.at, kids.n * sizeof(kids.at[0]));
    WEIR_TRY(call_check(b, fn, *out, over));
    return call_resolve(b, sc, over, out);
}

/* ---- windows ---- */

static const struct weir_node *
window_named(const struct weir_bind *b, const char *name)
{
    for (uint32_t i = 0; b->named_windows != NULL && i < b->named_windows->nkids; i++)
        if (weir_slice_is_nocase(weir_slice(name, strlen(name)), b->named_windows->kids[i]->text))
            return b->named_windows->kids[i]->kids[0];
    return NULL;
}

/* The WINDOW that an OVER means. A window of another's name is that other. */
static weir_rc
window_find(struct weir_bind *b, const struct weir_node *over, const struct weir_node **out)
{
    const char *name = over->text;

    *out = over->kids[1];
    for (int hops = 0; hops < 64; hops++) {
        if (*out != NULL && (*out)->text != NULL)
            name = (*out)->text;
        else if (*out != NULL)
            return WEIR_OK;
        *out = name == NULL ? NULL : window_named(b, name);
        if (*out == NULL)
            return weir_fail(b->err, WEIR_SCHEMA, "there is no WINDOW %s", name == NULL ? "" : name);
    }
    return weir_fail(b->err, WEIR_SCHEMA, "WINDOW %s is defined by itself", name);
}

static weir_rc
window_bound(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node, bool range,
             struct weir_node **out)
{
    *out = NULL;
    if (node == NULL)
        return WEIR_OK;
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_BOUND, node->at, 1, out));
    (*out)->text = node->text;
    if (node->nkids == 0 || node->kids[0] == NULL)
        return WEIR_OK;
    WEIR_TRY(weir_bind_expr(b, sc, node->kids[0], &(*out)->kids[0]));
    if ((*out)->kids[0]->kind != WEIR_NODE_LITERAL || (*out)->kids[0]->text == NULL)
        return weir_fail(b->err, WEIR_UNSUPPORTED, "the frame of a window wants a constant");
    if (!weir_kind_is_numeric((*out)->kids[0]->type->kind) ||
        (!range && !weir_kind_is_integral((*out)->kids[0]->type->kind)))
        return weir_fail(b->err, WEIR_UNSUPPORTED, "a window's frame with a %s",
                         weir_kind_name((*out)->kids[0]->type->kind));
    return WEIR_OK;
}

static weir_rc
window_frame(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *frame,
             const struct weir_node *orders, struct weir_node **out)
{
    bool range = strcmp(frame->text, "RANGE") == 0;

    WEIR_TRY(weir_bound_new(b, WEIR_NODE_FRAME, frame->at, 2, out));
    (*out)->text = frame->text;
    for (uint32_t i = 0; i < 2 && i < frame->nkids; i++) {
        WEIR_TRY(window_bound(b, sc, frame->kids[i], range, &(*out)->kids[i]));
        if (range && (*out)->kids[i] != NULL && (*out)->kids[i]->kids[0] != NULL &&
            (orders->nkids != 1 || !weir_kind_is_numeric(orders->kids[0]->type->kind)))
            return weir_fail(b->err, WEIR_UNSUPPORTED,
                             "RANGE with a distance wants one ORDER BY of a number");
    }
    return WEIR_OK;
}

weir_rc
weir_bind_order(struct weir_bind *b, const struct weir_node *order, struct weir_node *key,
                struct weir_node **out)
{
    if (!weir_type_orderable(key->type))
        return weir_fail(b->err, WEIR_SCHEMA, "ORDER BY and PARTITION BY cannot compare a %s",
                         weir_kind_name(key->type->kind));
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_ORDER, order->at, 1, out));
    (*out)->flags = order->flags;
    (*out)->kids[0] = key;
    (*out)->type = key->type;
    return WEIR_OK;
}

static weir_rc
bind_window(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *window,
            struct weir_node **out)
{
    const struct weir_node *orders = window->kids[1], *parts = window->kids[0];
    struct weir_node *key;

    WEIR_TRY(weir_bound_new(b, WEIR_NODE_WINDOW, window->at, 3, out));
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_LIST, window->at, parts->nkids, &(*out)->kids[0]));
    for (uint32_t i = 0; i < parts->nkids; i++)
        WEIR_TRY(weir_bind_expr(b, sc, parts->kids[i], &(*out)->kids[0]->kids[i]));
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_LIST, window->at, orders->nkids, &(*out)->kids[1]));
    for (uint32_t i = 0; i < orders->nkids; i++) {
        WEIR_TRY(weir_bind_expr(b, sc, orders->kids[i]->kids[0], &key));
        WEIR_TRY(weir_bind_order(b, orders->kids[i], key, &(*out)->kids[1]->kids[i]));
    }
    if (window->nkids > 2 && window->kids[2] != NULL)
        WEIR_TRY(window_frame(b, sc, window->kids[2], (*out)->kids[1], &(*out)->kids[2]));
    return WEIR_OK;
}

static weir_rc
bind_filter(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node, bool over,
            struct weir_node **out)
{
    bool ok = b->aggregates_ok;
    weir_rc rc;

    WEIR_TRY(weir_bound_new(b, WEIR_NODE_FILTER, node->at, 2, out));
    if (node->kids[0]->kind != WEIR_NODE_CALL)
        return weir_fail(b->err, WEIR_SCHEMA, "FILTER stands behind an aggregate only");
    WEIR_TRY(bind_call(b, sc, node->kids[0], over, &(*out)->kids[0]));
    if ((*out)->kids[0]->fn == NULL || (*out)->kids[0]->fn->class_ != WEIR_FN_AGGREGATE)
        return weir_fail(b->err, WEIR_SCHEMA, "FILTER stands behind an aggregate only");
    b->aggregates_ok = over && ok;
    rc = weir_bind_condition(b, sc, node->kids[1], "FILTER", &(*out)->kids[1]);
    b->aggregates_ok = ok;
    (*out)->type = (*out)->kids[0]->type;
    (*out)->nullable = (*out)->kids[0]->nullable;
    return rc;
}

static weir_rc
bind_over(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
          struct weir_node **out)
{
    const struct weir_node *window;
    weir_rc rc;

    if (!b->windows_ok)
        return weir_fail(b->err, WEIR_SCHEMA, "a window function cannot stand here");
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_OVER, node->at, 2, out));
    WEIR_TRY(window_find(b, node, &window));
    if (node->kids[0]->kind == WEIR_NODE_FILTER)
        WEIR_TRY(bind_filter(b, sc, node->kids[0], true, &(*out)->kids[0]));
    else
        WEIR_TRY(bind_call(b, sc, node->kids[0], true, &(*out)->kids[0]));
    b->windows_ok = false;
    rc = bind_window(b, sc, window, &(*out)->kids[1]);
    b->windows_ok = true;
    WEIR_TRY(rc);
    if ((*out)->kids[0]->fn != NULL && (*out)->kids[0]->fn->class_ == WEIR_FN_WINDOW &&
        (*out)->kids[1]->kids[1]->nkids == 0)
        return weir_fail(b->err, WEIR_SCHEMA, "%s needs an ORDER BY in its OVER", (*out)->kids[0]->text);
    (*out)->type = (*out)->kids[0]->type;
    (*out)->nullable = (*out)->kids[0]->nullable;
    return WEIR_OK;
}

/* ---- CASE ---- */

/* Is kid i of a CASE a value? Conditions stand at odd places, ELSE is the last. */
static bool
case_is_value(const struct weir_node *node, uint32_t i)
{
    return node->kids[i] != NULL && i > 0 && (i % 2 == 0 || i == node->nkids - 1);
}

/* The branches as one type. */
static weir_rc
case_values(struct weir_bind *b, struct weir_node *node)
{
    const struct weir_type *common = &weir_type_void;

    for (uint32_t i = 0; i < node->nkids; i++) {
        if (!case_is_value(node, i))
            continue;
        common = weir_coerce_wider(b->mem, b->set->ansi, common, node->kids[i]->type);
        if (common == NULL)
            return weir_fail(b->err, WEIR_SCHEMA, "the branches of CASE have no common type: one is a %s",
                             weir_kind_name(node->kids[i]->type->kind));
    }
    node->type = common;
    node->nullable = node->kids[node->nkids - 1] == NULL;
    for (uint32_t i = 0; i < node->nkids; i++) {
        if (!case_is_value(node, i))
            continue;
        WEIR_TRY(weir_bind_cast(b, node->kids[i], common, false, false, &node->kids[i]));
        node->nullable = node->nullable || node->kids[i]->nullable;
    }
    return WEIR_OK;
}

/* kids: NULL, then condition, value, …, and else or NULL. CASE x WHEN y is CASE WHEN x = y. */
static weir_rc
bind_case(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
          struct weir_node **out)
{
    uint32_t last = node->nkids - 1;

    WEIR_TRY(weir_bound_new(b, WEIR_NODE_CASE, node->at, node->nkids, out));
    for (uint32_t i = 1; i <= last; i++) {
        bool condition = i != last && i % 2 != 0;

        if (node->kids[i] == NULL)
            continue;
        if (condition && node->kids[0] == NULL) {
            WEIR_TRY(weir_bind_condition(b, sc, node->kids[i], "WHEN", &(*out)->kids[i]));
            continue;
        }
        WEIR_TRY(weir_bind_expr(b, sc, node->kids[i], &(*out)->kids[i]));
        if (condition) {
            struct weir_node *sides[2] = {NULL, (*out)->kids[i]};

            WEIR_TRY(weir_bind_expr(b, sc, node->kids[0], &sides[0]));
            WEIR_TRY(weir_bind_call(b, "=", sides, 2, node->kids[i]->at, &(*out)->kids[i]));
        }
    }
    return case_values(b, *out);
}

/* ---- subqueries ---- */

/* The query's relation hangs in node->bound. */
static weir_rc
subquery_new(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node, uint32_t query,
             struct weir_node **out, struct weir_rel **rel)
{
    bool aggregates_ok = b->aggregates_ok, windows_ok = b->windows_ok;
    const struct weir_node *windows = b->named_windows;
    weir_rc rc;

    WEIR_TRY(weir_bound_new(b, node->kind, node->at, query, out));
    rc = weir_bind_query(b, node->kids[query], sc, rel);
    b->aggregates_ok = aggregates_ok;
    b->windows_ok = windows_ok;
    b->named_windows = windows;
    WEIR_TRY(rc);
    b->stream_in_subquery = b->stream_in_subquery || (*rel)->has_stream;
    (*out)->bound = *rel;
    return WEIR_OK;
}

static weir_rc
bind_subquery(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
              struct weir_node **out)
{
    struct weir_rel *rel;

    if (node->kind == WEIR_NODE_EXISTS) {
        WEIR_TRY(subquery_new(b, sc, node, 0, out, &rel));
        (*out)->type = &weir_type_boolean;
        return WEIR_OK;
    }
    WEIR_TRY(subquery_new(b, sc, node, 0, out, &rel));
    if (rel->out.n != 1)
        return weir_fail(b->err, WEIR_SCHEMA, "a subquery that stands for a value has one column, not %u",
                         rel->out.n);
    (*out)->type = rel->out.at[0]->type;
    (*out)->nullable = true;
    return WEIR_OK;
}

/* The query's columns as the types that the values are compared in. */
static weir_rc
in_query_cast(struct weir_bind *b, struct weir_rel *rel, uint32_t i, const struct weir_type *type,
              struct weir_rel **out)
{
    struct weir_rel *cast;

    *out = rel;
    if (weir_type_same(rel->out.at[i]->type, type))
        return WEIR_OK;
    WEIR_TRY(weir_rel_new(b, WEIR_REL_PROJECT, rel, &cast));
    for (uint32_t j = 0; j < rel->out.n; j++) {
        struct weir_node *ref;
        struct weir_attr *attr;

        WEIR_TRY(weir_bound_ref(b, rel->out.at[j], NULL, 0, &ref));
        if (i == j)
            WEIR_TRY(weir_bind_cast(b, ref, type, false, false, &ref));
        WEIR_TRY(weir_attr_new(b, rel->out.at[j]->name, ref->type, ref->nullable, &attr));
        WEIR_TRY(weir_nodes_add(b, &cast->exprs, ref));
        WEIR_TRY(weir_attrs_add(b, &cast->out, attr));
    }
    *out = cast;
    return WEIR_OK;
}

/* x IN (SELECT …), (x, y) IN (SELECT …): kids of the bound node are the values. */
static weir_rc
bind_in_query(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
              struct weir_node **out)
{
    const struct weir_node *value = node->kids[0];
    uint32_t n = value->kind == WEIR_NODE_TUPLE ? value->nkids : 1;
    struct weir_node *in;
    struct weir_rel *rel;

    WEIR_TRY(subquery_new(b, sc, node, 1, &in, &rel));
    if (rel->out.n != n)
        return weir_fail(b->err, WEIR_SCHEMA, "IN compares %u value%s with a query of %u columns", n,
                         n == 1 ? "" : "s", rel->out.n);
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_IN_QUERY, node->at, n, out));
    (*out)->type = &weir_type_boolean;
    for (uint32_t i = 0; i < n; i++) {
        const struct weir_type *type;
        struct weir_node **kid = &(*out)->kids[i];

        WEIR_TRY(weir_bind_expr(b, sc, value->kind == WEIR_NODE_TUPLE ? value->kids[i] : value, kid));
        type = weir_coerce_compared(b->mem, b->set->ansi, (*kid)->type, rel->out.at[i]->type);
        if (type == NULL || !weir_type_orderable(type))
            return weir_fail(b->err, WEIR_SCHEMA, "IN cannot compare a %s with a %s",
                             weir_kind_name((*kid)->type->kind), weir_kind_name(rel->out.at[i]->type->kind));
        (*out)->nullable = (*out)->nullable || (*kid)->nullable || rel->out.at[i]->nullable;
        WEIR_TRY(weir_bind_cast(b, *kid, type, false, false, kid));
        WEIR_TRY(in_query_cast(b, rel, i, type, &rel));
    }
    (*out)->bound = rel;
    return WEIR_OK;
}

/* ---- the rest ---- */

/* (a, b): named_struct('a', a, 'b', b); what has no name is col1, col2 … */
static weir_rc
bind_tuple(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
           struct weir_node **out)
{
    struct weir_nodes kids = {0};

    for (uint32_t i = 0; i < node->nkids; i++) {
        struct weir_node *value, *name;
        const char *title;

        WEIR_TRY(weir_bind_expr(b, sc, node->kids[i], &value));
        title = value->kind == WEIR_NODE_NAME ? value->names[value->nnames - 1]
                : value->kind == WEIR_NODE_FIELD || value->kind == WEIR_NODE_ALIAS
                    ? value->text
                    : weir_mem_printf(b->mem, "col%u", i + 1);
        if (title == NULL)
            return weir_mem_fail(b->mem, 16, b->err);
        WEIR_TRY(weir_bound_literal(b, &weir_type_string, title, (uint32_t)strlen(title), &name));
        WEIR_TRY(weir_nodes_add(b, &kids, name));
        WEIR_TRY(weir_nodes_add(b, &kids, value->kind == WEIR_NODE_ALIAS ? value->kids[0] : value));
    }
    return weir_bind_call(b, "named_struct", kids.at, kids.n, node->at, out);
}

static weir_rc
bind_alias(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
           struct weir_node **out)
{
    if (node->text == NULL)
        return weir_fail(b->err, WEIR_SCHEMA, "several aliases stand behind a generator only");
    WEIR_TRY(weir_bound_new(b, WEIR_NODE_ALIAS, node->at, 1, out));
    WEIR_TRY(weir_bind_expr(b, sc, node->kids[0], &(*out)->kids[0]));
    (*out)->text = node->text;
    (*out)->text_len = node->text_len;
    (*out)->type = (*out)->kids[0]->type;
    (*out)->nullable = (*out)->kids[0]->nullable;
    return WEIR_OK;
}

/* A name; those of functions that Spark calls without brackets are tried last. */
static weir_rc
bind_name(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
          struct weir_node **out)
{
    static const char *const bare[] = {"current_date",    "current_timestamp", "localtimestamp",
                                       "current_user",    "session_user",      "user",
                                       "current_catalog", "current_database"};
    weir_rc rc = weir_scope_try(b, sc, node, out);

    if (rc != WEIR_NOTFOUND)
        return rc;
    for (size_t i = 0; node->nnames == 1 && i < sizeof(bare) / sizeof(bare[0]); i++)
        if (weir_slice_is_nocase(weir_slice(node->names[0], strlen(node->names[0])), bare[i]) &&
            weir_function_find(bare[i]) != NULL)
            return weir_bind_call(b, bare[i], NULL, 0, node->at, out);
    return weir_scope_resolve(b, sc, node, out);
}

static weir_rc
bind_cast(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
          struct weir_node **out)
{
    struct weir_node *kid;

    WEIR_TRY(weir_bind_expr(b, sc, node->kids[0], &kid));
    return weir_bind_cast(b, kid, node->type, (node->flags & WEIR_NODE_TRY) != 0, true, out);
}

static weir_rc
bind_index(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
           struct weir_node **out)
{
    struct weir_node *kids[2];

    WEIR_TRY(weir_bind_expr(b, sc, node->kids[0], &kids[0]));
    WEIR_TRY(weir_bind_expr(b, sc, node->kids[1], &kids[1]));
    return weir_bind_call(b, "[]", kids, 2, node->at, out);
}

static weir_rc
bind_one(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
         struct weir_node **out)
{
    struct weir_node *kid;

    switch (node->kind) {
    case WEIR_NODE_LITERAL:
        return weir_bind_literal(b, node, out);
    case WEIR_NODE_INTERVAL:
        return weir_bind_interval(b, node, out);
    case WEIR_NODE_NAME:
        return bind_name(b, sc, node, out);
    case WEIR_NODE_CALL:
        return bind_call(b, sc, node, false, out);
    case WEIR_NODE_OVER:
        return bind_over(b, sc, node, out);
    case WEIR_NODE_FILTER:
        return bind_filter(b, sc, node, false, out);
    case WEIR_NODE_CASE:
        return bind_case(b, sc, node, out);
    case WEIR_NODE_CAST:
        return bind_cast(b, sc, node, out);
    case WEIR_NODE_INDEX:
        return bind_index(b, sc, node, out);
    case WEIR_NODE_TUPLE:
        return bind_tuple(b, sc, node, out);
    case WEIR_NODE_ALIAS:
        return bind_alias(b, sc, node, out);
    case WEIR_NODE_SUBQUERY:
    case WEIR_NODE_EXISTS:
        return bind_subquery(b, sc, node, out);
    case WEIR_NODE_IN_QUERY:
        return bind_in_query(b, sc, node, out);
    case WEIR_NODE_FIELD:
        WEIR_TRY(weir_bind_expr(b, sc, node->kids[0], &kid));
        return weir_bind_field(b, kid, node->text, node->at, out);
    case WEIR_NODE_LAMBDA:
        return weir_fail(b->err, WEIR_SCHEMA, "a lambda stands as an argument only");
    case WEIR_NODE_STAR:
        return weir_fail(b->err, WEIR_SCHEMA, "* cannot stand here");
    default:
        return weir_fail(b->err, WEIR_UNSUPPORTED, "this cannot stand in an expression");
    }
}

weir_rc
weir_bind_expr(struct weir_bind *b, const struct weir_scope *sc, const struct weir_node *node,
               struct weir_node **out)
{
    weir_rc rc;

    if (b->depth >= WEIR_BIND_DEPTH)
        return weir_fail(b->err, WEIR_USAGE, "the query is nested too deeply");
    b->depth++;
    rc = bind_one(b, sc, node, out);
    b->depth--;
    return weir_bind_where(b, node, rc);
}
