"""One spelling for the rows of a table, whoever read them, so that two readers can be compared as text.

A row is a JSON array of its values, the columns in byte order of their names:
  integers and booleans as they are; float %.9g and double %.17g as text (nan, inf, -inf, -0 survive);
  decimal as text with its full scale; date 2025-01-31; timestamp 2025-01-31T00:00:00.000000Z, timestamp_ntz the
  same without Z; binary as x and hex; struct as [[name, value], ...] in byte order of the names; array as a list;
  map as a list of [key, value], sorted; null as null.
Rows are sorted as text and duplicates stay, so equal lists mean equal multisets. This module imports nothing but
the standard library: it runs in Spark's Python and in the tests'.
"""
import hashlib
import json

DAY_US = 86_400_000_000


def civil(days):
    """Days since 1970-01-01 to (year, month, day) of the proleptic Gregorian calendar, any year."""
    z = days + 719_468
    era, day_of_era = divmod(z, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    m = (5 * day_of_year + 2) // 153
    month = m + 3 if m < 10 else m - 9
    return era * 400 + year_of_era + (month <= 2), month, day_of_year - (153 * m + 2) // 5 + 1


def date(days):
    return "%04d-%02d-%02d" % civil(days)


def timestamp(us, zone=True):
    days, us = divmod(us, DAY_US)
    s, us = divmod(us, 1_000_000)
    return "%sT%02d:%02d:%02d.%06d%s" % (date(days), s // 3600, s // 60 % 60, s % 60, us, "Z" if zone else "")


def real(value, digits):
    return "%.*g" % (digits, value)


def decimal(value, scale):
    """Exact text of a decimal.Decimal with `scale` digits behind the point."""
    sign, digits, exponent = value.as_tuple()
    n = int("".join(map(str, digits)) or "0")
    shift = exponent + scale
    n = n * 10 ** shift if shift >= 0 else n // 10 ** -shift
    text = str(n).rjust(scale + 1, "0")
    text = text if scale == 0 else text[:-scale] + "." + text[-scale:]
    return ("-" if sign and n else "") + text


def binary(value):
    return "x" + bytes(value).hex()


def struct(pairs):
    return [[name, value] for name, value in sorted(pairs, key=lambda p: p[0].encode())]


def mapping(pairs):
    return sorted(([k, v] for k, v in pairs), key=lambda p: json.dumps(p, ensure_ascii=False))


def rows(names, columns):
    """names and, in the same order, one list of canonical values a column: the sorted rows as text."""
    order = sorted(range(len(names)), key=lambda i: names[i].encode())
    lists = [columns[i] for i in order]
    return sorted(json.dumps(list(row), ensure_ascii=False, separators=(",", ":")) for row in zip(*lists))


def digest(names, lines):
    h = hashlib.sha256(json.dumps(sorted(names, key=str.encode), ensure_ascii=False).encode() + b"\n")
    for line in lines:
        h.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return h.hexdigest()
