/* From a pipeline file to one resolved tree: `extends` merged, `${…}` filled in. For spec.c. */
#ifndef WEIR_PIPELINE_VARIABLES_H
#define WEIR_PIPELINE_VARIABLES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "pipeline/yaml.h"

/* file: as the user named it. *dir: absolute, of the file. *name: the key `name`, or the file's stem. The keys
 * `extends` and `variables` are taken out of the tree. */
weir_rc weir_spec_tree(const char *file, struct weir_mem *mem, struct weir_yaml **root, const char **dir,
                       const char **name, struct weir_error *err);

#endif
