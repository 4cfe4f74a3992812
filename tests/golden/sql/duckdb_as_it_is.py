#!/usr/bin/env python3
"""What DuckDB itself makes of the golden expressions, only their back quotes turned into double ones: the measurement
behind docs/internals/sql.md. Needs the duckdb package; prints one line.

  tests/golden/sql/duckdb_as_it_is.py
"""
import collections
import json
import os

import duckdb

TYPES = {"int": "INTEGER", "bigint": "BIGINT", "smallint": "SMALLINT", "tinyint": "TINYINT", "string": "VARCHAR",
         "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP", "binary": "BLOB"}


def verdict(connection, case):
    sql = "SELECT typeof(x), CAST(x AS VARCHAR) FROM (SELECT %s AS x)" % case["sql"].replace("`", '"')
    try:
        kind, text = connection.execute(sql).fetchone()
    except (duckdb.Error, TypeError):
        return "both refuse" if "error" in case else "refuses, Spark answers"
    if "error" in case:
        return "answers, Spark refuses"
    if case["rows"] != [text]:
        return "another answer"
    same = kind == TYPES.get(case["type"], case["type"].upper())
    return "same answer and type" if same else "same text, another type"


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json"), encoding="utf-8") as f:
        cases = [c for c in json.load(f) if c.get("ansi", True)]
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    count = collections.Counter(verdict(connection, c) for c in cases)
    print("%d expressions: %s" % (len(cases), ", ".join("%s %d" % (k, n) for k, n in count.most_common())))


main()
