#!/usr/bin/env python3
"""Asks Spark for the value (or the error class) of casts and operators over constants; prints operators.json.

Run by Spark's Python, as make_schemas.py. The rule: every pair of types that casts, over values at the
edges of the first; every operator over pairs of such values; with ANSI off as they stand, with ANSI on as
the try_ form, whose null stands for the error; and some with ANSI on as they stand.
tests/unit/test_sql_operators.c folds the same expressions.
"""
import json
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

STRINGS = ["1", " 1 ", "-1", "+1", "1.9", "-1.9", "1.", ".5", ".", "-.", "", " ", "abc", "1e2", "1E-2",
           "127", "128", "-128", "-129", "32768", "2147483647", "2147483648", "-2147483649",
           "9223372036854775807", "9223372036854775808", "99999999999999999999", "true", "T", "yes", "0", "f",
           "No", "NaN", "Infinity", "-inf", "1e400", "1d", "0x10", "2020-01-02", "2020-1-2", "2020",
           "2020-02-30", "2020-01-02 03:04:05.678", "2020-01-02T03:04:05Z",
           "2020-01-02 03:04:05 Asia/Shanghai", "03:04", "1.23456789012345678901234567890",
           "12345678901234567890.5", "0.005", "1.005", "-0.0", "\\t1\\n"]
TYPES = ["BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)",
         "DECIMAL(38,10)", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "STRING"]
OTHERS = ["true", "false", "127Y", "-128Y", "32767S", "0", "-1", "2147483647", "128", "9223372036854775807L",
          "-9223372036854775807L", "1234567L", "1.5F", "CAST(0.1 AS FLOAT)", "1.0E10D", "1.5D", "-1.5D",
          "2.5D", "1.0E-5D", "123456789.125D", "CAST('NaN' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)",
          "1.0E20D", "127.9D", "128.0D", "-0.0D", "1.50BD", "-1.50BD", "0.005BD", "999.995BD", "1000.00BD",
          "0.0000001BD", "1E-10BD", "0E-10BD", "12345678901234567890.123BD", "DATE'2020-01-02'",
          "DATE'-0044-03-15'", "DATE'12345-01-01'", "TIMESTAMP'2020-01-02 03:04:05.5'",
          "TIMESTAMP'1969-12-31 23:59:59.999999'", "TIMESTAMP_NTZ'2020-01-02 03:04:05'"]
INTS = ["0", "1", "-1", "7", "-7", "2147483647", "-2147483648", "9223372036854775807L", "127Y", "-128Y",
        "32767S"]
DECIMALS = ["1.5BD", "-2.25BD", "0.00BD", "3BD", "99999999999999999999999999999999999999BD",
            "0.00000000000000000001BD", "12345678901234567890.123456789BD", "7", "0.1D"]


def expressions():
    for text in STRINGS:
        for to in TYPES[:-1]:
            yield f"CAST('{text}' AS {to})"
    for value in OTHERS:
        for to in TYPES:
            yield f"CAST({value} AS {to})"
    for op in ["+", "-", "*", "/", "%", "div"]:
        for a in INTS:
            for b in INTS:
                yield f"{a} {op} {b}"
        for a in DECIMALS:
            for b in DECIMALS:
                yield f"{a} {op} {b}"
    for a in INTS + DECIMALS[:-1]:
        yield f"-({a})"
    for a in ["1.5D", "-7.5D", "0.0D", "2.0F", "CAST('NaN' AS DOUBLE)"]:
        for b in ["0.0D", "2.0D", "-3.5D"]:
            yield f"{a} / {b}"
            yield f"{a} % {b}"
    yield from ["DATE'2020-01-31' + 1", "DATE'2020-01-01' - 1", "DATE'2020-01-31' + INTERVAL 1 MONTH",
                "DATE'2020-02-29' + INTERVAL 1 YEAR", "DATE'2020-03-31' - INTERVAL 1 MONTH",
                "DATE'2020-01-31' + INTERVAL 1 DAY", "DATE'2020-01-31' + INTERVAL 25 HOUR",
                "TIMESTAMP'2020-01-31 10:00:00' + INTERVAL 1 MONTH",
                "TIMESTAMP'2020-01-31 10:00:00' + INTERVAL 90 MINUTES",
                "TIMESTAMP'2020-01-31 10:00:00' - INTERVAL '1 02:03:04.5' DAY TO SECOND",
                "TIMESTAMP_NTZ'2020-01-31 10:00:00' + INTERVAL '1-2' YEAR TO MONTH",
                "TIMESTAMP'2020-01-31 10:00:00' + INTERVAL 1 MICROSECOND"]
    yield from ["try_cast('a' AS INT)", "try_cast('1.5' AS INT)", "try_cast(300 AS TINYINT)",
                "try_cast(1e30D AS BIGINT)",
                "try_cast('12' AS INT)", "try_cast('x' AS DATE)", "CAST(X'616263' AS STRING)"]


TRIED = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}


def tried(expr):
    """The expression's try_ form, or None."""
    if expr.startswith("CAST("):
        return "TRY_" + expr
    parts = expr.split(" ")
    if len(parts) == 3 and parts[1] in TRIED:
        return f"{TRIED[parts[1]]}({parts[0]}, {parts[2]})"
    return None


def ask(spark, batch):
    """The entries of a batch: at once when none of them fails, else of its halves."""
    try:
        row = spark.sql("SELECT " + ", ".join(f"CAST({e} AS STRING)" for e in batch)).head()
        return [{"value": value} for value in row]
    except PySparkException as error:
        if len(batch) == 1:
            return [{"error": error.getCondition() or str(error)[:80]}]
    except Exception as error:  # what the JVM throws by itself
        if len(batch) == 1:
            return [{"error": type(error).__name__}]
    half = len(batch) // 2
    return ask(spark, batch[:half]) + ask(spark, batch[half:])


def main():
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "America/New_York").config("spark.log.level", "OFF")
             .getOrCreate())
    every = list(dict.fromkeys(expressions()))
    asked = {False: every, True: [t for t in map(tried, every) if t] + every[::40]}
    print("[")
    for ansi in [True, False]:
        spark.conf.set("spark.sql.ansi.enabled", "true" if ansi else "false")
        for at in range(0, len(asked[ansi]), 64):
            part = asked[ansi][at:at + 64]
            for e, answer in zip(part, ask(spark, part)):
                last = not ansi and e == every[-1]
                print(json.dumps({"expr": e, "ansi": ansi, **answer}) + ("" if last else ","), flush=True)
    print("]")
    spark.stop()


if __name__ == "__main__":
    sys.exit(main())
