/* Kernels: weir's functions, registered as weir_call_<i> with the exact types of their call.
 *
 * 1. Each place of a plan that calls one has a state of its own in each lane (struct call_site), which DuckDB
 *    makes and drops. Its results live until its next call, as those of DuckDB's own functions do.
 * 2. A kernel writes into weir's columns; the slots are copied into DuckDB's vector afterwards. So it may
 *    grow lists and null rows without knowing of DuckDB.
 * 3. With null_in_null_out, rows with a null argument are taken out before the kernel sees them (call_dense).
 * 4. What a kernel raises ends the query and is kept as it is.
 * Threads: a site has one lane at a time; struct engine_call is read only while a query runs. */
#include "sql/engine_int.h"

#include <string.h>

struct call_site {
    const struct engine_call *of;
    struct weir_call call;
    struct weir_mem *mem;     /* of the site */
    struct weir_page *result; /* one column; its arena is the call's */
    struct weir_page *dense;  /* made when the first null is met */
    struct weir_col *args;    /* as DuckDB has them */
    struct weir_col *taken;   /* the same without rows that have a null */
    uint32_t *at;             /* rows taken */
    uint32_t room;            /* of at */
};

/* --- a site's life
 * ----------------------------------------------------------------------------------------------- */

static void
site_free(void *arg)
{
    struct call_site *s = arg;

    if (s == NULL)
        return;
    weir_page_free(s->result);
    weir_page_free(s->dense);
    weir_mem_free(s->mem);
}

static const struct weir_type *
site_schema(const struct weir_type *const *types, uint32_t n, struct weir_mem *mem)
{
    struct weir_field *fields = weir_mem_zalloc(mem, (n + 1) * sizeof(*fields));

    for (uint32_t i = 0; fields != NULL && i < n; i++)
        fields[i] = (struct weir_field){.name = "", .nullable = true, .type = types[i]};
    return fields == NULL ? NULL : weir_type_struct(mem, fields, n);
}

static weir_rc
site_make(const struct engine_call *of, struct weir_mem *mem, struct call_site **out, struct weir_error *err)
{
    struct weir_quota *quota = of->engine->env.quota;
    const struct weir_sql_call *call = of->call;
    const struct weir_type *schema;
    struct call_site *s;
    weir_rc rc;

    WEIR_NEW(s, mem, sizeof(*s));
    *out = s;
    s->of = of;
    s->mem = mem;
    schema = site_schema(&call->type, 1, mem);
    if (schema == NULL)
        WEIR_GO(weir_mem_fail(mem, sizeof(*schema), err));
    WEIR_GO(weir_page_new(schema, quota, &s->result, err));
    s->call = (struct weir_call){.set = of->engine->run->q->set,
                                 .arg_types = call->arg_types,
                                 .nargs = call->nargs,
                                 .type = call->type,
                                 .data = call->data,
                                 .mem = s->result->mem,
                                 .try_ = call->plan->try_};
    WEIR_NEW(s->args, mem, (call->nargs + 1) * sizeof(*s->args));
    WEIR_NEW(s->taken, mem, (call->nargs + 1) * sizeof(*s->taken));
    for (uint32_t i = 0; i < call->nargs; i++) {
        WEIR_GO(vector_col(&s->args[i], call->arg_types[i], mem, err));
        WEIR_GO(vector_col(&s->taken[i], call->arg_types[i], mem, err));
    }
out:
    return rc;
}

static void
site_init(duckdb_init_info info)
{
    const struct engine_call *of = duckdb_scalar_function_init_get_extra_info(info);
    struct weir_mem *mem = weir_mem_new(NULL, of->engine->env.quota, "call");
    struct call_site *site = NULL;
    struct weir_error err = {0};
    weir_rc rc;

    if (mem == NULL)
        rc = weir_fail(&err, WEIR_NOMEM, "no memory for a function of the query");
    else
        rc = site_make(of, mem, &site, &err);
    if (rc == WEIR_OK) {
        duckdb_scalar_function_init_set_state(info, site, site_free);
        return;
    }
    if (site != NULL)
        site_free(site);
    else
        weir_mem_free(mem);
    engine_run_fail(of->engine->run, &err);
    duckdb_scalar_function_init_set_error(info, err.what);
}

/* --- rows without nulls
 * ------------------------------------------------------------------------------------------ */

/* How many rows have no null argument; s->at names them. */
static weir_rc
rows_take(struct call_site *s, uint32_t rows, uint32_t *taken, struct weir_error *err)
{
    uint32_t n = 0;
    weir_rc rc = WEIR_OK;

    if (s->room < rows) {
        WEIR_NEW(s->at, s->mem, rows * sizeof(*s->at));
        s->room = rows;
    }
    for (uint32_t row = 0; row < rows; row++) {
        bool null = false;

        for (uint32_t i = 0; i < s->call.nargs; i++)
            null = null || weir_col_is_null(&s->args[i], row);
        s->at[n] = row;
        n += !null;
    }
    *taken = n;
out:
    return rc;
}

