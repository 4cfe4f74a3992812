#include "toy_source.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/point.h"
#include "base/str.h"

enum { TOY_MESSAGES = 64, TOY_BODY = 128, TOY_WINDOW = 3 };

/* --- the queue --- */

struct toy_message {
    int64_t id;
    char body[TOY_BODY];
    bool hidden, deleted;
    unsigned delivered;
};

static struct toy_queue {
    struct toy_message at[TOY_MESSAGES];
    unsigned n, fail_delete;
} queue, saved;

void
toy_queue_reset(void)
{
    queue = (struct toy_queue){.n = 0};
}

void
toy_queue_send(const char *body)
{
    struct toy_message *m = &queue.at[queue.n];

    WEIR_ASSERT(queue.n < TOY_MESSAGES);
    *m = (struct toy_message){.id = 100 + queue.n++};
    snprintf(m->body, sizeof(m->body), "%s", body);
}

unsigned
toy_queue_left(void)
{
    unsigned left = 0;

    for (unsigned i = 0; i < queue.n; i++)
        left += !queue.at[i].deleted;
    return left;
}

void
toy_queue_show_again(void)
{
    for (unsigned i = 0; i < queue.n; i++)
        queue.at[i].hidden = false;
}

void
toy_queue_fail_delete(unsigned nth)
{
    queue.fail_delete = nth;
}

void
toy_queue_save(void)
{
    saved = queue;
}

void
toy_queue_restore(void)
{
    queue = saved;
}

/* The next visible message, hidden from now on; NULL: none. */
static const struct toy_message *
toy_queue_fetch(void)
{
    for (unsigned i = 0; i < queue.n; i++) {
        struct toy_message *m = &queue.at[i];

        if ((m->hidden || m->deleted) && !(m->delivered == 1 && i % 2 == 1))
            continue; /* every second one is delivered twice, deleted or not: queues promise no more */
        m->hidden = true;
        m->delivered++;
        return m;
    }
    return NULL;
}

static weir_rc
toy_queue_delete(int64_t id, struct weir_error *err)
{
    if (queue.fail_delete > 0 && --queue.fail_delete == 0)
        return weir_fail(err, WEIR_IO, "message %" PRId64 " cannot be deleted", id);
    for (unsigned i = 0; i < queue.n; i++)
        if (queue.at[i].id == id)
            queue.at[i].deleted = true;
    return WEIR_OK;
}

/* --- the source --- */

struct toy_options {
    int64_t max; /* messages of a batch */
};

struct toy_taken { /* a message that the log has */
    int64_t id, log;
    bool deleted;
};

struct toy {
    struct toy_options opt;
    struct weir_source_env env;
    struct weir_block_pool *pool;
    char folder[32];
    int64_t newest;
    struct toy_taken taken[TOY_MESSAGES];
    unsigned ntaken;
    struct toy_message window[TOY_WINDOW]; /* fetched, in no log yet */
    unsigned nwindow;
};

static const struct weir_option toy_options[] = {
    {"maxFilesPerTrigger", WEIR_OPT_INT, WEIR_HONOURED, offsetof(struct toy_options, max), "10", NULL,
     "Messages of one batch."},
    WEIR_OPTION_END,
};

static weir_rc
toy_offset(const char *text, int64_t *out, struct weir_error *err)
{
    json_t *doc = NULL;
    weir_rc rc;

    *out = -1;
    if (text == NULL)
        return WEIR_OK;
    rc = weir_json_load(text, strlen(text), &doc, err);
    if (rc == WEIR_OK)
        rc = weir_json_get_int(doc, "toy", -1, out, err);
    json_decref(doc);
    return rc == WEIR_OK && *out >= 0 ? WEIR_OK : weir_fail(err, WEIR_USAGE, "%s is no offset of a toy queue", text);
}

/* fn for each message of one log file. */
static weir_rc
toy_log(struct toy *toy, int64_t id,
        weir_rc (*fn)(void *arg, int64_t log, int64_t id, const char *body, struct weir_error *err), void *arg,
        struct weir_error *err)
{
    struct weir_lines lines;
    char key[64];
    const char *line, *body;
    int64_t message;
    json_t *doc;
    size_t len;
    weir_rc rc;

