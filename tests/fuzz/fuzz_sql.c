/* Spark SQL: no input crashes, nothing is read outside of the text, trees keep their depth, and every node's
 * place is in the text. */
#include "base/limits.h"
#include "sql/ast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_node(const struct weir_node *node, size_t size, unsigned level)
{
    uint32_t i;

    WEIR_ASSERT(level <= WEIR_NEST_MAX);
    WEIR_ASSERT(node->at <= size);
    WEIR_ASSERT(node->text == NULL || node->kind == WEIR_NODE_LITERAL || node->text[0] != '\0');
    WEIR_ASSERT(node->kind != WEIR_NODE_LITERAL || node->type != NULL);
    for (i = 0; i < node->nkids; i++) {
        if (node->kids[i] != NULL)
            check_node(node->kids[i], size, level + 1);
    }
}

static void
check(weir_rc rc, const struct weir_node *node, size_t size)
{
    if (rc != WEIR_OK) {
        WEIR_ASSERT(rc == WEIR_USAGE || rc == WEIR_UNSUPPORTED || rc == WEIR_NOMEM);
        return;
    }
    check_node(node, size, 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mem *mem = weir_mem_new(NULL, NULL, "fuzz");
    struct weir_node *node = NULL;
    struct weir_error err = {0};
    weir_rc rc;

    if (mem == NULL)
        return 0;
    rc = weir_sql_parse((const char *)data, size, mem, &node, &err);
    check(rc, node, size);
    rc = weir_sql_parse_expr((const char *)data, size, mem, &node, &err);
    check(rc, node, size);
    weir_mem_free(mem);
    return 0;
}