static void
gather_slots(char *to, const struct weir_col *from, size_t width, const uint32_t *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + i * width, (const char *)from->data + at[i] * width, width);
}

/* Rows at[0 .. n-1] of `from` as a column: slots in `room`; elements of lists stay where they are. */
static weir_rc
gather(struct weir_col *to, struct weir_col *room, const struct weir_col *from, const uint32_t *at,
       uint32_t n, struct weir_error *err)
{
    size_t width = weir_type_width(from->type);
    weir_kind kind = from->type->kind;

    to->form = from->form;
    to->len = to->cap = n;
    if (from->form == WEIR_CONST) { /* a literal, or VOID: nothing is below it */
        *to = *from;
        return WEIR_OK;
    }
    WEIR_TRY(weir_col_room(room, n, err));
    if (width > 0)
        gather_slots(room->data, from, width, at, n);
    to->data = width > 0 ? room->data : NULL;
    room->valid = NULL;
    for (uint32_t i = 0; from->valid != NULL && i < n; i++)
        if (weir_col_is_null(from, at[i]))
            weir_col_set_null(room, i);
    to->valid = room->valid;
    if (kind == WEIR_ARRAY || kind == WEIR_MAP) {
        to->kids[0] = from->kids[0];
        return WEIR_OK;
    }
    for (uint32_t i = 0; i < from->nkids; i++)
        WEIR_TRY(gather(&to->kids[i], &room->kids[i], &from->kids[i], at, n, err));
    return WEIR_OK;
}

static weir_rc
call_dense(struct call_site *s, uint32_t rows, uint32_t *n, struct weir_error *err)
{
    WEIR_TRY(rows_take(s, rows, n, err));
    if (*n == rows || *n == 0)
        return WEIR_OK;
    if (s->dense == NULL) {
        const struct weir_type *schema = site_schema(s->call.arg_types, s->call.nargs, s->mem);

        if (schema == NULL)
            return weir_mem_fail(s->mem, sizeof(*schema), err);
        WEIR_TRY(weir_page_new(schema, s->of->engine->env.quota, &s->dense, err));
    }
    for (uint32_t i = 0; i < s->call.nargs; i++)
        WEIR_TRY(gather(&s->taken[i], &s->dense->cols[i], &s->args[i], s->at, *n, err));
    return WEIR_OK;
}

/* --- calling
 * ----------------------------------------------------------------------------------------------------- */

static bool
is_literal(const struct weir_sql_call *call, uint32_t arg)
{
    const struct weir_node *node = call->node;

    return node != NULL && node->nkids == call->nargs && node->kids[arg] != NULL &&
           node->kids[arg]->kind == WEIR_NODE_LITERAL && call->arg_types[arg]->nfields == 0;
}

static bool
args_have_nulls(const struct call_site *s)
{
    for (uint32_t i = 0; i < s->call.nargs; i++)
        if (s->args[i].valid != NULL)
            return true;
    return false;
}

static weir_rc
args_lend(struct call_site *s, duckdb_data_chunk in, uint32_t rows, struct weir_error *err)
{
    for (uint32_t i = 0; i < s->call.nargs; i++) {
        s->args[i].form = is_literal(s->of->call, i) ? WEIR_CONST : WEIR_FLAT;
        WEIR_TRY(vector_lend(&s->args[i], duckdb_data_chunk_get_vector(in, i), rows, err));
    }
    return WEIR_OK;
}

/* Rows that were not taken are null down to the leaves, and what stands there is zeroed: DuckDB asks a field alone. */
static void
rest_null(const struct call_site *s, duckdb_vector out, const struct weir_type *type, uint32_t rows,
          uint32_t n)
{
    size_t width = weir_type_width(type);
    char *data = width == 0 ? NULL : duckdb_vector_get_data(out);
    uint64_t *valid;

    duckdb_vector_ensure_validity_writable(out);
    valid = duckdb_vector_get_validity(out);
    for (uint32_t row = 0, i = 0; row < rows; row++) {
        if (i < n && s->at[i] == row) {
            i++;
            continue;
        }
        valid[row >> 6] &= ~(UINT64_C(1) << (row & 63));
        if (width > 0)
            memset(data + row * width, 0, width);
    }
    for (uint32_t i = 0; type->kind == WEIR_STRUCT && i < type->nfields; i++)
        rest_null(s, duckdb_struct_vector_get_child(out, i), type->fields[i].type, rows, n);
    for (uint32_t i = 0; type->kind == WEIR_VARIANT && i < 2; i++)
        rest_null(s, duckdb_struct_vector_get_child(out, i), &weir_type_binary, rows, n);
}

