"""Asks real Spark what the functions of values_cases.txt answer, and writes values.json beside it.

    $(tests/e2e/peers/spark.sh env | sed 's/^/export /'); $SPARK_PYTHON tests/golden/sql/make_values.py

values_cases.txt: a line is a function and its arguments in Spark SQL, divided by " ; ". An argument may be several
alternatives divided by " || ": each combination is a case. "## name key=value" begins a section: zone=… is the
session's time zone, about=1 lets doubles differ in their last digit. Lines with one # are comments. A line that begins with
SELECT is a whole query, whose answer is its rows, with columns named c0, c1 …
An argument is written as its type in Spark's JSON, its value as the text that to_json prints, and whether it is a literal. An
answer is the same, or the error's class. "off" is the answer with spark.sql.ansi.enabled = false where that differs.
"""
import itertools
import json
import logging
import os
import re
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = ("map('ignoreNullFields', 'false', 'timestampFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXXXX\", "
           "'timestampNTZFormat', \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")")
UNIT = re.compile(r"^(?!NULL$)[A-Z]+$")
LITERAL = re.compile(r"^(-?\d+|'[^'\\]*'|true|false)$")


def session():
    return (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
            .config("spark.sql.codegen.wholeStage", "false").config("spark.log.level", "FATAL")
            .config("spark.sql.optimizer.excludedRules",
                    "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation")
            .getOrCreate())


def ask(spark, text):
    """{"type", "value"} or {"error"}."""
    try:
        frame = spark.sql("SELECT %s AS r" % text)
        kind = frame.schema["r"].dataType.jsonValue()
        frame.createOrReplaceTempView("answer")
        row = spark.sql("SELECT to_json(struct(r), %s) FROM answer" % OPTIONS).collect()[0][0]
        return {"type": kind, "value": row[len('{"r":'):-1]}
    except PySparkException as e:
        found = e.getCondition() if hasattr(e, "getCondition") else e.getErrorClass()
        return {"error": found or str(e)[:80]}
    except Exception as e:  # Java's own, such as a NumberFormatException of a pattern
        found = re.search(r"\[([A-Z_.]+)\]|(\w+(Exception|Error))", str(e))
        return {"error": found.group(0) if found else str(e)[:80]}


def ask_query(spark, text):
    """{"type", "rows"} or {"error"}."""
    try:
        frame = spark.sql(text)
        frame = frame.toDF(*["c%d" % i for i in range(len(frame.columns))])
        frame.createOrReplaceTempView("answer")
        rows = spark.sql("SELECT to_json(struct(*), %s) FROM answer" % OPTIONS).collect()
        return {"type": frame.schema.jsonValue(), "rows": [row[0] for row in rows]}
    except PySparkException as e:
        return {"error": e.getCondition() or str(e)[:80]}
    except Exception as e:
        found = re.search(r"\[([A-Z_.]+)\]", str(e))
        return {"error": found.group(1) if found else str(e)[:80]}


def sections(path):
    """(settings, lines) of each section."""
    found = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("## "):
                name, *settings = line[3:].split()
                found.append((dict([("section", name)] + [s.split("=", 1) for s in settings]), []))
            elif line and not line.startswith("#"):
                found[-1][1].append(line)
    return found


def cases(line):
    name, *arguments = line.split(" ; ")
    for chosen in itertools.product(*[a.split(" || ") for a in arguments]):
        yield name.strip(), [c.strip() for c in chosen]


def main():
    only = sys.argv[1:]
    target = os.path.join(HERE, "values.json")
    spark, answers, seen = session(), [], {}
    spark.sparkContext.setLogLevel("OFF")
    logging.disable(logging.CRITICAL)
    old = []
    if only:
        with open(target, encoding="utf-8") as f:
            old = [line for line in f if line.startswith("{") and json.loads(line.rstrip(",\n"))["section"] not in only]
    for settings, lines in sections(os.path.join(HERE, "values_cases.txt")):
        if only and settings["section"] not in only:
            continue
        zone = settings.get("zone", "UTC")
        spark.conf.set("spark.sql.session.timeZone", zone)
        for query in [line for line in lines if line.startswith("SELECT ")]:
            spark.conf.set("spark.sql.ansi.enabled", "true")
            answers.append(json.dumps(dict(settings, query=query, answer=ask_query(spark, query)), ensure_ascii=False))
        lines = [line for line in lines if not line.startswith("SELECT ")]
        for name, arguments in itertools.chain.from_iterable(map(cases, lines)):
            spark.conf.set("spark.sql.ansi.enabled", "true")
            made = []
            for a in arguments:
                if UNIT.match(a):  # the word is the value
                    seen[zone, a] = {"type": "string", "value": json.dumps(a), "literal": True}
                if (zone, a) not in seen:
                    seen[zone, a] = dict(ask(spark, a), literal=bool(LITERAL.match(a)))
                made.append(seen[zone, a])
            bad = [a for a, m in zip(arguments, made) if "error" in m]
            if bad:
                raise SystemExit("%s: %s: %s" % (name, bad[0], seen[zone, bad[0]]["error"]))
            call = "%s(%s)" % (name, ", ".join(arguments))
            answer = ask(spark, call)
            spark.conf.set("spark.sql.ansi.enabled", "false")
            off = ask(spark, call)
            case = dict(settings, call=call, function=name, arguments=made, answer=answer)
            if off != answer:
                case["off"] = off
            answers.append(json.dumps(case, ensure_ascii=False))
    with open(target, "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join([line.rstrip(",\n") for line in old] + answers) + "\n]\n")
    print("%d cases" % len(answers))


main()
