"""Spark: the same job as weir's, a stream of files into Delta with availableNow and a checkpoint, session included."""
import os
import sys

from pyspark.sql import SparkSession

import schema

source, out, threads = sys.argv[1:4]
jars = os.environ["SPARK_JARS"]
settings = {
    "spark.jars": ",".join(os.path.join(jars, j) for j in sorted(os.listdir(jars)) if j.endswith(".jar")),
    "spark.master": "local[%s]" % threads, "spark.driver.memory": "2g", "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
}
builder = SparkSession.builder
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
stream = spark.readStream.schema(schema.SPARK).json(source).writeStream.format("delta")
stream.option("checkpointLocation", out + "_checkpoint").trigger(availableNow=True).start(out).awaitTermination()
spark.stop()
