/* The format "json": options and the table of its functions. The parts:
 *
 *   json_cut.c      where records begin and end
 *   json_token.c    tokens, skipping a value      json_scan.c   the same bytes, 32 at a time
 *   json_fields.c   a schema, compiled            json_value.c  scalars into slots
 *   json_decode.c   objects, arrays, records      json_map.c    maps
 *   json_rescue.c   the rescued text              json_infer.c  what types were seen
 * Follows Spark 4's JSONOptions, JacksonParser and Auto Loader's options for JSON. */
#include <math.h>

#include "codec/json_int.h"

#include "base/str.h"

#define AT(member) offsetof(struct json_options, member)

const struct weir_option weir_json_option_table[] = {
    {"mode", WEIR_OPT_CHOICE, WEIR_HONOURED, AT(mode), "PERMISSIVE", "PERMISSIVE|DROPMALFORMED|FAILFAST",
     "What a malformed record does: a row of nulls with its text kept, no row, or an error."},
    {"columnNameOfCorruptRecord", WEIR_OPT_TEXT, WEIR_HONOURED, AT(corrupt_column), "_corrupt_record", NULL,
     "STRING column that keeps the text of malformed records, when the schema has it."},
    {"multiLine", WEIR_OPT_BOOL, WEIR_HONOURED, AT(multi_line), "false", NULL,
     "A record may span lines; the elements of a top-level array are records."},
    {"lineSep", WEIR_OPT_TEXT, WEIR_HONOURED, AT(line_sep), NULL, NULL,
     "What ends a line; unset: any of \\r, \\r\\n and \\n."},
    {"encoding", WEIR_OPT_TEXT, WEIR_HONOURED, AT(encoding), NULL, NULL,
     "Encoding of the files; unset: UTF-8."},
    {"charset", WEIR_OPT_TEXT, WEIR_HONOURED, AT(charset), NULL, NULL, "Another name of encoding."},
    {"locale", WEIR_OPT_TEXT, WEIR_HONOURED, AT(locale), "en-US", NULL,
     "Language of names in dates; only en-US, other values are refused."},
    {"dateFormat", WEIR_OPT_TEXT, WEIR_HONOURED, AT(date_format), NULL, NULL,
     "Pattern of DATE values; unset: yyyy-[M]M-[d]d and what Spark's cast takes."},
    {"timestampFormat", WEIR_OPT_TEXT, WEIR_HONOURED, AT(timestamp_format), NULL, NULL,
     "Pattern of TIMESTAMP values; unset: ISO 8601 and what Spark's cast takes."},
    {"timestampNTZFormat", WEIR_OPT_TEXT, WEIR_HONOURED, AT(ntz_format), NULL, NULL,
     "Pattern of TIMESTAMP_NTZ values; unset: ISO 8601 without a zone."},
    {"timeZone", WEIR_OPT_TEXT, WEIR_HONOURED, AT(time_zone), NULL, NULL,
     "Zone of timestamps that name none; unset: the session's."},
    {"allowComments", WEIR_OPT_BOOL, WEIR_HONOURED, AT(comments), "false", NULL,
     "Accepts /* */ and // comments."},
    {"allowSingleQuotes", WEIR_OPT_BOOL, WEIR_HONOURED, AT(single_quotes), "true", NULL,
     "Accepts strings and names in single quotes."},
    {"allowUnquotedFieldNames", WEIR_OPT_BOOL, WEIR_HONOURED, AT(unquoted_names), "false", NULL,
     "Accepts names without quotes."},
    {"allowNumericLeadingZeros", WEIR_OPT_BOOL, WEIR_HONOURED, AT(leading_zeros), "false", NULL,
     "Accepts numbers like 007."},
    {"allowBackslashEscapingAnyCharacter", WEIR_OPT_BOOL, WEIR_HONOURED, AT(any_escape), "false", NULL,
     "Accepts a backslash before any character."},
    {"allowUnquotedControlChars", WEIR_OPT_BOOL, WEIR_HONOURED, AT(control_chars), "false", NULL,
     "Accepts control characters in strings."},
    {"allowNonNumericNumbers", WEIR_OPT_BOOL, WEIR_HONOURED, AT(non_numeric), "true", NULL,
     "Accepts NaN, Infinity and -Infinity as numbers."},
    {"maxNestingDepth", WEIR_OPT_INT, WEIR_HONOURED, AT(max_depth), "1000", NULL,
     "Records nested deeper are malformed; at most 1000."},
    {"maxNumLen", WEIR_OPT_INT, WEIR_HONOURED, AT(max_number), "1000", NULL,
     "Records with a number of more digits are malformed."},
    {"primitivesAsString", WEIR_OPT_BOOL, WEIR_HONOURED, AT(primitives_as_string), "false", NULL,
     "Inference takes numbers and booleans as STRING."},
    {"prefersDecimal", WEIR_OPT_BOOL, WEIR_HONOURED, AT(prefers_decimal), "false", NULL,
     "Inference takes fractions as DECIMAL where they fit."},
    {"dropFieldIfAllNull", WEIR_OPT_BOOL, WEIR_HONOURED, AT(drop_if_all_null), "false", NULL,
     "Inference leaves out fields that were always null or an empty array."},
    {"inferTimestamp", WEIR_OPT_BOOL, WEIR_HONOURED, AT(infer_timestamp), "false", NULL,
     "Inference takes strings that are timestamps as TIMESTAMP."},
    {"samplingRatio", WEIR_OPT_TEXT, WEIR_HONOURED, AT(sampling_ratio), "1.0", NULL,
     "Share of the records that inference looks at; only 1.0, other values are refused."},
    {"singleVariantColumn", WEIR_OPT_TEXT, WEIR_REFUSED, 0, NULL, NULL,
     "VARIANT is not read from JSON by this version; read a text source instead"},
    {"enableDateTimeParsingFallback", WEIR_OPT_BOOL, WEIR_REFUSED, 0, NULL, NULL,
     "a value that its pattern does not take is rescued and never read in another way"},
    {"maxStringLen", WEIR_OPT_INT, WEIR_REFUSED, 0, NULL, NULL,
     "weir.maxRecordBytes bounds a record with all its strings"},
    {"ignoreNullFields", WEIR_OPT_BOOL, WEIR_NO_EFFECT, 0, NULL, NULL, "Only for writing."},
    {"pretty", WEIR_OPT_BOOL, WEIR_NO_EFFECT, 0, NULL, NULL, "Only for writing."},
    {"writeNonAsciiCharacterAsCodePoint", WEIR_OPT_BOOL, WEIR_NO_EFFECT, 0, NULL, NULL, "Only for writing."},
    WEIR_OPTION_END,
};

