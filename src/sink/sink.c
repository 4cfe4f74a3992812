/* The table of sinks. sink/sink.h. */
#include "sink/sink.h"

#include "base/str.h"

#define SINK(symbol) extern const struct weir_sink_type weir_sink_##symbol;
#include "sink/sinks.def"
#undef SINK

static const struct weir_sink_type *const sinks[] = {
#define SINK(symbol) &weir_sink_##symbol,
#include "sink/sinks.def"
#undef SINK
};

enum { SINKS = sizeof(sinks) / sizeof(*sinks) };

const struct weir_sink_type *
weir_sink_find(const char *format)
{
    for (size_t i = 0; i < SINKS; i++) {
        if (weir_slice_is_nocase(weir_slice(format, strlen(format)), sinks[i]->name))
            return sinks[i];
    }
    return NULL;
}

#define SINK(symbol) #symbol,
static const char *const sink_names[] = {
#include "sink/sinks.def"
    NULL};
#undef SINK

const char *const *
weir_sink_names(void)
{
    return sink_names;
}
