#include "cli/show.h"

static weir_rc
show_lane(void *self, unsigned lane, void **out, struct weir_error *err)
{
    (void)lane;
    (void)err;
    *out = self;
    return WEIR_OK;
}

static weir_rc
show_page(void *lane, const struct weir_page *page, struct weir_error *err)
{
    struct weir_shown *s = lane;
    weir_rc rc;

    pthread_mutex_lock(&s->lock);
    rc = weir_show_write(&s->show, page, err);
    if (rc == WEIR_OK && s->show.rows >= s->enough)
        rc = WEIR_END;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static weir_rc
show_lane_finish(void *lane, struct weir_error *err)
{
    (void)lane;
    (void)err;
    return WEIR_OK;
}

static void
show_lane_close(void *lane)
{
    (void)lane;
}

static weir_rc
show_out(void *self, const char *text, size_t len, struct weir_error *err)
{
    (void)self;
    return weir_cli_out(text, len, err);
}

void
weir_shown_init(struct weir_shown *s, const char *format, uint64_t enough, struct weir_quota *quota)
{
    *s = (struct weir_shown){.lock = PTHREAD_MUTEX_INITIALIZER, .enough = enough};
    s->show = (struct weir_show){.format = (weir_show_format)weir_cli_choice("table|json|csv", format),
                                 .most = enough,
                                 .out = show_out,
                                 .quota = quota};
    s->drain = (struct weir_drain){.self = s,
                                   .lane_open = show_lane,
                                   .write = show_page,
                                   .lane_finish = show_lane_finish,
                                   .lane_close = show_lane_close};
}

weir_rc
weir_shown_begin(void *self, const struct weir_type *schema, const struct weir_zone *zone,
                 struct weir_error *err)
{
    struct weir_shown *s = self;

    s->schema_mem = weir_mem_new(NULL, s->show.quota, "shown schema");
    s->show.schema = s->schema_mem == NULL ? NULL : weir_type_copy(s->schema_mem, schema);
    s->show.zone = zone;
    return s->show.schema == NULL ? weir_fail(err, WEIR_NOMEM, "no memory for rows to show") : WEIR_OK;
}

weir_rc
weir_shown_end(struct weir_shown *s, weir_rc rc, struct weir_error *err)
{
    if (rc == WEIR_OK) {
        if (s->show.rows > s->enough)
            s->show.rows = s->enough; /* asked for so many: that there are more is no news */
        rc = weir_show_finish(&s->show, err);
    }
    weir_show_fini(&s->show);
    weir_mem_free(s->schema_mem);
    pthread_mutex_destroy(&s->lock);
    return rc;
}