static weir_rc
framing_prepare(struct json_options *opt, struct weir_error *err)
{
    opt->cr_ends = opt->line_sep == NULL;
    opt->sep_len = opt->line_sep == NULL ? 0 : strlen(opt->line_sep);
    if (opt->line_sep != NULL && opt->sep_len == 0)
        return weir_fail(err, WEIR_USAGE, "option lineSep is empty");
    if (opt->multi_line)
        opt->framing = JSON_STREAM;
    else
        opt->framing = opt->line_sep == NULL || strcmp(opt->line_sep, "\n") == 0 ? JSON_LINES : JSON_CUSTOM;
    return WEIR_OK;
}

static weir_rc
pattern_prepare(const char *name, const char *text, struct weir_mem *mem, struct weir_pattern **out,
                struct weir_error *err)
{
    if (text == NULL || weir_pattern_compile(text, strlen(text), mem, out, err) == WEIR_OK)
        return WEIR_OK;
    return weir_error_context(err, "option %s", name);
}

static weir_rc
zone_prepare(struct json_options *opt, const struct weir_format_env *env, struct weir_error *err)
{
    opt->zone = opt->time_zone == NULL ? env->zone : weir_zone_find(opt->time_zone, strlen(opt->time_zone));
    if (opt->zone != NULL)
        return WEIR_OK;
    weir_fail(err, WEIR_USAGE, "option timeZone: %s is no time zone", opt->time_zone);
    return weir_zone_hint(err);
}

