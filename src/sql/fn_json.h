/* What the JSON functions share. */
#ifndef WEIR_SQL_FN_JSON_H
#define WEIR_SQL_FN_JSON_H

#include "codec/json_int.h"
#include "sql/function.h"

/* The constant map('key', 'value', …) that argument i is, or nothing when it is absent; lives in r->mem. */
weir_rc weir_call_options(struct weir_resolve *r, uint32_t i, struct weir_settings *set,
                          struct weir_error *err);
/* The options of argument i, a map of constants, or the defaults when it is absent; zone and name of the
 * corrupt column are the session's unless said. */
weir_rc weir_json_call_options(struct weir_resolve *r, uint32_t i, struct json_options *opt,
                               struct weir_error *err);
/* The type of a text by inference: BIGINT, ARRAY<STRUCT<…>>. */
weir_rc weir_json_type_of(const struct json_options *opt, struct weir_slice s, struct weir_mem *mem,
                          const struct weir_type **out, struct weir_error *err);
/* s as a JSON string; characters beyond `most` as \uXXXX, those beyond U+FFFF as two of them. */
void weir_json_quoted(struct weir_buf *buf, struct weir_slice s, uint32_t most);

#endif
