/* LAYER 2: a range becomes pages. The reader decides the schema (given, stored or inferred), and reads the objects
 * of a batch with as many lanes as there are.
 *
 * The page's columns: the data's, in the schema's order; partition columns that the data do not name; the rescued
 * column; `_metadata` when somebody asks for it. A column that the path gives wins over one in the data.
 * Threads: open, infer and scan calls come from the control thread; a scan's feed serves all lanes at once. */
#ifndef WEIR_READER_READER_H
#define WEIR_READER_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/block.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/option.h"
#include "base/stop.h"
#include "column/feed.h"
#include "column/text.h"
#include "column/type.h"

struct weir_tasks; /* source/source.h: sisters do not include each other; pipeline/ hands tasks over */