static weir_rc
call_kernel(struct call_site *s, duckdb_data_chunk in, duckdb_vector out, struct weir_error *err)
{
    const struct weir_call_plan *plan = s->of->call->plan;
    uint32_t rows = (uint32_t)duckdb_data_chunk_get_size(in), n = rows;
    struct weir_col *result = &s->result->cols[0];
    bool dense;

    weir_page_reset(s->result);
    WEIR_TRY(args_lend(s, in, rows, err));
    if (plan->null_in_null_out && args_have_nulls(s))
        WEIR_TRY(call_dense(s, rows, &n, err));
    dense = n < rows;
    if (n > 0) {
        WEIR_TRY(weir_col_room(result, n, err));
        WEIR_TRY(plan->kernel(&s->call, dense ? s->taken : s->args, n, result, err));
        vector_put(out, result, n, dense ? s->at : NULL);
    }
    if (dense)
        rest_null(s, out, s->call.type, rows, n);
    return WEIR_OK;
}

static void
call_chunk(duckdb_function_info info, duckdb_data_chunk in, duckdb_vector out)
{
    struct call_site *s = duckdb_scalar_function_get_state(info);
    struct weir_error err = {0};
    weir_rc rc;

    if (weir_stop_asked(s->of->engine->env.stop))
        rc = weir_fail(&err, WEIR_STOPPED, "asked to stop");
    else
        rc = call_kernel(s, in, out, &err);
    if (rc == WEIR_OK)
        return;
    engine_run_fail(s->of->engine->run, &err);
    duckdb_scalar_function_set_error(info, err.what);
}

/* --- registering
 * ------------------------------------------------------------------------------------------------- */

static void
add_parameter(duckdb_scalar_function f, const struct weir_type *arg)
{
    /* A bare NULL has whatever type DuckDB gives it. */
    duckdb_logical_type type =
        arg->kind == WEIR_VOID ? duckdb_create_logical_type(DUCKDB_TYPE_ANY) : vector_type(arg);

    duckdb_scalar_function_add_parameter(f, type);
    duckdb_destroy_logical_type(&type);
}

/* Of constants alone. The depth is that of the text, which the parser bounds. */
static bool
call_is_constant(const struct weir_node *node)
{
    bool constant = node->kind == WEIR_NODE_LITERAL || node->kind == WEIR_NODE_CAST || node->kind == WEIR_NODE_CALL;

    for (uint32_t i = 0; constant && i < node->nkids; i++)
        constant = node->kids[i] != NULL && call_is_constant(node->kids[i]);
    return constant;
}

/* DuckDB computes what is constant while it plans, and its error would come whether or not a row needs it. */
static bool
call_is_volatile(const struct weir_sql_call *call)
{
    return call->plan->is_volatile || (call->plan->may_fail && call->node != NULL && call_is_constant(call->node));
}

static weir_rc
register_one(struct weir_engine *e, uint32_t i, const struct weir_sql_call *call, struct weir_error *err)
{
    duckdb_scalar_function f = duckdb_create_scalar_function();
    duckdb_logical_type type = vector_type(call->type);
    char name[32];
    bool ok;

    snprintf(name, sizeof(name), "weir_call_%u", i);
    duckdb_scalar_function_set_name(f, name);
    for (uint32_t k = 0; k < call->nargs; k++)
        add_parameter(f, call->arg_types[k]);
    duckdb_scalar_function_set_return_type(f, type);
    duckdb_scalar_function_set_special_handling(f); /* nulls are the kernel's or call_dense()'s */
    if (call_is_volatile(call))
        duckdb_scalar_function_set_volatile(f);
    duckdb_scalar_function_set_extra_info(f, &e->calls[i], NULL);
    duckdb_scalar_function_set_init(f, site_init);
    duckdb_scalar_function_set_function(f, call_chunk);
    ok = duckdb_register_scalar_function(e->con, f) == DuckDBSuccess;
    duckdb_destroy_logical_type(&type);
    duckdb_destroy_scalar_function(&f);
    return ok ? WEIR_OK : weir_fail(err, WEIR_BUG, "DuckDB does not take the function %s", name);
}

weir_rc
call_register(struct weir_engine *e, const struct weir_engine_query *q, struct weir_error *err)
{
    weir_rc rc = WEIR_OK;

    WEIR_NEW(e->calls, e->session, (q->plan->ncalls + 1) * sizeof(*e->calls));
    e->ncalls = q->plan->ncalls;
    for (uint32_t i = 0; i < e->ncalls; i++) {
        e->calls[i].engine = e;
        WEIR_GO(register_one(e, i, &q->plan->calls[i], err));
    }
out:
    return rc;
}

void
call_point(struct weir_engine *e, const struct weir_engine_query *q)
{
    WEIR_ASSERT(e->ncalls == q->plan->ncalls);
    for (uint32_t i = 0; i < e->ncalls; i++)
        e->calls[i].call = &q->plan->calls[i];
}

void
call_signature(const struct weir_engine_query *q, struct weir_buf *out)
{
    for (uint32_t i = 0; i < q->plan->ncalls; i++) {
        const struct weir_sql_call *call = &q->plan->calls[i];

        for (uint32_t k = 0; k < call->nargs; k++) {
            weir_type_print_json(call->arg_types[k], out);
            weir_buf_byte(out, ',');
        }
        weir_type_print_json(call->type, out);
        weir_buf_str(out, call_is_volatile(call) ? "!\n" : "\n");
    }
    weir_buf_byte(out, '\0');
}
