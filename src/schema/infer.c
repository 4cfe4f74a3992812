/* What types were seen, as a tree, and the schema that follows.
 *
 * 1. A place keeps which kinds were seen there, not a type: kinds are only added, so the result does not depend on
 *    the order of records or on how they were split over threads.
 * 2. The rules are Spark's (JsonInferSchema.compatibleType, canonicalizeType): integers and fractions meet in DOUBLE,
 *    or in a DECIMAL wide enough for both; anything else that is mixed is STRING; null goes with everything; an object
 *    that never had a key, or whose keys all vanished, vanishes.
 * 3. At most WEIR_FIELDS_MAX places and WEIR_NEST_MAX levels; deeper values are STRING. Without memory, or over the
 *    limit, the tree stays as it is, takes no more and says so at the end.
 * 4. Fields are sorted by name at every level, by UTF-16 units as Java's String.compareTo does. */
#include "schema/infer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"

enum {
    SAW_BOOLEAN = 1,
    SAW_LONG = 2,
    SAW_DOUBLE = 4,
    SAW_DECIMAL = 8,
    SAW_TIMESTAMP = 16,
    SAW_DATE = 32,
    SAW_STRUCT = 64,
    SAW_ARRAY = 128,
    SAW_STRING = 256,
    SAW_NTZ = 512,
    SAW_NUMBER = SAW_LONG | SAW_DOUBLE | SAW_DECIMAL,
    SAW_TIME = SAW_TIMESTAMP | SAW_DATE | SAW_NTZ,
    LONG_DIGITS = 20, /* DecimalType.forType(LongType) */
    DECIMAL_DIGITS = 38
};

struct weir_infer_node {
    struct weir_infer_node *up;
    const char *name; /* as first seen; NULL: an element, or the root */
    uint32_t name_len;
    uint32_t saw;
    uint16_t level;
    uint8_t whole, scale; /* DECIMAL: digits before and behind the point, the most of each */
    uint64_t object;      /* number of the object at hand here, and */
    uint64_t in_object;   /* of the object around in which this field came last */
    struct weir_infer_node **fields;
    uint32_t nfields, fields_cap;
    struct weir_map by_name;
    struct weir_infer_node *element;
};

struct weir_infer {
    struct weir_infer_options opt;
    struct weir_mem *mem;
    struct weir_infer_node root;
    struct weir_infer_node nowhere; /* takes what has no place, and forgets it */
    uint64_t objects;
    uint32_t places;
    bool corrupt, failed, too_many;
    const struct weir_infer_node *doubled; /* a key that came twice in an object */
};

weir_rc
weir_infer_new(const struct weir_infer_options *opt, struct weir_quota *q, struct weir_infer **out,
               struct weir_error *err)
{
    struct weir_mem *mem = weir_mem_new(NULL, q, "inference");
    struct weir_infer *inf = mem == NULL ? NULL : weir_mem_zalloc(mem, sizeof(*inf));

    if (inf == NULL) {
        weir_mem_free(mem);
        return weir_heap_fail(q, sizeof(*inf), "schema inference", err);
    }
    inf->opt = *opt;
    inf->mem = mem;
    weir_map_init(&inf->root.by_name, mem);
    *out = inf;
    return WEIR_OK;
}

void
weir_infer_free(struct weir_infer *inf)
{
    if (inf != NULL)
        weir_mem_free(inf->mem);
}

struct weir_infer_node *
weir_infer_root(struct weir_infer *inf)
{
    return &inf->root;
}

void
weir_infer_corrupt(struct weir_infer *inf)
{
    inf->corrupt = true;
}

/* ---- Growing the tree */

static struct weir_infer_node *
node_new(struct weir_infer *inf, struct weir_infer_node *up, struct weir_slice name)
{
    struct weir_infer_node *node;

    if (inf->places >= WEIR_FIELDS_MAX) {
        inf->too_many = true;
        return NULL;
    }
    node = weir_mem_zalloc(inf->mem, sizeof(*node));
    if (node == NULL) {
        inf->failed = true;
        return NULL;
    }
    node->up = up;
    node->level = (uint16_t)(up->level + 1);
    weir_map_init(&node->by_name, inf->mem);
    if (name.ptr != NULL) {
        node->name = weir_mem_strndup(inf->mem, name.ptr, name.len);
        node->name_len = (uint32_t)name.len;
        inf->failed = inf->failed || node->name == NULL;
    }
    inf->places++;
    return inf->failed ? NULL : node;
}