static weir_rc
limits_prepare(const struct json_options *opt, struct weir_error *err)
{
    if (opt->max_depth < 1 || opt->max_depth > JSON_DEPTH_MAX)
        return weir_fail(err, WEIR_USAGE, "option maxNestingDepth: write a number from 1 to %d",
                         JSON_DEPTH_MAX);
    if (opt->max_number < 1)
        return weir_fail(err, WEIR_USAGE, "option maxNumLen: write a number from 1");
    return WEIR_OK;
}

/* Options that have one value only; another is refused rather than read as if it were that. */
static weir_rc
fixed_prepare(const struct json_options *opt, struct weir_error *err)
{
    struct weir_slice locale = weir_slice(opt->locale, strlen(opt->locale));
    double ratio;

    if (!weir_slice_is_nocase(locale, "en-US") && !weir_slice_is_nocase(locale, "en") &&
        !weir_slice_is_nocase(locale, "US") && !weir_slice_is_nocase(locale, "en_US"))
        return weir_fail(err, WEIR_UNSUPPORTED, "option locale: only en-US is read, not %s", opt->locale);
    if (!weir_double_parse(opt->sampling_ratio, strlen(opt->sampling_ratio), &ratio) || !(ratio > 0))
        return weir_fail(err, WEIR_USAGE, "option samplingRatio: %s is no number above 0",
                         opt->sampling_ratio);
    if (ratio < 1)
        return weir_fail(
            err, WEIR_UNSUPPORTED,
            "option samplingRatio: inference looks at every record of its files; a share that is left "
            "out could hide fields");
    return WEIR_OK;
}

weir_rc
weir_json_prepare(void *opt_, const struct weir_format_env *env, struct weir_error *err)
{
    struct json_options *opt = opt_;

    opt->scan = weir_json_scan_best();
    opt->case_sensitive = env->case_sensitive;
    opt->max_record = env->max_record_bytes;
    opt->quota = env->quota;
    WEIR_TRY(framing_prepare(opt, err));
    WEIR_TRY(limits_prepare(opt, err));
    WEIR_TRY(fixed_prepare(opt, err));
    WEIR_TRY(zone_prepare(opt, env, err));
    WEIR_TRY(pattern_prepare("dateFormat", opt->date_format, env->mem, &opt->date, err));
    WEIR_TRY(pattern_prepare("timestampFormat", opt->timestamp_format, env->mem, &opt->timestamp, err));
    return pattern_prepare("timestampNTZFormat", opt->ntz_format, env->mem, &opt->ntz, err);
}

void
weir_json_traits(const void *opt_, struct weir_format_traits *out)
{
    const struct json_options *opt = opt_;

    out->corrupt_column = opt->corrupt_column;
    out->encoding = opt->encoding != NULL ? opt->encoding : opt->charset;
    out->infer.primitives_as_string = opt->primitives_as_string;
    out->infer.prefers_decimal = opt->prefers_decimal;
    out->infer.drop_if_all_null = opt->drop_if_all_null;
}

const struct weir_format_type weir_format_json = {
    .name = "json",
    .about = "JSON: a record a line, or multiLine values and arrays",
    .options = weir_json_option_table,
    .options_size = sizeof(struct json_options),
    .prepare = weir_json_prepare,
    .traits = weir_json_traits,
    .cut = weir_json_cut,
    .decoder_new = weir_json_decoder_new,
    .decoder_object = weir_json_decoder_object,
    .decode = weir_json_decode,
    .decoder_free = weir_json_decoder_free,
    .infer = weir_json_infer,
};
