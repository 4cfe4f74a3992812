#!/usr/bin/env python3
"""Asks Spark for the answers of the calls in *.cases and writes them as *.json beside them:

    env $(tests/e2e/peers/spark.sh env) sh -c '$SPARK_PYTHON tests/golden/sql/ask.py string regex'

A line of a .cases file is a function and its arguments as Spark SQL, with tabs between. An answer has the arguments as
one JSON object with their types, the result or the class of the error, and, where an error is none with
spark.sql.ansi.enabled off, that answer too. The session's zone is UTC.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = ("map('ignoreNullFields', 'false', 'timestampFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX\", "
        "'timestampNTZFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")")


def session():
    from pyspark.sql import SparkSession
    os.environ["PYSPARK_PYTHON"] = os.environ.get("SPARK_PYTHON", "python3")
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", "1g").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    return spark


def row(spark, text):
    """(types, JSON of the row). From a local relation, so that the optimizer computes it and no job is started."""
    frame = spark.sql("select %s from values (1)" % text)
    types = [f.dataType.simpleString() for f in frame.schema.fields]
    names = ", ".join("`%s`" % f.name for f in frame.schema.fields)
    got = spark.sql("select to_json(struct(%s), %s) from (select %s from values (1))" % (names, FULL, text)).collect()
    return types, got[0][0]


def call(spark, fn, args, ansi):
    spark.conf.set("spark.sql.ansi.enabled", "true" if ansi else "false")
    try:
        types, got = row(spark, "%s(%s) as r" % (fn, ", ".join(args)))
        return {"type": types[0], "out": got}
    except Exception as e:
        text = str(e)
        named = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", text)
        return {"error": named.group(1) if named else text.split("\n")[0][:100]}


def answer(spark, line):
    fn, *args = line.split("\t")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    case = {"fn": fn, "args": args, "types": [], "in": "{}"}
    if args:
        case["types"], case["in"] = row(spark, ", ".join("%s as a%d" % (a, i) for i, a in enumerate(args)))
    case.update(call(spark, fn, args, True))
    if "error" in case:
        off = call(spark, fn, args, False)
        if off != {"error": case["error"]}:
            case["off"] = off
    return case


def main(names):
    spark = session()
    for name in names:
        with open(os.path.join(HERE, name + ".cases"), encoding="utf-8") as f:
            lines = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("# ")]
        cases = []
        for line in lines:
            try:
                cases.append(answer(spark, line))
            except Exception as e:
                print("%s.cases: %r: %s" % (name, line, str(e)[:300]), file=sys.stderr)
        with open(os.path.join(HERE, name + ".json"), "w", encoding="utf-8") as f:
            f.write('{"spark": "%s", "cases": [\n' % spark.version)
            f.write(",\n".join(json.dumps(c, ensure_ascii=False) for c in cases))
            f.write("\n]}\n")
        print("%s: %d answers" % (name, len(cases)))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
