"""Asks real Spark 4.0 what SQL means, and writes cases.json beside it.

    env $(tests/e2e/peers/spark.sh env) sh -c '$SPARK_PYTHON tests/golden/sql/make.py [--again]'

What stands in cases.json is not asked again, unless --again says so.

The rule: a function or operator has arguments by kind (POOLS). One case has the ordinary value everywhere; then each
argument in turn takes each of its kind's other values: null, empty, limits, bad input. The values that Spark took
without an error are asked once more as rows of a column. What fails in Spark is asked again with ANSI off, and so are
all casts and all arithmetic. EXTRA are whole queries: aggregates, windows, generators, joins.

A line of cases.json is a case, sorted by function, then by ansi, then whether it fails:
  f      the function it belongs to
  sql    an expression, or a query when it begins with SELECT
  ansi   false: spark.sql.ansi.enabled is off
  type   of the result in Spark's simple words; several columns: a list
  name   the column's name, as Spark makes it; several columns: a list
  rows   a list of rows: the value as text. Scalars as CAST(… AS STRING) prints them, BINARY as hexadecimal digits,
         nested ones as to_json prints them with nulls kept; several columns: a list of those
  error  instead of type, name, rows: the error's class, or UNCLASSIFIED
The session's time zone is UTC. Nothing here depends on the clock or on chance.
"""
import json
import os
import re
import sys

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import types as T

HERE = os.path.dirname(os.path.abspath(__file__))

# kind: [the ordinary value, others …]
POOLS = {
    "s": ["'Spark SQL'", "CAST(NULL AS STRING)", "''", "'ärger €😀'"],
    "i": ["3", "CAST(NULL AS INT)", "0", "-1", "2147483647", "-2147483648"],
    "k": ["2", "CAST(NULL AS INT)", "0", "-1", "100"],  # a small number: a length, a place
    "l": ["7L", "CAST(NULL AS BIGINT)", "9223372036854775807L", "-9223372036854775808L"],
    "d": ["2.5D", "CAST(NULL AS DOUBLE)", "0.0D", "-1.5D", "double('NaN')", "double('Infinity')", "1e308"],
    "n": ["12.34", "CAST(NULL AS DECIMAL(4,2))", "0.00", "-99999999999999999999999999999999999.999"],
    "b": ["true", "CAST(NULL AS BOOLEAN)", "false"],
    "D": ["DATE'2024-02-29'", "CAST(NULL AS DATE)", "DATE'0001-01-01'", "DATE'9999-12-31'"],
    "t": ["TIMESTAMP'2024-02-29 12:34:56.789012'", "CAST(NULL AS TIMESTAMP)", "TIMESTAMP'1969-12-31 23:59:59.5'",
          "TIMESTAMP'9999-12-31 23:59:59.999999'"],
    "N": ["TIMESTAMP_NTZ'2024-02-29 12:34:56.789'", "CAST(NULL AS TIMESTAMP_NTZ)"],
    "x": ["X'00FF41'", "CAST(NULL AS BINARY)", "X''"],
    "a": ["array(3, 1, 2)", "CAST(NULL AS ARRAY<INT>)", "CAST(array() AS ARRAY<INT>)", "array(2, NULL, 2)"],
    "A": ["array('b', 'a', 'c')", "CAST(NULL AS ARRAY<STRING>)", "array('x', NULL, '')"],
    "m": ["map('a', 1, 'b', 2)", "CAST(NULL AS MAP<STRING,INT>)", "map('z', CAST(NULL AS INT))"],
    "S": ["named_struct('a', 1, 'b', 'x')", "CAST(NULL AS STRUCT<a:INT,b:STRING>)", "named_struct('a', NULL, 'b', '')"],
    "j": ["'{\"a\": 1, \"b\": [1, 2, {\"c\": \"x\"}], \"d\": \"e\"}'", "CAST(NULL AS STRING)", "''", "'{bad'", "'null'",
          "'[1, 2]'"],
    "y": ["'2024-02-29'", "CAST(NULL AS STRING)", "''", "'2024-02-30'", "'x'"],  # a date as text
    "z": ["'2024-02-29 12:34:56'", "CAST(NULL AS STRING)", "''", "'2024-02-29 25:00:00'", "'x'"],
    "q": ["'12'", "CAST(NULL AS STRING)", "''", "' 7 '", "'abc'", "'1e2'", "'-0.5'", "'99999999999999999999'"],
}


def ways(kind):
    return POOLS[kind] if isinstance(kind, str) and kind in POOLS else kind if isinstance(kind, list) else [kind]


class Rule:
    """name: for sorting. form: with {0} {1} …; kinds: a pool's name, a list of values, or one constant text."""

    def __init__(self, name, form, *kinds, off=False, columns=True):
        self.name, self.form, self.kinds, self.off = name, form, [ways(k) for k in kinds], off
        self.columns = columns  # not where an argument is a word of the grammar

    def combinations(self):
        ordinary = [k[0] for k in self.kinds]
        yield tuple(ordinary)
        for at, kind in enumerate(self.kinds):
            for other in kind[1:]:
                yield tuple(ordinary[:at] + [other] + ordinary[at + 1:])

    def text(self, values):
        return self.form.format(*values)


def call(names, *kinds, off=False):
    return [Rule(n, n + "(" + ", ".join("{%d}" % i for i in range(len(kinds))) + ")", *kinds, off=off)
            for n in names.split()]


def infix(names, *kinds, off=True):
    return [Rule(n, "{0} " + n + " {1}", *kinds, off=off) for n in names.split()]


