"""The far side of peers/spark.py: one Spark session that answers commands, run by Spark's own Python.

It gets a connected socket as file descriptor WEIR_SPARK_FD. Each line in is a JSON object {"do": NAME, ...}; each
line out is {"ok": ANSWER} or {"error": TEXT}. Commands run one after another. End of input ends the session.
"""
import json
import os
import socket
import sys
import traceback

from pyspark.sql import SparkSession
from pyspark.sql import types as T

import canon

# collect() hands dates and times over as Python's datetime, which ends at the years 1 and 9999 and knows no
# microseconds since the epoch. The internal numbers are what canon.py wants.
for kind in (T.DateType, T.TimestampType, T.TimestampNTZType):
    kind.fromInternal = lambda self, value: value


def build_session():
    settings = {
        "spark.jars": ",".join(sorted(os.path.join(os.environ["SPARK_JARS"], j)
                                      for j in os.listdir(os.environ["SPARK_JARS"]) if j.endswith(".jar"))),
        "spark.master": "local[2]",
        "spark.driver.memory": os.environ.get("SPARK_MEM", "1g"),
        # many small queries: what compiles them costs more than it saves
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": os.path.join(os.getcwd(), "local"),
        "spark.sql.warehouse.dir": os.path.join(os.getcwd(), "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
    }
    builder = SparkSession.builder.appName("weir-peer")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def canonical(value, kind):
    if value is None:
        return None
    if isinstance(kind, T.FloatType):
        return canon.real(value, 9)
    if isinstance(kind, T.DoubleType):
        return canon.real(value, 17)
    if isinstance(kind, T.DecimalType):
        return canon.decimal(value, kind.scale)
    if isinstance(kind, T.DateType):
        return canon.date(value)
    if isinstance(kind, (T.TimestampType, T.TimestampNTZType)):
        return canon.timestamp(value, isinstance(kind, T.TimestampType))
    if isinstance(kind, T.BinaryType):
        return canon.binary(value)
    if isinstance(kind, T.ArrayType):
        return [canonical(v, kind.elementType) for v in value]
    if isinstance(kind, T.MapType):
        return canon.mapping((canonical(k, kind.keyType), canonical(v, kind.valueType)) for k, v in value.items())
    if isinstance(kind, T.StructType):
        return canon.struct((f.name, canonical(value[i], f.dataType)) for i, f in enumerate(kind.fields))
    return value


def content(frame):
    fields = frame.schema.fields
    got = frame.collect()
    names = [f.name for f in fields]
    lines = canon.rows(names, [[canonical(row[i], f.dataType) for row in got] for i, f in enumerate(fields)])
    return {"schema": json.loads(frame.schema.json()), "names": names, "rows": lines,
            "hash": canon.digest(names, lines)}


def reader(source, options):
    for key, value in (options or {}).items():
        source = source.option(key, str(value))
    return source


class Server:
    def __init__(self, spark):
        self.spark = spark

    def versions(self):
        return {"spark": self.spark.version, "pid": os.getpid()}

    def read_table(self, path, version=None):
        options = {} if version is None else {"versionAsOf": version}
        answer = content(reader(self.spark.read.format("delta"), options).load(path))
        # columns in this order keep their meaning in other releases of Delta
        detail = self.spark.sql("DESCRIBE DETAIL delta.`%s`" % path).select(
            "partitionColumns", "properties", "minReaderVersion", "minWriterVersion", "numFiles").collect()[0]
        answer.update(partition_columns=list(detail[0]), properties=dict(detail[1]), protocol=[detail[2], detail[3]],
                      files=detail[4])
        return answer

    def history(self, path):
        got = self.spark.sql("DESCRIBE HISTORY delta.`%s`" % path).orderBy("version").collect()
        return [{"version": r["version"], "operation": r["operation"], "parameters": dict(r["operationParameters"] or {}),
                 "metrics": dict(r["operationMetrics"] or {})} for r in got]

    def read_parquet(self, path):
        return content(self.spark.read.parquet(path))

    def read_files(self, format, schema, path, options=None):
        return content(reader(self.spark.read.format(format).schema(schema), options).load(path))

    def sql(self, text):
        frame = self.spark.sql(text)
        return content(frame) if frame.columns else None

    def stream(self, format, path, schema, table, checkpoint, options=None, sink_options=None, select=None,
               partition_by=None, conf=None, trigger=None):
        """One bounded run of a stream of files into a Delta table: its progress reports."""
        before = {key: self.spark.conf.get(key, None) for key in conf or {}}
        for key, value in (conf or {}).items():
            self.spark.conf.set(key, str(value))
        try:
            frame = reader(self.spark.readStream.format(format), options)
            frame = (frame.schema(schema) if schema else frame).load(path)
            if select:
                frame = frame.selectExpr(*select)
            writer = reader(frame.writeStream.format("delta"), sink_options)
            if partition_by:
                writer = writer.partitionBy(*partition_by)
            query = writer.option("checkpointLocation", checkpoint).trigger(
                **(trigger or {"availableNow": True})).start(table)
            query.awaitTermination()
            return [json.loads(p.json) for p in query.recentProgress]
        finally:
            for key, value in before.items():
                self.spark.conf.unset(key) if value is None else self.spark.conf.set(key, value)


def main():
    line = socket.socket(fileno=int(os.environ["WEIR_SPARK_FD"]))
    server = Server(build_session())
    with line.makefile("r", encoding="utf-8") as requests:
        for text in requests:
            request = json.loads(text)
            try:
                answer = {"ok": getattr(server, request.pop("do"))(**request)}
            except Exception as e:  # the test decides whether that was expected
                traceback.print_exc(file=sys.stderr)
                answer = {"error": "%s: %s" % (type(e).__name__, e)}
            line.sendall(json.dumps(answer).encode() + b"\n")
    server.spark.stop()


main()
