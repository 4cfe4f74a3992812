#!/usr/bin/env python3
"""Asks Spark for the schema (or the error class) of every query of schemas.sql; prints schemas.json.

Run by Spark's Python:
    $(tests/e2e/peers/spark.sh env | sed -n s/SPARK_PYTHON=//p) make_schemas.py >schemas.json
The tables are those of TABLES; tests/unit/test_sql_bind.c binds the same queries over the same schemas.
"""
import json
import os
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import _parse_datatype_string

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = {
    "t": "b BOOLEAN, y TINYINT, h SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, dt DATE, ts TIMESTAMP, "
         "tn TIMESTAMP_NTZ, n DECIMAL(10,2), m DECIMAL(38,18), s STRING, x BINARY, a ARRAY<INT>, "
         "aa ARRAY<STRUCT<p: INT, q: STRING>>, mp MAP<STRING, INT>, st STRUCT<u: INT, v: STRUCT<w: STRING>>",
    "u": "id INT, i INT, s STRING, k BIGINT",
    "w": "id INT NOT NULL, name STRING NOT NULL",
}


def main():
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").config("spark.log.level", "OFF").getOrCreate())
    for name, ddl in TABLES.items():
        spark.createDataFrame([], _parse_datatype_string(ddl)).createOrReplaceTempView(name)
    out = []
    with open(os.path.join(HERE, "schemas.sql"), encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            modes = {"!": [False], "=": [True, False]}.get(line[0], [True])
            sql = line.lstrip("!=")
            for ansi in modes:
                spark.conf.set("spark.sql.ansi.enabled", "true" if ansi else "false")
                entry = {"sql": sql, "ansi": ansi}
                try:
                    entry["schema"] = json.loads(spark.sql(sql).schema.json())
                except PySparkException as e:
                    entry["error"] = e.getCondition() or str(e)[:80]
                out.append(entry)
    spark.stop()
    print("[\n" + ",\n".join(json.dumps(e) for e in out) + "\n]")


if __name__ == "__main__":
    sys.exit(main())