def operators():
    for kinds in (("i", "i"), ("l", "l"), ("d", "d"), ("n", "n"), ("q", "i"), ("i", "n"), ("l", "d")):
        yield from infix("+ - * / % div", *kinds)
    for kinds in (("i", "i"), ("s", "s"), ("d", "d"), ("D", "y"), ("t", "D"), ("b", "b"), ("n", "i"), ("x", "x"),
                  ("a", "a"), ("S", "S")):
        yield from infix("= <=> <> <", *kinds, off=False)
    yield from infix("<= > >=", "i", "i", off=False)
    yield from infix("& | ^", "i", "l", off=False)
    yield from infix("<< >> >>>", "i", "k", off=False)
    yield from infix("AND OR", "b", "b", off=False)
    yield from infix("||", "s", "s", off=False)
    yield from infix("||", "a", "a", off=False)
    yield from infix("||", "x", "x", off=False)
    yield Rule("not", "NOT {0}", "b")
    for kind in "ildn":
        yield Rule("-", "- {0}", kind, off=True)
    yield Rule("+", "+ {0}", "q")
    yield Rule("~", "~ {0}", ["1", "1L", "1Y", "CAST(NULL AS INT)"])
    yield Rule("between", "{0} BETWEEN {1} AND {2}", "i", "k", ["5", "NULL", "'4'"])
    yield Rule("in", "{0} IN ({1}, 3, {2})", "i", ["1", "NULL"], ["4L", "NULL"])
    yield Rule("like", "{0} LIKE {1}", "s", ["'S%k _QL'", "NULL", "''", "'%\\\\_%'", "'\\\\'"])
    yield Rule("like", "{0} LIKE {1} ESCAPE '/'", ["'50%'", "NULL"], ["'50/%'", "'50/'", "'5/0%'"])
    yield Rule("ilike", "{0} ILIKE {1}", "s", ["'SPARK%'", "NULL", "'ÄRGER%'"])
    yield Rule("like any", "{0} LIKE ANY ({1}, 'S%')", "s", ["'x'", "NULL"])
    yield Rule("like all", "{0} LIKE ALL ({1}, 'S%')", "s", ["'%L'", "NULL"])
    yield Rule("not like any", "{0} NOT LIKE ANY ({1}, 'S%')", "s", ["'x'", "NULL"])
    yield Rule("rlike", "{0} RLIKE {1}", "s", ["'^S.*L$'", "NULL", "''", "'(?i)sql'", "'('"])
    yield Rule("is null", "{0} IS NULL", "i")
    yield Rule("is not null", "{0} IS NOT NULL", "s")
    yield Rule("<=>", "{0} IS NOT TRUE", "b")
    yield Rule("<=>", "{0} IS DISTINCT FROM {1}", "i", "i")
    yield Rule("case", "CASE WHEN {0} THEN {1} ELSE {2} END", "b", ["1", "NULL"], ["2L", "2.5", "'x'"])
    yield Rule("case", "CASE {0} WHEN 3 THEN 'three' WHEN NULL THEN 'null' END", "i")
    yield Rule("index", "{0}[{1}]", "a", ["1", "NULL", "-1", "3"], off=True)
    yield Rule("index", "{0}[{1}]", "m", ["'a'", "NULL", "'q'"], off=True)
    yield Rule("field", "{0}.a", "S")
    yield Rule("field", "array({0}, named_struct('a', 9, 'b', 'y')).a", "S")


NUMBERS = ["CAST(NULL AS STRING)", "300", "-1Y", "2147483648L", "9223372036854775807L", "1.5D", "-0.4D", "1e10",
           "double('NaN')", "double('-Infinity')", "2.5BD", "12345678901234567890.5", "true", "'12'", "' 7 '", "''",
           "'1.5'", "'1e2'", "'abc'", "'99999999999999999999'", "'Infinity'", "'nan'", "'+5'", "'.5'", "'0x1F'", "'1L'",
           "DATE'2024-02-29'", "TIMESTAMP'2024-02-29 12:34:56.789'", "TIMESTAMP'1969-12-31 23:59:59.5'", "X'0102'"]
TIMES = ["'2024-02-29'", "'2024-2-9'", "'2024'", "'2024-02-30'", "''", "' 2024-02-29 '", "'2024-02-29T01:02:03'",
         "'2024-02-29 01:02:03.1234567'", "'2024-02-29 01:02:03+08:00'", "'2024-02-29 01:02:03 Europe/Berlin'",
         "'10:00'", "'x'", "'12345-01-01'", "'-0001-01-01'", "DATE'2024-02-29'", "TIMESTAMP'2024-02-29 12:34:56.789'",
         "TIMESTAMP_NTZ'2024-02-29 12:34:56'", "1", "1.5D", "-1L", "2.5", "9223372036854775807L", "true",
         "CAST(NULL AS STRING)", "'epoch'"]
TEXTS = ["true", "1Y", "-5", "1.0D", "1e10", "1e-5", "123456789.0D", "float(0.1)", "float(1e10)", "1.50", "0.0000001",
         "DATE'2024-02-29'", "DATE'0001-01-01'", "TIMESTAMP'2024-02-29 12:34:56.7'", "TIMESTAMP_NTZ'0001-01-01 00:00:00'",
         "X'414243'", "X'C3'", "array(1, NULL)", "map('a', 1.5)", "named_struct('a', NULL, 'b', 'x')", "NULL",
         "double('NaN')", "-0.0D", "'x'", "array('a', 'b, c')", "array(DATE'2024-01-01')", "map()"]


def casts():
    for kind in "BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(10,2) DECIMAL(3,1)".split():
        for way in ("CAST", "TRY_CAST"):
            for v in NUMBERS:
                yield way.lower(), "%s(%s AS %s)" % (way, v, kind)
    for kind in ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ"):
        for v in TIMES:
            yield "cast", "CAST(%s AS %s)" % (v, kind)
    for v in TEXTS:
        yield "cast", "CAST(%s AS STRING)" % v
    for v in ["'abc'", "''", "'é'", "1", "1L", "NULL", "X'01'"]:
        yield "cast", "CAST(%s AS BINARY)" % v
    for v, kind in [("array(1, 2)", "ARRAY<STRING>"), ("array('1', 'x')", "ARRAY<INT>"), ("map('a', 1)", "MAP<STRING,LONG>"),
                    ("named_struct('a', 1, 'b', 'x')", "STRUCT<c:STRING,d:STRING>"), ("array(1)", "INT"),
                    ("named_struct('a', 1)", "STRUCT<a:INT,b:INT>"), ("1", "ARRAY<INT>"), ("NULL", "STRUCT<a:INT>")]:
        yield "cast", "CAST(%s AS %s)" % (v, kind)
    for v in ["1", "'5'::INT + 1", "(1.26)::DECIMAL(2,1)", "int('7')", "string(1.0D)", "date('2024-01-01')",
              "double('x')", "decimal('1.5')", "boolean('t')", "binary('a')", "timestamp('2024')", "bigint('x')"]:
        yield "cast", v if v != "1" else "1::STRING"