    snprintf(key, sizeof(key), "%s%" PRId64, toy->folder, id);
    rc = weir_lines_open(&lines, toy->env.checkpoint, key, WEIR_SMALL_MAX, toy->env.quota, err);
    while (rc == WEIR_OK && (rc = weir_lines_next(&lines, &line, &len, err)) == WEIR_OK) {
        if (lines.line == 1)
            continue;
        WEIR_GO(weir_json_load(line, len, &doc, err));
        rc = weir_json_get_int(doc, "id", -1, &message, err);
        if (rc == WEIR_OK)
            rc = weir_json_get_str(doc, "body", &body, err);
        if (rc == WEIR_OK)
            rc = fn(arg, id, message, body, err);
        json_decref(doc);
    }
out:
    weir_lines_close(&lines);
    return rc == WEIR_END ? WEIR_OK : rc;
}

static weir_rc
toy_learn(void *arg, int64_t log, int64_t id, const char *body, struct weir_error *err)
{
    struct toy *toy = arg;

    (void)body;
    (void)err;
    WEIR_ASSERT(toy->ntaken < TOY_MESSAGES);
    toy->taken[toy->ntaken++] = (struct toy_taken){id, log, false};
    return WEIR_OK;
}

static weir_rc
toy_listed(void *arg, const struct weir_object *obj, struct weir_error *err)
{
    struct toy *toy = arg;
    const char *name = obj->key + strlen(toy->folder);
    int64_t id;

    (void)err;
    if (name[0] != '.' && weir_parse_int(weir_slice(name, strlen(name)), &id) && id > toy->newest)
        toy->newest = id;
    return WEIR_OK;
}

static weir_rc
toy_open(void *self, const struct weir_source_env *env, struct weir_error *err)
{
    struct toy *toy = self;

    toy->env = *env;
    toy->newest = -1;
    snprintf(toy->folder, sizeof(toy->folder), "sources/%u/", env->index);
    WEIR_TRY(weir_options_apply(toy_options, &toy->opt, env->options, err));
    WEIR_TRY(weir_block_pool_new(env->quota, 4 * WEIR_MIB, env->stop, &toy->pool, err));
    WEIR_TRY(weir_store_list(env->checkpoint, toy->folder, NULL, WEIR_LIST_FOLDER, toy_listed, toy, err));
    for (int64_t id = 0; id <= toy->newest; id++)
        WEIR_TRY(toy_log(toy, id, toy_learn, toy, err));
    return WEIR_OK;
}

static void
toy_close(void *self)
{
    struct toy *toy = self;

    weir_block_pool_free(toy->pool);
    memset(toy, 0, sizeof(*toy));
}

static const char *
toy_describe(void *self)
{
    (void)self;
    return "ToyQueueSource[toy]";
}

static weir_rc
toy_newest(void *self, struct weir_error *err)
{
    (void)self; /* the end is not known before it is fetched */
    (void)err;
    return WEIR_OK;
}

static bool
toy_knows(const struct toy *toy, int64_t id)
{
    for (unsigned i = 0; i < toy->ntaken; i++)
        if (toy->taken[i].id == id)
            return true;
    for (unsigned i = 0; i < toy->nwindow; i++)
        if (toy->window[i].id == id)
            return true;
    return false;
}

static void
toy_fill(struct toy *toy)
{
    const struct toy_message *m;

    while (toy->nwindow < TOY_WINDOW && (m = toy_queue_fetch()) != NULL)
        if (!toy_knows(toy, m->id)) /* a message that comes again; it is deleted with its batch */
            toy->window[toy->nwindow++] = *m;
}

/* The first n of the window into the log; put if absent, so that of two runs one loses. */
static weir_rc
toy_write(struct toy *toy, unsigned n, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    char key[64];
    weir_rc rc;

    weir_buf_str(&buf, "v1");
    for (unsigned i = 0; i < n; i++) {
        weir_buf_printf(&buf, "\n{\"id\":%" PRId64 ",\"body\":", toy->window[i].id);
        weir_buf_json(&buf, toy->window[i].body, strlen(toy->window[i].body));
        weir_buf_byte(&buf, '}');
    }
    WEIR_GO(weir_buf_check(&buf, err));
    snprintf(key, sizeof(key), "%s%" PRId64, toy->folder, toy->newest + 1);
    rc = weir_store_put_settled(toy->env.checkpoint, key, buf.data, buf.len, WEIR_PUT_ABSENT, err);
    if (rc == WEIR_EXISTS) {
        weir_error_clear(err);
        rc = weir_fail(err, WEIR_FENCED, "%s was written by another run of this query", key);
    }
    WEIR_GO(rc);
    toy->newest++;
    for (unsigned i = 0; i < n; i++)
        WEIR_GO(toy_learn(toy, toy->newest, toy->window[i].id, NULL, err));
    toy->nwindow -= n;
    memmove(toy->window, toy->window + n, toy->nwindow * sizeof(*toy->window));
    WEIR_GO(weir_point(WEIR_POINT_SOURCE_LOG, err));
out:
    weir_buf_fini(&buf);
    return rc;
}