/* One more pointer in node's list of fields. */
static bool
fields_room(struct weir_infer *inf, struct weir_infer_node *node)
{
    uint32_t cap = node->fields_cap == 0 ? 8 : node->fields_cap * 2;
    struct weir_infer_node **fields;

    if (node->nfields < node->fields_cap)
        return true;
    fields = weir_mem_alloc(inf->mem, cap * sizeof(struct weir_infer_node *));
    if (fields == NULL) {
        inf->failed = true;
        return false;
    }
    if (node->nfields > 0)
        memcpy(fields, node->fields, node->nfields * sizeof(struct weir_infer_node *));
    node->fields = fields;
    node->fields_cap = cap;
    return true;
}

/* Under which text the name is found: itself, or in lower case (ASCII). */
static const char *
name_key(const struct weir_infer *inf, struct weir_slice name, char room[WEIR_NAME_MAX])
{
    if (inf->opt.case_sensitive)
        return name.ptr;
    for (size_t i = 0; i < name.len; i++)
        room[i] = weir_lower(name.ptr[i]);
    return room;
}

static struct weir_infer_node *
field_add(struct weir_infer *inf, struct weir_infer_node *node, struct weir_slice name, const char *key)
{
    struct weir_error err = {0};
    struct weir_infer_node *field;

    if (!fields_room(inf, node))
        return NULL;
    field = node_new(inf, node, name);
    if (field == NULL)
        return NULL;
    if (weir_map_put(&node->by_name, key, name.len, field, NULL, &err) != WEIR_OK) {
        inf->failed = true;
        return NULL;
    }
    node->fields[node->nfields++] = field;
    return field;
}

static struct weir_infer_node *
field_get(struct weir_infer *inf, struct weir_infer_node *node, struct weir_slice name)
{
    char room[WEIR_NAME_MAX];
    const char *key;
    struct weir_infer_node *field;

    if (node == &inf->nowhere || node->level >= WEIR_NEST_MAX - 1)
        return NULL;
    if (name.len == 0 || name.len > WEIR_NAME_MAX)
        return NULL; /* no name for a column: the value will be rescued */
    key = name_key(inf, name, room);
    field = weir_map_get(&node->by_name, key, name.len);
    return field != NULL ? field : field_add(inf, node, name, key);
}

struct weir_infer_node *
weir_infer_field(struct weir_infer *inf, struct weir_infer_node *node, struct weir_slice name)
{
    struct weir_infer_node *field = field_get(inf, node, name);

    if (field == NULL)
        return &inf->nowhere;
    if (field->in_object == node->object && inf->doubled == NULL)
        inf->doubled = field;
    field->in_object = node->object;
    return field;
}

struct weir_infer_node *
weir_infer_element(struct weir_infer *inf, struct weir_infer_node *node)
{
    if (node == &inf->nowhere || node->level >= WEIR_NEST_MAX - 1)
        return &inf->nowhere;
    if (node->element == NULL)
        node->element = node_new(inf, node, weir_slice(NULL, 0));
    return node->element == NULL ? &inf->nowhere : node->element;
}

static void
decimal_see(struct weir_infer_node *node, unsigned precision, unsigned scale)
{
    unsigned whole = precision - scale;

    node->saw |= SAW_DECIMAL;
    if (whole > node->whole)
        node->whole = (uint8_t)whole;
    if (scale > node->scale)
        node->scale = (uint8_t)scale;
}

void
weir_infer_see(struct weir_infer *inf, struct weir_infer_node *node, weir_kind kind, unsigned precision,
               unsigned scale)
{
    if (node == &inf->nowhere)
        return;
    switch (kind) {
    case WEIR_STRUCT:
        node->saw |= node->level >= WEIR_NEST_MAX - 1 ? SAW_STRING : SAW_STRUCT;
        node->object = ++inf->objects;
        break;
    case WEIR_ARRAY:
        node->saw |= node->level >= WEIR_NEST_MAX - 1 ? SAW_STRING : SAW_ARRAY;
        break;
    case WEIR_BOOLEAN:
        node->saw |= SAW_BOOLEAN;
        break;
    case WEIR_BYTE:
    case WEIR_SHORT:
    case WEIR_INT:
    case WEIR_LONG:
        node->saw |= SAW_LONG;
        break;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        node->saw |= SAW_DOUBLE;
        break;
    case WEIR_DECIMAL:
        decimal_see(node, precision, scale);
        break;
    case WEIR_DATE:
        node->saw |= SAW_DATE;
        break;
    case WEIR_TIMESTAMP:
        node->saw |= SAW_TIMESTAMP;
        break;
    case WEIR_TIMESTAMP_NTZ:
        node->saw |= SAW_NTZ;
        break;
    case WEIR_VOID:
        break;
    default:
        node->saw |= SAW_STRING;
        break;
    }
}