def strings():
    yield from call("upper lower ucase lcase length len char_length character_length octet_length bit_length reverse "
                    "initcap trim ltrim rtrim btrim ascii md5 sha sha1 crc32 base64 soundex hex", "s")
    yield from call("length octet_length bit_length reverse hex base64 md5 sha1 crc32 btrim", "x")
    yield from call("hex bin", "l")
    yield from call("hex", "i")
    yield from call("concat", "s", "s", "i")
    yield from call("concat", "a", "a")
    yield from call("concat_ws", ["','", "NULL", "''"], "s", "A", "s")
    yield from call("substring substr", "s", "k", "k")
    yield from call("substring substr", "s", ["-3", "NULL", "0", "100"])
    yield from call("substring", "x", "k", "k")
    yield Rule("substring", "SUBSTRING({0} FROM {1} FOR {2})", "s", "k", "k")
    yield from call("left right", "s", "k")
    yield from call("repeat", "s", "k")
    yield from call("lpad rpad", "s", ["12", "NULL", "0", "-1", "4"], ["'xy'", "NULL", "''"])
    yield from call("lpad rpad", "s", "k")
    yield from call("lpad rpad", "x", "k", ["X'AB'", "X''"])
    yield from call("instr", "s", ["'S'", "NULL", "''", "'€'"])
    yield from call("locate", ["'S'", "NULL", "''"], "s", ["2", "NULL", "0", "-1", "100"])
    yield from call("locate position", ["'k'", "NULL", "''"], "s")
    yield Rule("locate", "POSITION({0} IN {1})", ["'k'", "''"], "s")
    yield from call("replace", "s", ["'S'", "NULL", "''"], ["'x'", "NULL", "''"])
    yield from call("replace", "s", ["'S'", "''"])
    yield from call("translate", "s", ["'Sk'", "NULL", "''", "'€S'"], ["'x'", "NULL", "''", "'12345'"])
    yield from call("overlay", "s", ["'_'", "NULL"], ["6", "NULL", "0", "100"], ["3", "-1", "0", "NULL"])
    yield Rule("overlay", "OVERLAY({0} PLACING {1} FROM {2})", "s", ["'XYZ'", "''"], ["7", "1"])
    yield Rule("trim", "TRIM(BOTH {0} FROM {1})", ["'SL'", "NULL", "''"], "s")
    yield Rule("ltrim", "TRIM(LEADING {0} FROM {1})", ["'SpL'", "NULL"], "s")
    yield Rule("rtrim", "TRIM(TRAILING {0} FROM {1})", ["'SL'", "''"], "s")
    yield from call("ltrim rtrim", ["'S'", "NULL"], "s")
    yield from call("btrim", "s", ["'SL'", "NULL"])
    yield from call("split", "s", ["' '", "NULL", "''", "'[a-k]'", "'('"], ["-1", "2", "0", "NULL"])
    yield from call("split", "s", ["'a'", "''", "'\\\\s'"])
    yield from call("split_part", "s", ["' '", "NULL", "''"], ["1", "NULL", "0", "-1", "5"])
    yield from call("substring_index", "s", ["' '", "NULL", "''"], ["1", "NULL", "0", "-1", "9"])
    yield from call("find_in_set", ["'b'", "NULL", "''", "'a,b'"], ["'a,b,c'", "NULL", "''"])
    yield from call("levenshtein", "s", ["'Shark'", "NULL", "''"])
    yield from call("levenshtein", "s", ["'Spork SQL'", "NULL"], ["2", "0", "-1", "NULL"])
    yield from call("contains startswith endswith", "s", ["'S'", "NULL", "''", "'SQL'"])
    yield from call("contains startswith endswith", "x", ["X'41'", "X''"])
    yield from call("chr char", ["65", "NULL", "0", "256", "-1", "233"])
    yield from call("space", "k")
    yield from call("elt", ["1", "NULL", "0", "3"], "s", "s")
    yield from call("format_string printf", ["'%s-%d'", "NULL", "'%5s|%03d'", "'%q'"], "s", "i")
    yield from call("format_string", ["'%.2f'", "'%e'", "'%10.1f|'"], "d")
    yield from call("format_number", "d", ["2", "NULL", "0", "-1"])
    yield from call("format_number", "n", ["1", "'#.##'"])
    yield from call("unhex", ["'4142'", "NULL", "''", "'F'", "'zz'"])
    yield from call("unbase64", ["'U3Bhcms='", "NULL", "''", "'U3Bhcms'", "'!!'"])
    yield from call("encode", "s", ["'UTF-8'", "NULL", "'UTF-16BE'", "'US-ASCII'", "'nope'", "'iso-8859-1'"])
    yield from call("decode", "x", ["'UTF-8'", "'UTF-16LE'", "'nope'", "'ISO-8859-1'"])
    yield from call("decode", "i", "3", "'a'", "0", "'b'", ["'c'", "NULL"])
    yield from call("conv", ["'ff'", "NULL", "''", "'-10'", "'zz'", "'99999999999999999999'"], ["16", "1", "10"], ["10", "-10", "2", "NULL"])
    yield from call("mask", ["'AbCD123-@$#'", "NULL", "''"])
    yield from call("mask", ["'AbCD123'", "NULL"], ["'Q'", "NULL", "'QQ'"], ["'q'", "NULL"], ["'d'", "NULL"], ["'o'", "NULL"])
    yield from call("sentences", ["'Hi there! Good morning.'", "NULL"])
    yield from call("url_encode url_decode", ["'a b&c=%C3%A4'", "NULL", "''", "'%zz'"])
    yield from call("parse_url", ["'https://u@h.org:80/p/q?a=1&b=2#f'", "NULL", "''", "'::'"],
                    ["'HOST'", "'PATH'", "'QUERY'", "'REF'", "'PROTOCOL'", "'FILE'", "'AUTHORITY'", "'USERINFO'", "'x'", "NULL"])
    yield from call("parse_url", "'https://h.org/p?a=1&b=2'", "'QUERY'", ["'b'", "'c'", "NULL"])
    yield from call("luhn_check", ["'8112189876'", "NULL", "''", "'79927398714'", "'x1'"])
    yield from call("to_number", ["'454'", "NULL", "''", "'-12'", "'x'"], ["'999'", "'S99'"])
    yield from call("to_number", ["'$78.12'", "'12,454'"], ["'$99.99'", "'99,999'"])
    yield from call("try_to_number", ["'454'", "'x'"], "'999'")
    yield from call("to_char", ["454", "-7", "NULL", "12345"], ["'999'", "'S0009'"])
    yield from call("is_valid_utf8 make_valid_utf8 validate_utf8 try_validate_utf8", ["'a'", "NULL", "CAST(X'C3' AS STRING)"])
    yield from call("to_binary try_to_binary", ["'4142'", "NULL", "'zz'"], ["'hex'", "'utf-8'", "'base64'", "'x'"])
    yield from call("sha2", "s", ["256", "NULL", "0", "224", "384", "512", "1"])
    yield from call("hash xxhash64", ["1", "NULL", "1L", "1Y", "1.5D", "float(1.5)", "'Spark'", "''", "X'01'", "true",
                                      "DATE'2024-01-01'", "TIMESTAMP'2024-01-01 00:00:00'", "1.50", "array(1, NULL)",
                                      "named_struct('a', 1)", "12345678901234567890.12", "-0.0D", "double('NaN')"])
    yield from call("hash xxhash64", "s", "i", "d")


def regexes():
    s = ["'100-200, 300-400'", "CAST(NULL AS STRING)", "''"]
    yield from call("regexp_extract", s, ["'(\\\\d+)-(\\\\d+)'", "NULL", "'x'", "'('", "'(?<y>\\\\d+)-'"], ["1", "0", "2", "3", "-1", "NULL"])
    yield from call("regexp_extract", s, ["'(\\\\d+)'", "'\\\\d'"])
    yield from call("regexp_extract_all", s, ["'(\\\\d+)-(\\\\d+)'", "'x'", "NULL"], ["1", "0", "3"])
    yield from call("regexp_replace", s, ["'(\\\\d+)'", "NULL", "''", "'('", "'[[:alpha:]&&[^a]]'"], ["'<$1>'", "'num'", "NULL", "'$9'", "'\\\\$'"])
    yield from call("regexp_replace", s, "'\\\\d+'", "'n'", ["5", "1", "0", "100"])
    yield from call("regexp_count regexp_substr regexp_instr", s, ["'\\\\d{3}'", "NULL", "''", "'('", "'\\\\p{L}'"])
    yield from call("rlike regexp regexp_like", s, ["'^\\\\d'", "'\\\\bQ'", "NULL"])


