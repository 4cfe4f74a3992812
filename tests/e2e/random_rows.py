"""Random schemas, and JSON records that mostly fit them. The same seed gives the same schema and the same records.

Records stray from their schema on purpose: fields are missing, null, of another type, unknown; numbers come in every
spelling, texts in every script. What a reader should make of it is not said here: Spark is asked.
"""
import json
import random

SCALARS = ["BOOLEAN", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)", "DECIMAL(18,4)", "DECIMAL(38,10)",
           "STRING", "BINARY", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ"]
TEXTS = ["", " ", "plain", "ümläut", "北京 東京", "😀 astral", "tab\tand\nnewline", "quote\"back\\slash/", "nul\u0000nul",
         "NULL", "null", "a=b/c%20d", "x" * 300, "\u2028line\u2029", "é combining", "__HIVE_DEFAULT_PARTITION__",
         "12 bytes txt", "13 bytes text"]


class Generator:
    def __init__(self, seed, columns=8, strays=0.03):
        self.dice = random.Random(seed)
        self.strays = strays
        self.fields = [("id", "BIGINT")] + [(self._name(i), self._type(0)) for i in range(columns)]

    @property
    def ddl(self):
        return ", ".join("`%s` %s" % (name, self._ddl(kind)) for name, kind in self.fields)

    def rows(self, first, count):
        """JSON lines as bytes; column id counts from `first`."""
        return ("\n".join(self._record(i) for i in range(first, first + count)) + "\n").encode()

    # --- types -------------------------------------------------------------------------------------------------
    def _name(self, i):
        return "c%d%s" % (i, self.dice.choice(["", "_x", "Big", "ü", "名"]))

    def _type(self, depth):
        roll = self.dice.random()
        if depth < 3 and roll < 0.10:
            return ("ARRAY", self._type(depth + 1))
        if depth < 3 and roll < 0.16:
            return ("MAP", self._type(depth + 1))
        if depth < 3 and roll < 0.28:
            return ("STRUCT", [("f%d" % i, self._type(depth + 1)) for i in range(self.dice.randint(1, 4))])
        return self.dice.choice(SCALARS)

    def _ddl(self, kind):
        if isinstance(kind, str):
            return kind
        if kind[0] == "ARRAY":
            return "ARRAY<%s>" % self._ddl(kind[1])
        if kind[0] == "MAP":
            return "MAP<STRING, %s>" % self._ddl(kind[1])
        return "STRUCT<%s>" % ", ".join("`%s`: %s" % (n, self._ddl(k)) for n, k in kind[1])

    # --- values, as JSON text ----------------------------------------------------------------------------------
    def _record(self, number):
        parts = ['"id":%d' % number]
        for name, kind in self.fields[1:]:
            if self.dice.random() > 0.1:
                parts.append("%s:%s" % (json.dumps(name, ensure_ascii=self.dice.random() < 0.5), self._value(kind)))
        if self.dice.random() < self.strays:
            parts.append('"unknown":{"a":[1,{"b":null}]}')
        first, rest = parts[0], parts[1:]
        self.dice.shuffle(rest)
        blank = self.dice.choice(["", "", " ", "\t"])
        return "{%s}" % ("," + blank).join([first] + rest)

    def _value(self, kind):
        roll = self.dice.random()
        if roll < 0.08:
            return "null"
        if roll < 0.08 + self.strays:
            return self.dice.choice(['"text"', "1", "-7.25", "true", "[]", "{}", "[1]", '{"a":1}', '""', "1e3"])
        if isinstance(kind, str):
            return self._scalar(kind)
        n = self.dice.choice([0, 1, 2, 2, 3])
        if kind[0] == "ARRAY":
            return "[%s]" % ",".join(self._value(kind[1]) for _ in range(n))
        if kind[0] == "MAP":
            keys = self.dice.sample(["a", "b", "ü", "key with blank", "d"], n)
            return "{%s}" % ",".join("%s:%s" % (json.dumps(k), self._value(kind[1])) for k in keys)
        return "{%s}" % ",".join('"%s":%s' % (f, self._value(k)) for f, k in kind[1] if self.dice.random() > 0.15)

    def _scalar(self, kind):
        dice = self.dice
        if kind == "BOOLEAN":
            return dice.choice(["true", "false"])
        if kind in ("SMALLINT", "INT", "BIGINT"):
            bits = {"SMALLINT": 15, "INT": 31, "BIGINT": 63}[kind]
            return str(dice.choice([0, 1, -1, 2 ** bits - 1, -2 ** bits, dice.randrange(-2 ** bits, 2 ** bits),
                                    dice.randrange(-1000, 1000)]))
        if kind in ("FLOAT", "DOUBLE"):
            return dice.choice([
                repr(dice.uniform(-1e3, 1e3)), repr(dice.uniform(-1, 1) * 10.0 ** dice.randint(-30, 30)),
                str(dice.randrange(-10 ** 6, 10 ** 6)), "0", "-0.0", "1E5", "2.5e-3", '"NaN"', '"Infinity"', "0.1"])
        if kind.startswith("DECIMAL"):
            precision, scale = map(int, kind[8:-1].split(","))
            whole = dice.randrange(10 ** dice.randint(0, precision - scale))
            text = "%s%d.%s" % (dice.choice(["", "-"]), whole, "".join(
                dice.choice("0123456789") for _ in range(dice.randint(1, scale + 2))))
            return dice.choice([text, '"%s"' % text, str(whole)])
        if kind == "STRING":
            return json.dumps(dice.choice(TEXTS + ["v%d" % dice.randrange(10 ** 6)]), ensure_ascii=dice.random() < 0.5)
        if kind == "BINARY":
            return dice.choice(['""', '"AP8="', '"aGVsbG8="', '"3q2+7w=="'])
        day = "%04d-%02d-%02d" % (dice.choice([1970, 1969, 2024, 1900, 1583, dice.randint(1700, 2200)]),
                                  dice.randint(1, 12), dice.randint(1, 28))
        if kind == "DATE":
            return '"%s"' % day
        time = "%02d:%02d:%02d" % (dice.randrange(24), dice.randrange(60), dice.randrange(60))
        time += dice.choice(["", ".5", ".123", ".123456", ".000001"])
        zone = dice.choice(["", "Z", "+02:00", "-05:30"]) if kind == "TIMESTAMP" else ""
        return '"%s%s%s%s"' % (day, dice.choice("T "), time, zone)