/* At most WEIR_NEST_MAX deep. */
static void
node_merge(struct weir_infer *inf, struct weir_infer_node *node, const struct weir_infer_node *other)
{
    node->saw |= other->saw;
    if (other->saw & SAW_DECIMAL)
        decimal_see(node, (unsigned)other->whole + other->scale, other->scale);
    for (uint32_t i = 0; i < other->nfields; i++) {
        const struct weir_infer_node *theirs = other->fields[i];
        struct weir_infer_node *ours = field_get(inf, node, weir_slice(theirs->name, theirs->name_len));

        if (ours != NULL)
            node_merge(inf, ours, theirs);
    }
    if (other->element != NULL) {
        struct weir_infer_node *ours = weir_infer_element(inf, node);

        if (ours != &inf->nowhere)
            node_merge(inf, ours, other->element);
    }
}

/* The place in inf that `node` of another tree has there. */
static const struct weir_infer_node *
node_same(struct weir_infer *inf, const struct weir_infer_node *node)
{
    struct weir_infer_node *up;

    if (node->up == NULL)
        return &inf->root;
    up = (struct weir_infer_node *)(uintptr_t)node_same(inf, node->up);
    if (up == &inf->nowhere)
        return up;
    if (node->name == NULL)
        return weir_infer_element(inf, up);
    up = field_get(inf, up, weir_slice(node->name, node->name_len));
    return up == NULL ? &inf->nowhere : up;
}

weir_rc
weir_infer_merge(struct weir_infer *inf, const struct weir_infer *other, struct weir_error *err)
{
    inf->corrupt = inf->corrupt || other->corrupt;
    inf->failed = inf->failed || other->failed;
    inf->too_many = inf->too_many || other->too_many;
    node_merge(inf, &inf->root, &other->root);
    if (inf->doubled == NULL && other->doubled != NULL)
        inf->doubled = node_same(inf, other->doubled);
    return inf->failed ? weir_mem_fail(inf->mem, sizeof(struct weir_infer_node), err) : WEIR_OK;
}

/* ---- The schema */

struct schema_build {
    struct weir_infer *inf;
    struct weir_mem *mem; /* the result's */
    bool failed;
};

/* UTF-16 order from UTF-8: the four-byte characters are surrogates there, in front of U+E000. */
static int
name_compare(const void *a_, const void *b_)
{
    const struct weir_field *a = a_, *b = b_;
    size_t n = a->name_len < b->name_len ? a->name_len : b->name_len;

    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a->name[i], y = (unsigned char)b->name[i];

        if (x == y)
            continue;
        if (x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0))
            return x >= 0xf0 ? -1 : 1;
        return x < y ? -1 : 1;
    }
    return a->name_len < b->name_len ? -1 : a->name_len > b->name_len;
}

static const struct weir_type *node_type(struct schema_build *b, const struct weir_infer_node *node);

static const struct weir_type *
built(struct schema_build *b, const struct weir_type *type)
{
    b->failed = b->failed || type == NULL;
    return type;
}

/* NULL: no field is left. extra: a field put in front. */
static const struct weir_type *
struct_type(struct schema_build *b, const struct weir_infer_node *node, const struct weir_field *extra)
{
    struct weir_field *fields = weir_mem_alloc(b->mem, (node->nfields + 1) * sizeof(*fields));
    uint32_t n = 0, first = extra != NULL;

    if (built(b, (const void *)fields) == NULL)
        return NULL;
    if (extra != NULL)
        fields[n++] = *extra;
    for (uint32_t i = 0; i < node->nfields; i++) {
        const struct weir_infer_node *field = node->fields[i];
        const struct weir_type *type = node_type(b, field);

        if (type != NULL)
            fields[n++] = (struct weir_field){
                .name = field->name, .name_len = field->name_len, .nullable = true, .type = type};
    }
    if (n == 0 && node->up != NULL)
        return NULL;
    qsort(fields + first, n - first, sizeof(*fields), name_compare);
    return built(b, weir_type_struct(b->mem, fields, n));
}