def jsons():
    yield from call("get_json_object", "j", ["'$.a'", "NULL", "'$.b[2].c'", "'$.b[*]'", "'$'", "'a'", "'$.x'", "''", "'$[1]'", "'$.*'"])
    yield from call("json_array_length json_object_keys", "j")
    yield from call("schema_of_json", ["'{\"a\": 1, \"b\": [1.5, null], \"c\": {\"d\": \"x\"}}'", "'[]'", "'1'", "'{bad'"])
    yield from call("from_json", "j", ["'a INT, d STRING'", "'b ARRAY<STRING>'", "'a STRING, b STRING'", "'x INT'", "'nope'"])
    yield from call("from_json", ["'{\"t\": \"29/02/2024\"}'", "'{\"t\": \"x\"}'"], "'t DATE'", ["map('dateFormat', 'dd/MM/yyyy')", "map('mode', 'FAILFAST')"])
    yield from call("from_json", ["'[1, 2]'", "'{\"a\": 1}'"], ["'ARRAY<INT>'", "'MAP<STRING, INT>'"])
    yield from call("to_json", ["named_struct('a', 1, 'b', NULL, 'c', 1.50, 'd', DATE'2024-01-01', 'e', 2.0D)", "NULL", "map('k', array(1, NULL))",
                                "array(named_struct('t', TIMESTAMP'2024-01-01 01:02:03.4'))", "named_struct('x', X'0102', 's', 'q\"')", "1",
                                "array()", "named_struct('f', double('NaN'))", "CAST(NULL AS STRUCT<a:INT>)"])
    yield from call("to_json", "named_struct('a', DATE'2024-01-02', 'n', NULL)", ["map('dateFormat', 'dd.MM.yyyy')", "map('ignoreNullFields', 'false')"])
    yield from call("from_csv", ["'1,x'", "NULL", "''", "'a,b'"], "'a INT, b STRING'")
    yield from call("to_csv", ["named_struct('a', 1, 'b', 'x, y')", "NULL"])
    yield from call("schema_of_csv", ["'1,abc'"])
    yield from call("str_to_map", ["'a:1,b:2'", "NULL", "''", "'a'", "'a:1,a:2'"], ["','", "NULL"], ["':'", "NULL"])
    yield from call("str_to_map", ["'a:1,b:2'"])