static weir_rc
toy_admit(void *self, int64_t batch, const char *from, const struct weir_admit_limits *limits, struct weir_mem *mem,
          const char **to, struct weir_error *err)
{
    struct toy *toy = self;
    int64_t start;
    unsigned n;

    (void)batch;
    WEIR_TRY(toy_offset(from, &start, err));
    if (toy->newest == start) { /* else a crash left a log entry without its offset: it is the batch */
        toy_fill(toy);
        n = limits->all || toy->nwindow < (uint64_t)toy->opt.max ? toy->nwindow : (unsigned)toy->opt.max;
        if (n == 0)
            return WEIR_END;
        WEIR_TRY(toy_write(toy, n, err));
    }
    *to = weir_mem_printf(mem, "{\"toy\":%" PRId64 "}", toy->newest);
    return *to != NULL ? WEIR_OK : weir_mem_fail(mem, 32, err);
}

static weir_rc
toy_body(void *arg, int64_t log, int64_t id, const char *body, struct weir_error *err)
{
    (void)log;
    (void)id;
    weir_buf_str(arg, body);
    weir_buf_byte(arg, '\n');
    return weir_buf_check(arg, err);
}

static weir_rc
toy_tasks(void *self, const char *from, const char *to, struct weir_tasks *out, struct weir_error *err)
{
    struct weir_buf buf = WEIR_BUF(WEIR_SMALL_MAX);
    struct toy *toy = self;
    struct weir_task *task;
    int64_t a, b;
    weir_rc rc;

    *out = (struct weir_tasks){.mem = weir_mem_new(NULL, toy->env.quota, "tasks")};
    WEIR_GO(toy_offset(from, &a, err));
    WEIR_GO(toy_offset(to, &b, err));
    for (int64_t id = a + 1; id <= b; id++)
        WEIR_GO(toy_log(toy, id, toy_body, &buf, err));
    WEIR_NEW(task, out->mem, sizeof(*task));
    out->at = task;
    *task = (struct weir_task){.size = (int64_t)buf.len, .to = -1};
    task->name = weir_mem_printf(out->mem, "toy:%" PRId64 "-%" PRId64, a + 1, b);
    WEIR_GO(weir_block_get(toy->pool, buf.len, &task->block, err));
    out->n = 1;
    memcpy(task->block->data, buf.data, buf.len);
    task->block->len = buf.len;
    task->block->offset = 0;
    weir_block_seal(task->block);
out:
    weir_buf_fini(&buf);
    if (rc != WEIR_OK)
        weir_tasks_fini(out);
    return rc;
}

static weir_rc
toy_check(void *self, const char *from, const char *text, struct weir_error *err)
{
    struct toy *toy = self;
    int64_t a, b;

    WEIR_TRY(toy_offset(from, &a, err));
    WEIR_TRY(toy_offset(text, &b, err));
    return a <= b && b <= toy->newest ? WEIR_OK : weir_fail(err, WEIR_USAGE, "%s lies outside of the log", text);
}

static void
toy_backlog(void *self, struct weir_backlog *out)
{
    (void)self;
    *out = (struct weir_backlog){UINT64_MAX, UINT64_MAX};
}

static weir_rc
toy_committed(void *self, int64_t batch, const char *to, struct weir_error *err)
{
    struct toy *toy = self;
    int64_t end;

    (void)batch;
    WEIR_TRY(toy_offset(to, &end, err));
    for (unsigned i = 0; i < toy->ntaken; i++) {
        struct toy_taken *t = &toy->taken[i];

        if (t->log > end || t->deleted)
            continue;
        WEIR_TRY(toy_queue_delete(t->id, err));
        t->deleted = true;
    }
    return WEIR_OK;
}

const struct weir_source_type weir_source_toy = {
    .name = "toy",
    .about = "a queue in memory, for tests",
    .options = toy_options,
    .self_size = sizeof(struct toy),
    .open = toy_open,
    .describe = toy_describe,
    .newest = toy_newest,
    .admit = toy_admit,
    .tasks = toy_tasks,
    .check = toy_check,
    .backlog = toy_backlog,
    .committed = toy_committed,
    .close = toy_close,
};