static const struct weir_type *
array_type(struct schema_build *b, const struct weir_infer_node *node)
{
    const struct weir_type *element;

    if (node->element != NULL)
        element = node_type(b, node->element);
    else
        element = b->inf->opt.drop_if_all_null ? NULL : &weir_type_string;
    return element == NULL ? NULL : built(b, weir_type_array(b->mem, element, true));
}

static const struct weir_type *
number_type(struct schema_build *b, const struct weir_infer_node *node)
{
    unsigned whole = node->whole;

    if (node->saw & SAW_DOUBLE)
        return &weir_type_double;
    if (!(node->saw & SAW_DECIMAL))
        return &weir_type_long;
    if ((node->saw & SAW_LONG) && whole < LONG_DIGITS)
        whole = LONG_DIGITS;
    if (whole + node->scale > DECIMAL_DIGITS)
        return &weir_type_double;
    return built(b, weir_type_decimal(b->mem, whole + node->scale, node->scale));
}

static const struct weir_type *
scalar_type(struct schema_build *b, const struct weir_infer_node *node)
{
    uint32_t saw = node->saw;

    if (b->inf->opt.primitives_as_string && (saw & (SAW_NUMBER | SAW_BOOLEAN)))
        return &weir_type_string;
    if ((saw & ~(uint32_t)SAW_NUMBER) == 0)
        return number_type(b, node);
    if (saw == SAW_BOOLEAN)
        return &weir_type_boolean;
    if (saw == SAW_DATE)
        return &weir_type_date;
    if (saw == SAW_NTZ || saw == (SAW_NTZ | SAW_DATE))
        return &weir_type_timestamp_ntz;
    if ((saw & ~(uint32_t)SAW_TIME) == 0)
        return &weir_type_timestamp;
    return &weir_type_string;
}

/* The type at a place; NULL: it vanishes. */
static const struct weir_type *
node_type(struct schema_build *b, const struct weir_infer_node *node)
{
    if (node->saw == SAW_STRUCT)
        return struct_type(b, node, NULL);
    if (node->saw == SAW_ARRAY)
        return array_type(b, node);
    if (node->saw == 0)
        return b->inf->opt.drop_if_all_null ? NULL : &weir_type_string;
    if (!b->inf->opt.infer_column_types)
        return &weir_type_string;
    return scalar_type(b, node);
}

static weir_rc
doubled_fail(const struct weir_infer *inf, struct weir_error *err)
{
    weir_fail(err, WEIR_SCHEMA, "the key \"%.200s\" comes twice in one object (COLUMN_ALREADY_EXISTS)",
              inf->doubled->name == NULL ? "" : inf->doubled->name);
    return weir_error_hint(err,
                           inf->opt.case_sensitive
                               ? "give the schema; then the last value is taken"
                               : "give the schema, or set readerCaseSensitive when the keys differ by case");
}

weir_rc
weir_infer_schema(struct weir_infer *inf, const char *corrupt_name, struct weir_mem *mem,
                  const struct weir_type **out, struct weir_error *err)
{
    struct schema_build build = {.inf = inf, .mem = mem};
    struct weir_field corrupt = {.name = corrupt_name, .nullable = true, .type = &weir_type_string};

    if (inf->failed)
        return weir_mem_fail(inf->mem, sizeof(struct weir_infer_node), err);
    if (inf->doubled != NULL && !inf->opt.rescues)
        return doubled_fail(inf, err);
    if (inf->too_many && !inf->opt.rescues) {
        weir_fail(err, WEIR_SCHEMA, "the records have more than %d fields", WEIR_FIELDS_MAX);
        return weir_error_hint(err, "give the schema, with MAP or STRING where the keys are data");
    }
    if (corrupt_name != NULL)
        corrupt.name_len = (uint32_t)strlen(corrupt_name);
    *out = struct_type(&build, &inf->root, inf->corrupt && corrupt_name != NULL ? &corrupt : NULL);
    return build.failed ? weir_mem_fail(mem, sizeof(struct weir_type), err) : WEIR_OK;
}