def datetimes():
    yield from call("year quarter month day dayofmonth dayofweek weekday dayofyear weekofyear last_day unix_date dayname "
                    "monthname", "D")
    yield from call("hour minute second unix_seconds unix_millis unix_micros year date to_date", "t")
    yield from call("hour minute second year", "N")
    yield from call("year last_day", "y", off=True)
    yield from call("hour minute", "z", off=True)
    for f in ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOW", "DOW_ISO", "DOY", "HOUR", "MINUTE", "SECOND", "YEAROFWEEK", "x"]:
        yield Rule("extract", "EXTRACT(%s FROM {0})" % f, ["TIMESTAMP'2024-02-29 12:34:56.789012'", "DATE'2021-01-03'"])
    yield from call("date_part datepart", ["'week'", "'seconds'", "NULL"], "t")
    yield from call("date_add date_sub", "D", ["1", "NULL", "-1", "2147483647"])
    yield from call("date_add dateadd", "y", "1", off=True)
    yield from call("add_months", "D", ["1", "NULL", "-12", "0", "2147483647"])
    yield from call("datediff date_diff", "D", ["DATE'2024-01-01'", "NULL", "'2023-12-31'"])
    yield from call("months_between", "t", ["TIMESTAMP'2023-12-31 10:00:00'", "NULL", "DATE'2024-01-29'"])
    yield from call("months_between", "t", "DATE'2023-01-01'", ["false", "true"])
    yield from call("next_day", "D", ["'MO'", "'sunday'", "NULL", "'xx'"], off=True)
    yield from call("trunc", "D", ["'MM'", "'YEAR'", "'week'", "'quarter'", "'DD'", "NULL", "''"])
    yield from call("date_trunc", ["'HOUR'", "'YEAR'", "'QUARTER'", "'MONTH'", "'WEEK'", "'DAY'", "'MINUTE'", "'SECOND'", "'MILLISECOND'",
                                   "'MICROSECOND'", "'x'", "NULL"], "t")
    yield Rule("timestampadd", "TIMESTAMPADD({0}, {1}, {2})", ["MONTH", "DAY", "HOUR", "MICROSECOND", "WEEK", "QUARTER", "YEAR"], ["1", "NULL", "-13"], "t", columns=False)
    yield Rule("timestampdiff", "TIMESTAMPDIFF({0}, {1}, TIMESTAMP'2025-03-01 00:00:00')", ["MONTH", "DAY", "HOUR", "SECOND", "WEEK", "YEAR"], "t", columns=False)
    for op in "+-":
        for v in ["INTERVAL 1 DAY", "INTERVAL 1 MONTH", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL 13 MONTHS", "INTERVAL 36 HOURS"]:
            yield Rule(op, "{0} %s %s" % (op, v), "D")
            yield Rule(op, "{0} %s %s" % (op, v), "t")
            yield Rule(op, "{0} %s %s" % (op, v), "N")
    yield from infix("-", "D", "D", off=False)
    yield from infix("-", "t", "t", off=False)
    yield from call("make_date", ["2024", "NULL", "0", "10000", "-1"], ["2", "13", "0"], ["29", "30", "NULL"], off=True)
    yield from call("make_timestamp", ["2024", "NULL", "0"], ["2", "13"], "29", ["12", "24"], ["34", "60"], ["56.789", "60", "61", "NULL"], off=True)
    yield from call("make_timestamp", "2024", "2", "29", "12", "0", "0", ["'Europe/Berlin'", "'nope'", "NULL"], off=True)
    yield from call("make_timestamp_ntz", "2024", ["2", "13"], "29", "12", "0", "0")
    yield from call("to_date", "y", off=True)
    yield from call("to_date", ["'29.02.2024'", "NULL", "''", "'30.02.2024'", "'x'"], ["'dd.MM.yyyy'", "'d.M.y'", "'q'"], off=True)
    yield from call("to_timestamp to_timestamp_ntz try_to_timestamp", "z", off=True)
    yield from call("to_timestamp try_to_timestamp", ["'29.02.2024 01:02'", "NULL", "''", "'x'"], ["'dd.MM.yyyy HH:mm'", "NULL", "'dd.MM.yyyy'"], off=True)
    yield from call("date_format", "t", ["'yyyy-MM-dd HH:mm:ss.SSS'", "'EEEE, d MMM y'", "'D Q a h'", "'XXX z'", "NULL", "''", "'YYYY'", "'yy-M-d'", "\"'at' HH\""])
    yield from call("date_format", "D", ["'yyyyMMdd'"])
    yield from call("from_unixtime", ["1709210096", "NULL", "-1", "0"], ["'yyyy-MM-dd HH:mm'", "NULL", "'q'"])
    yield from call("from_unixtime", "l")
    yield from call("unix_timestamp to_unix_timestamp", "z", off=True)
    yield from call("unix_timestamp", ["'29.02.2024'", "'x'"], ["'dd.MM.yyyy'", "NULL"], off=True)
    yield from call("unix_timestamp", ["TIMESTAMP'2024-02-29 12:34:56'", "DATE'2024-02-29'"])
    yield from call("timestamp_seconds", ["1709210096", "NULL", "-1.5", "1.25D", "9223372036854775807L"])
    yield from call("timestamp_millis timestamp_micros", ["1709210096789L", "NULL", "-1", "9223372036854775807L"])
    yield from call("date_from_unix_date", ["19782", "NULL", "-1"])
    yield from call("from_utc_timestamp to_utc_timestamp", "t", ["'Asia/Shanghai'", "NULL", "'nope'", "'+02:00'", "'America/New_York'"])
    yield from call("convert_timezone", "'UTC'", ["'Asia/Tokyo'", "NULL", "'nope'"], "N")
    yield from call("window", "t", ["'10 minutes'", "'x'", "'1 month'"])
    yield from call("window", "t", "'10 minutes'", ["'5 minutes'", "'20 minutes'"])
    for v in ["INTERVAL 1 DAY", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL 90 MINUTES", "make_date(2024, 1, 1) - DATE'2023-01-01'"]:
        yield Rule("interval", "{0}", [v])


def maths():
    yield from call("abs sign signum negative positive", "i", off=True)
    yield from call("abs negative sign", "l", off=True)
    yield from call("abs ceil floor round bround sign sqrt cbrt exp expm1 ln log10 log2 log1p sin cos tan asin acos atan "
                    "sinh cosh tanh asinh acosh atanh degrees radians rint ceiling cot sec csc isnan", "d")
    yield from call("abs ceil floor round bround negative sign", "n", off=True)
    yield from call("ceil floor round sqrt", "q", off=True)
    yield from call("round bround", ["2.5D", "-2.5D", "1234.5678D", "NULL", "double('NaN')"], ["0", "2", "-2", "NULL"])
    yield from call("round bround ceil floor", ["2.345", "-2.345", "NULL"], ["2", "0", "-1"])
    yield from call("round", ["2147483647", "127Y", "15"], ["-1", "0", "1"], off=True)
    yield from call("mod pmod", "i", ["2", "NULL", "0", "-2"], off=True)
    yield from call("mod pmod", "d", ["2.0D", "0.0D", "-2.0D"], off=True)
    yield from call("pow power atan2 hypot log nanvl", "d", ["2.0D", "NULL", "0.0D", "-1.0D", "double('NaN')"])
    yield from call("log", "d")
    yield from call("greatest least", "i", "l", ["1", "NULL"])
    yield from call("greatest least", ["1.5D", "double('NaN')"], ["2.0D", "NULL"])
    yield from call("greatest least", ["'a'", "NULL"], ["'B'"])
    yield from call("factorial", ["5", "NULL", "0", "-1", "21", "20"])
    yield from call("bit_count bit_get getbit", *["i"])
    yield from call("bit_count", ["true", "-1L", "NULL"])
    yield from call("bit_get", ["11", "NULL"], ["0", "2", "64", "-1"])
    yield from call("shiftleft shiftright shiftrightunsigned", "i", "k")
    yield from call("width_bucket", ["5.3D", "NULL", "-1.0D", "20.0D"], "0.2D", ["10.6D", "0.2D"], ["5", "0", "NULL"])
    yield from call("try_add try_subtract try_multiply", "i", ["1", "NULL", "2147483647"])
    yield from call("try_add try_subtract try_multiply", "l", ["1L", "9223372036854775807L"])
    yield from call("try_divide try_mod", "i", ["2", "0", "NULL"])
    yield from call("try_divide", "n", ["0.0", "2.5"])
    yield from call("coalesce", ["NULL", "CAST(NULL AS INT)"], ["1", "NULL"], ["2L", "2.5"])
    yield from call("nvl ifnull nullif equal_null", "i", ["3", "NULL", "0"])
    yield from call("nvl2", "i", "'a'", ["'b'", "NULL"])
    yield from call("nullifzero zeroifnull", "i")
    yield from call("if", "b", ["1", "NULL"], ["2.5", "'x'"])
    yield from call("isnull isnotnull", "s")
    yield from call("typeof", ["1", "1.5", "'a'", "NULL", "array(1)", "map(1, 'a')", "named_struct('a', 1)", "DATE'2024-01-01'", "X''"])
    yield from call("assert_true", ["true", "false", "NULL"])
    yield from call("raise_error", ["'boom'"])
    yield from call("e pi")
    yield from call("bool_and", *[])


def collections():
    yield from call("size cardinality array_size array_max array_min array_distinct array_sort sort_array array_compact reverse", "a")
    yield from call("array_max array_min sort_array array_distinct array_sort", "A")
    yield from call("array_max array_min", ["array(1.5D, double('NaN'))", "array(DATE'2024-01-01')"])
    yield from call("size cardinality map_keys map_values map_entries", "m")
    yield from call("sort_array", "a", ["false", "true"])
    yield from call("array_contains array_position array_remove array_append array_prepend", "a", ["2", "NULL", "9", "2L"])
    yield from call("array_contains", "A", ["'a'", "''", "1"])
    yield from call("array_union array_intersect array_except arrays_overlap arrays_zip", "a", ["array(2, 9, NULL)", "CAST(NULL AS ARRAY<INT>)", "array()"])
    yield from call("array_join", "A", ["','", "NULL", "''"])
    yield from call("array_join", "A", "'-'", ["'?'", "NULL"])
    yield from call("array_repeat", ["'x'", "NULL"], "k")
    yield from call("array_insert", "a", ["2", "-1", "1", "0", "6", "-7", "NULL"], ["9", "NULL"])
    yield from call("element_at try_element_at", "a", ["1", "-1", "0", "9", "NULL"], off=True)
    yield from call("element_at try_element_at", "m", ["'a'", "'q'", "NULL"])
    yield from call("get", "a", ["0", "-1", "9", "NULL"])
    yield from call("slice", "a", ["2", "-2", "0", "9", "NULL"], ["2", "-1", "0", "NULL"])
    yield from call("flatten", ["array(array(1, 2), array(3))", "array(array(1), NULL)", "CAST(NULL AS ARRAY<ARRAY<INT>>)", "array(1)"])
    yield from call("sequence", ["1", "NULL", "5"], ["5", "NULL"])
    yield from call("sequence", ["1", "5"], ["5", "1"], ["2", "0", "-2", "NULL"])
    yield from call("sequence", ["DATE'2024-01-31'"], ["DATE'2024-04-30'", "DATE'2023-12-01'"], ["INTERVAL 1 MONTH", "INTERVAL -1 MONTH", "INTERVAL 20 DAYS"])
    yield from call("sequence", "TIMESTAMP'2024-01-01 00:00:00'", "TIMESTAMP'2024-01-01 02:00:00'", ["INTERVAL 45 MINUTES"])
    yield from call("array", "i", "l", ["NULL", "1.5", "'x'"])
    yield from call("array map named_struct struct")
    yield from call("map", ["'a'", "NULL"], "1", ["'b'", "'a'"], ["2L", "NULL"])
    yield from call("struct", "i", ["'x' AS y", "NULL"])
    yield from call("named_struct", ["'a'", "NULL"], "1", "'b'", ["'x'", "NULL"])
    yield from call("map_from_arrays", ["array('a', 'b')", "array('a', NULL)", "array('a', 'a')", "NULL"], ["array(1, 2)", "array(1)"])
    yield from call("map_from_entries", ["array(struct('a', 1), struct('b', 2))", "array(struct('a', 1), NULL)", "array(struct('a', 1), struct('a', 2))"])
    yield from call("map_concat", "m", ["map('c', 3)", "map('a', 9)", "map()"])
    yield from call("map_contains_key", "m", ["'a'", "'q'", "NULL"])
    for body in ["x -> x + 1", "(x, i) -> x * i", "x -> NULL", "x -> cast(x AS STRING)"]:
        yield Rule("transform", "transform({0}, %s)" % body, "a")
    yield Rule("filter", "filter({0}, x -> x > 1)", "a")
    yield Rule("filter", "filter({0}, (x, i) -> i % 2 = 0)", "a")
    yield Rule("exists", "exists({0}, x -> x > {1})", "a", ["2", "9", "NULL"])
    yield Rule("forall", "forall({0}, x -> x > {1})", "a", ["0", "2", "NULL"])
    yield Rule("aggregate", "aggregate({0}, 0, (acc, x) -> acc + x)", "a")
    yield Rule("aggregate", "aggregate({0}, 1L, (acc, x) -> acc * x, acc -> -acc)", "a")
    yield Rule("reduce", "reduce({0}, '', (acc, x) -> acc || x)", "A")
    yield Rule("zip_with", "zip_with({0}, {1}, (x, y) -> x + y)", "a", ["array(10, 20)", "NULL", "array(1, 2, 3, 4)"])
    yield Rule("array_sort", "array_sort({0}, (x, y) -> y - x)", ["array(3, 1, 2)", "array()", "NULL"])
    yield Rule("transform_keys", "transform_keys({0}, (k, v) -> k || '!')", "m")
    yield Rule("transform_values", "transform_values({0}, (k, v) -> v * 10)", "m")
    yield Rule("map_filter", "map_filter({0}, (k, v) -> v > 1)", "m")
    yield Rule("map_zip_with", "map_zip_with({0}, map('a', 10, 'c', 30), (k, x, y) -> coalesce(x, 0) + coalesce(y, 0))", "m")


ROWS = ("(VALUES (1, 'a', 1.5D, DATE'2024-01-01', true), (2, 'b', NULL, DATE'2024-01-02', false), (2, NULL, 2.5D, NULL, NULL), "
        "(NULL, 'a', -1.0D, DATE'2024-01-01', true)) AS t(i, s, d, t, b)")
AGGREGATES = """count(*) count(i) count(DISTINCT i) count(DISTINCT i, s) sum(i) sum(DISTINCT i) sum(d) avg(i) avg(d) mean(i) min(i) min(s) max(t) max(d)
first(i) first(s, true) last(i) last(i, true) first_value(i) any_value(s) max_by(s, i) min_by(s, d) count_if(b) bool_and(b) bool_or(b) every(b) some(b) any(b)
stddev(i) stddev_pop(i) stddev_samp(d) variance(i) var_pop(d) var_samp(i) skewness(i) kurtosis(d) corr(i, d) covar_pop(i, d) covar_samp(i, d)
bit_and(i) bit_or(i) bit_xor(i) median(i) percentile(i, 0.5) percentile(d, 0.25) percentile_approx(i, 0.5) approx_percentile(d, 0.5) approx_count_distinct(i) mode(s)
array_sort(collect_list(i)) array_sort(collect_set(s)) try_sum(i) try_avg(i) regr_count(i, d) regr_slope(i, d) regr_r2(i, d) sum(i+0.5) sum(i*1.25BD) avg(1.25BD)
sum(9223372036854775807) try_sum(9223372036854775807) sum(9223372036854775807L+i) max(named_struct('a',i,'s',s)) min(d+double('NaN')) array_agg(i) histogram_numeric(i,2) grouping(i)""".split(" ")


def aggregates():
    text = " ".join(AGGREGATES).replace("\n", " ")
    for expr in [e for e in split_calls(text)]:
        name = expr.split("(")[0]
        yield name, "SELECT %s FROM %s" % (expr, ROWS)
        yield name, "SELECT %s FROM %s WHERE i > 100" % (expr, ROWS)
    for expr in ["sum(i)", "count(*)", "max(s)", "avg(d)", "count(DISTINCT s)", "first(d, true)"]:
        name = expr.split("(")[0]
        yield name, "SELECT s, %s FROM %s GROUP BY s ORDER BY s" % (expr, ROWS)
        yield name, "SELECT %s FILTER (WHERE i = 2) FROM %s" % (expr, ROWS)
    order = "ORDER BY i NULLS LAST, s NULLS LAST, d"
    for expr in ["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(2)", "lag(s)", "lag(s, 2, 'none')", "lead(i)",
                 "lead(i, 1, -1)", "sum(i)", "count(*)", "avg(d)", "min(s)", "first(s)", "last(d)", "first_value(d) IGNORE NULLS", "nth_value(s, 2)",
                 "lag(d) IGNORE NULLS", "last_value(d) IGNORE NULLS"]:
        name = expr.split("(")[0]
        over = "ORDER BY i" if name in ("rank", "dense_rank", "percent_rank", "cume_dist") else order
        yield name, "SELECT i, s, d, %s OVER (%s) AS w FROM %s %s" % (expr, over, ROWS, order)
        yield name, "SELECT i, s, d, %s OVER (PARTITION BY s %s) AS w FROM %s %s" % (expr, over, ROWS, order)
    for frame in ["ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "ROWS UNBOUNDED PRECEDING", "RANGE BETWEEN 1 PRECEDING AND CURRENT ROW",
                  "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"]:
        by = "ORDER BY i" if "RANGE" in frame else order
        yield "sum", "SELECT i, s, d, sum(d) OVER (%s %s) AS w FROM %s %s" % (by, frame, ROWS, order)
    for generator in ["explode(array(1, NULL, 2))", "explode(map('a', 1))", "posexplode(array('x', 'y'))", "explode_outer(array())",
                      "explode(CAST(NULL AS ARRAY<INT>))", "posexplode_outer(CAST(NULL AS ARRAY<INT>))", "inline(array(struct(1, 'a'), NULL, struct(2, 'b')))",
                      "stack(2, 1, 'a', 2, 'b')", "json_tuple('{\"a\": 1, \"b\": [2]}', 'a', 'b', 'c')", "inline_outer(array())"]:
        yield generator.split("(")[0], "SELECT " + generator
        yield generator.split("(")[0], "SELECT t.k, e.* FROM (VALUES (1), (2)) AS t(k) LATERAL VIEW OUTER %s e ORDER BY k" % generator


def split_calls(text):
    """Calls that stand one behind the other, with blanks between."""
    level, start = 0, 0
    for at, c in enumerate(text):
        level += (c == "(") - (c == ")")
        if c == " " and level == 0:
            if text[start:at].strip():
                yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def queries():
    two = "(VALUES (1, 'x'), (2, 'y'), (NULL, 'n')) AS a(k, v)", "(VALUES (1, 'p'), (1, 'q'), (3, 'r'), (NULL, 's')) AS b(k, w)"
    for kind in ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]:
        yield "join", "SELECT a.k AS ak, v, b.k AS bk, w FROM %s %s %s ON a.k = b.k ORDER BY ak NULLS LAST, bk NULLS LAST, v, w" % (two[0], kind, two[1])
        yield "join", "SELECT * FROM %s %s %s USING (k) ORDER BY 1 NULLS LAST, 2, 3" % (two[0], kind, two[1])
    yield "join", "SELECT * FROM %s LEFT SEMI JOIN %s ON a.k = b.k" % two
    yield "join", "SELECT * FROM %s LEFT ANTI JOIN %s ON a.k = b.k ORDER BY v" % two
    yield "join", "SELECT * FROM %s JOIN %s ON a.k <=> b.k ORDER BY v, w" % two
    yield "join", "SELECT count(*) FROM %s CROSS JOIN %s" % two
    yield "join", "SELECT * FROM %s NATURAL JOIN %s ORDER BY w" % two
    rows = "(VALUES (1, 'a', 10), (1, 'b', 20), (2, 'a', 30)) AS t(x, y, z)"
    for group in ["ROLLUP(x, y)", "CUBE(x, y)", "GROUPING SETS ((x), (y), ())", "x, y WITH ROLLUP"]:
        yield "group by", "SELECT x, y, sum(z) AS s FROM %s GROUP BY %s ORDER BY x NULLS FIRST, y NULLS FIRST, s" % (rows, group)
    yield "group by", "SELECT x, count(*) AS n FROM %s GROUP BY ALL ORDER BY ALL" % rows
    yield "group by", "SELECT y, sum(z) FROM %s GROUP BY 1 HAVING sum(z) > 20 ORDER BY 1" % rows
    yield "group by", "SELECT x + 1, sum(z) / count(*) FROM %s GROUP BY x + 1 ORDER BY 1" % rows
    yield "group by", "SELECT x, z FROM %s GROUP BY x" % rows
    for op in ["UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL", "MINUS"]:
        yield "set operation", "SELECT * FROM (SELECT * FROM VALUES (1), (1), (2), (NULL) AS t(a) %s SELECT * FROM VALUES (1L), (3L), (NULL) AS u(b)) ORDER BY 1" % op
    yield "set operation", "SELECT 1 UNION SELECT 1, 2"
    yield "set operation", "SELECT 1 UNION ALL SELECT 'x'"
    yield "order by", "SELECT * FROM VALUES (1), (NULL), (3) AS t(a) ORDER BY a"
    yield "order by", "SELECT * FROM VALUES (1), (NULL), (3) AS t(a) ORDER BY a DESC"
    yield "order by", "SELECT * FROM VALUES (1), (NULL), (3) AS t(a) ORDER BY a DESC NULLS FIRST LIMIT 2"
    yield "order by", "SELECT * FROM VALUES ('b'), ('A'), ('a'), ('ä'), ('') AS t(a) ORDER BY a"
    yield "order by", "SELECT * FROM VALUES (double('NaN')), (1.0D), (double('Infinity')), (-0.0D), (NULL) AS t(a) ORDER BY a"
    yield "order by", "SELECT a FROM VALUES (1, 2), (3, 0) AS t(a, b) ORDER BY b OFFSET 1"
    yield "limit", "SELECT * FROM range(10) LIMIT 3 OFFSET 2"
    yield "limit", "SELECT 1 LIMIT -1"
    yield "limit", "SELECT 1 LIMIT 0"
    yield "distinct", "SELECT DISTINCT a FROM VALUES (0.0D), (-0.0D), (double('NaN')), (double('NaN')), (NULL) AS t(a) ORDER BY a"
    yield "subquery", "SELECT (SELECT max(a) FROM VALUES (1), (2) AS t(a)) AS m"
    yield "subquery", "SELECT k FROM %s WHERE k IN (SELECT k FROM %s)" % two
    yield "subquery", "SELECT v FROM %s WHERE k NOT IN (SELECT k FROM %s)" % two
    yield "subquery", "SELECT v FROM %s WHERE EXISTS (SELECT 1 FROM %s WHERE b.k = a.k)" % two
    yield "subquery", "SELECT v, (SELECT count(*) FROM %s WHERE b.k = a.k) AS n FROM %s ORDER BY v" % (two[1], two[0])
    yield "subquery", "SELECT (SELECT a FROM VALUES (1), (2) AS t(a))"
    yield "with", "WITH x AS (SELECT 1 AS a), y(b) AS (SELECT a + 1 FROM x) SELECT * FROM x, y"
    yield "with", "WITH x AS (SELECT 1 AS a) SELECT * FROM (WITH x AS (SELECT 2 AS a) SELECT a FROM x)"
    yield "lateral", "SELECT * FROM VALUES (1), (2) AS t(a), LATERAL (SELECT a * 10 AS b)"
    yield "star", "SELECT * EXCEPT (b) FROM VALUES (1, 2, 3) AS t(a, b, c)"
    yield "star", "SELECT s.*, 1 AS x FROM (SELECT named_struct('a', 1, 'b', 'y') AS s)"
    yield "name", "SELECT A, `a`, t.a FROM VALUES (1) AS t(a)"
    yield "name", "SELECT nope FROM VALUES (1) AS t(a)"
    yield "name", "SELECT a FROM (SELECT 1 AS a, 2 AS a)"
    yield "name", "SELECT t.s.b, s.b + 1 FROM (SELECT named_struct('b', 1) AS s) t"
    yield "name", "SELECT upper(t.x), t.x || 'q', CAST(t.x AS STRING) FROM (SELECT 'v' AS x) t"
    yield "name", "SELECT 1 AS a, a + 1 AS b"
    yield "values", "SELECT * FROM VALUES (1, 'a'), (2.5, NULL) AS t(x, y)"
    yield "values", "SELECT * FROM VALUES (1), ('a') AS t(x)"
    yield "where", "SELECT * FROM VALUES (1), (NULL), (3) AS t(a) WHERE a > 1 OR a IS NULL"
    yield "where", "SELECT * FROM VALUES (1), (2) AS t(a) WHERE NOT (a = 1)"
    yield "where", "SELECT 1 WHERE 'x'"
    yield "where", "SELECT 1 WHERE 1"
    yield "window", "SELECT k, sum(v) OVER w AS s, row_number() OVER w AS r FROM VALUES ('a', 1), ('a', 2), ('b', 3) AS t(k, v) WINDOW w AS (PARTITION BY k ORDER BY v) ORDER BY k, r"
    yield "window", "SELECT window.start, count(*) AS n FROM VALUES (TIMESTAMP'2024-01-01 00:03:00'), (TIMESTAMP'2024-01-01 00:12:00') AS t(ts) GROUP BY window(ts, '10 minutes') ORDER BY 1"
    yield "case", "SELECT CASE WHEN a > 1 THEN 'big' END FROM VALUES (1), (2), (NULL) AS t(a)"
    yield "coalesce", "SELECT coalesce(a, 1 / b) FROM VALUES (1.0D, 0), (NULL, 2) AS t(a, b)"
    yield "and", "SELECT b <> 0 AND 1 / b > 0 FROM VALUES (0), (2) AS t(b)"
    for text in ["1", "1L", "1S", "1Y", "1.50", "1.5D", "1.5F", "1e3", "12BD", ".5", "99999999999999999999", "'it''s'", "'a\\tb\\u0041\\101'", "r'a\\tb'", "\"dq\"",
                 "X'1F'", "X'ABC'", "DATE'2024-2-9'", "TIMESTAMP'2024-02-29 01:02:03+08:00'", "TIMESTAMP_NTZ'2024-02-29'", "NULL", "true", "-2147483648",
                 "300Y", "1e400", "DATE'2024-02-30'", "INTERVAL 1 MONTH 1 DAY", "'\\%\\_'"]:
        yield "literal", text


def unsafe(text):
    return text.startswith("SELECT") or text.startswith("WITH")


class Asker:
    def __init__(self, known):
        self.known = {(c["sql"], c.get("ansi", True)): c for c in known}
        self.ansi, self.seen, self.cases, self.session = True, set(), [], None

    @property
    def spark(self):
        if self.session is None:
            self.session = self.start()
        return self.session

    @staticmethod
    def start():
        return (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
                      .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
                      .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -Duser.timezone=UTC")
                      .config("spark.sql.codegen.wholeStage", "false").config("spark.log.level", "OFF")
                      .config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "1").getOrCreate())

    @staticmethod
    def as_text(field, at):
        name = "`c%d`" % at
        if isinstance(field.dataType, T.BinaryType):
            return "hex(%s)" % name
        if isinstance(field.dataType, (T.ArrayType, T.MapType, T.StructType)):
            return "to_json(%s, map('ignoreNullFields', 'false'))" % name
        return "CAST(%s AS STRING)" % name

    @staticmethod
    def main_class(name):
        """Without the part behind the point; Java's own exceptions and Spark's nameless ones are UNCLASSIFIED."""
        name = (name or "").partition(".")[0]
        return name if re.fullmatch("[A-Z][A-Z_]+", name) else "UNCLASSIFIED"

    def ask(self, name, sql, ansi=True):
        if (sql, ansi) in self.seen:
            return None
        self.seen.add((sql, ansi))
        if (sql, ansi) in self.known:
            case = dict(self.known[sql, ansi], f=name)
            self.cases.append(case)
            return case
        if self.ansi != ansi:
            self.spark.conf.set("spark.sql.ansi.enabled", str(ansi).lower())
            self.ansi = ansi
        case = {"f": name, "sql": sql}
        if not ansi:
            case["ansi"] = False
        try:
            frame = self.spark.sql(sql if unsafe(sql) else "SELECT " + sql)
            fields = frame.schema.fields
            renamed = frame.toDF(*["c%d" % i for i in range(len(fields))])
            rows = renamed.selectExpr(*[self.as_text(f, i) for i, f in enumerate(fields)]).collect()
            one = len(fields) == 1
            kinds, names = [f.dataType.simpleString() for f in fields], [f.name for f in fields]
            case.update(type=kinds[0] if one else kinds, name=names[0] if one else names,
                        rows=[r[0] if one else list(r) for r in rows])
        except PySparkException as e:
            case["error"] = self.main_class(e.getCondition())
        except Py4JJavaError as e:
            case["error"] = self.main_class(str(e.java_exception.getMessage()).partition("[")[2].partition("]")[0])
        self.cases.append(case)
        return case

    def both(self, name, sql, off):
        case = self.ask(name, sql)
        if case and (off or "error" in case) and case.get("error", "") != "UNRESOLVED_ROUTINE":
            self.ask(name, sql, ansi=False)
        return case

    def rule(self, rule):
        good = []
        for values in rule.combinations():
            case = self.both(rule.name, rule.text(values), rule.off)
            if case and "rows" in case:
                good.append(values)
        self.as_columns(rule, good)

    def as_columns(self, rule, good):
        """The values that went well as rows: columns instead of constants, where Spark takes them."""
        if not rule.columns or len(good) < 2 or not any(len(k) > 1 for k in rule.kinds):
            return
        columns = [i for i, k in enumerate(rule.kinds) if len(k) > 1]
        fixed = [g for g in good if all(g[i] == rule.kinds[i][0] for i in range(len(g)) if i not in columns)]
        names = ["v%d" % i if i in columns else rule.kinds[i][0] for i in range(len(rule.kinds))]
        rows = ", ".join("(%d, %s)" % (n, ", ".join(g[i] for i in columns)) for n, g in enumerate(fixed))
        self.ask(rule.name, "SELECT n, %s AS r FROM VALUES %s AS t(n, %s) ORDER BY n"
                 % (rule.text(names), rows, ", ".join("v%d" % i for i in columns)))


def main():
    path = os.path.join(HERE, "cases.json")
    known = []
    if os.path.exists(path) and "--again" not in sys.argv:
        with open(path, encoding="utf-8") as old:
            known = json.load(old)
    asker = Asker(known)
    for family in (operators, strings, regexes, jsons, datetimes, maths, collections):
        for rule in family():
            if rule is not None:
                asker.rule(rule)
    for name, sql in casts():
        asker.both(name, sql, off=True)
    for family in (aggregates, queries):
        for name, sql in family():
            asker.both(name, sql, off=False)
    cases = sorted(asker.cases, key=lambda c: (c["f"], not c.get("ansi", True), "error" in c, c["sql"]))
    with open(path, "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]\n")
    errors = sum("error" in c and c.get("ansi", True) for c in cases)
    print("%d cases of %d functions; %d fail with ANSI on; %d have ANSI off"
          % (len(cases), len({c["f"] for c in cases}), errors, sum(not c.get("ansi", True) for c in cases)))
    if asker.session is not None:
        asker.session.stop()


if __name__ == "__main__":
    sys.exit(main())
