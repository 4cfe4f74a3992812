#!/usr/bin/env python3
"""Asks Spark for the case of every code point and writes src/sql/unicode_case.inc:

    env $(tests/e2e/peers/spark.sh env) sh -c '$SPARK_PYTHON tests/golden/sql/unicode_case.py'

So weir's upper, lower, initcap and mask know the characters that Spark 4.0 knows, whatever Unicode the system has.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../../../src/sql/unicode_case.inc")
ASK = """select id, %s from (select id, decode(unhex(lpad(hex(id), 8, '0')), 'UTF-32') c from range(1, 1114112)
         where not (id between 55296 and 57343))""" % ", ".join(
    ["hex(encode(%s, 'UTF-32'))" % e for e in (
        "upper(c)", "lower(c)", "initcap(c)", "lower(concat('a', c, '\u03a3'))", "lower(concat('=', c, '\u03a3'))")]
    + ["mask(c)"])


def ask():
    from pyspark.sql import SparkSession
    os.environ["PYSPARK_PYTHON"] = os.environ.get("SPARK_PYTHON", "python3")
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    rows = spark.sql(ASK).collect()
    spark.stop()
    return rows


def points(text):
    return [int(text[i:i + 8], 16) for i in range(0, len(text), 8)]


def runs(points_to_delta):
    """Runs of (from, last, stride, delta) over sorted points."""
    at, out = sorted(points_to_delta.items()), []
    i = 0
    while i < len(at):
        best = (i, at[i][0], 1)
        for stride in (1, 2):
            j = i
            while j + 1 < len(at) and at[j + 1][0] - at[j][0] == stride and at[j + 1][1] == at[i][1]:
                j += 1
            if j > best[0]:
                best = (j, at[j][0], stride)
        out.append((at[i][0], best[1], best[2], at[i][1]))
        i = best[0] + 1
    return out


def table(f, name, rows):
    f.write("static const struct case_run %s[] = {\n" % name)
    line = "   "
    for row in rows:
        text = " {0x%x, 0x%x, %d, %d}," % row
        if len(line) + len(text) > 110:
            f.write(line + "\n")
            line = "   "
        line += text
    f.write(line + "\n};\n")


def maps(f, name, mapping):
    table(f, name, runs({c: to[0] - c for c, to in mapping.items() if len(to) == 1}))
    f.write("static const struct case_many %s_many[] = {\n" % name)
    line = "   "
    for c, to in sorted(mapping.items()):
        if len(to) == 1:
            continue
        text = " {0x%x, %d, {%s}}," % (c, len(to), ", ".join("0x%x" % x for x in to))
        if len(line) + len(text) > 110:
            f.write(line + "\n")
            line = "   "
        line += text
    f.write(line + "\n};\n")


def main():
    upper, lower, title, ignorable, cased, big, small, digit = ({} for _ in range(8))
    for c, u, low, t, behind_a, behind_none, masked in ask():
        u, low, t = points(u), points(low), points(t)
        if u != [c]:
            upper[c] = u
        if low != [c]:
            lower[c] = low
        if t != u:
            title[c] = t
        # A sigma is final behind a cased letter, whatever ignorable characters stand between.
        is_cased = points(behind_none)[-1] == 0x3c2
        if is_cased:
            cased[c] = 0
        elif points(behind_a)[-1] == 0x3c2:
            ignorable[c] = 0
        for name, to in (("X", big), ("x", small), ("n", digit)):
            if masked == name:
                to[c] = 0
    for c in (0x58, 0x78, 0x6e):  # X, x and n are masked as themselves or as another
        (big if c == 0x58 else small)[c] = 0
    digit.pop(0x6e, None)
    with open(OUT, "w", encoding="ascii") as f:
        f.write("/* Made by tests/golden/sql/unicode_case.py from Spark's answers. Runs: first, last, stride, what is "
                "added.\n * title: where it is not upper. */\n")
        maps(f, "upper", upper)
        maps(f, "lower", lower)
        maps(f, "title", title)
        table(f, "cased", runs(cased))
        table(f, "ignorable", runs(ignorable))
        table(f, "mask_upper", runs(big))
        table(f, "mask_lower", runs(small))
        table(f, "mask_digit", runs(digit))


if __name__ == "__main__":
    main()
