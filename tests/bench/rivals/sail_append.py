"""Sail: its Spark Connect server in this process, the JSON reader with the schema given, append to Delta."""
import os
import sys

from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

import schema

source, out = sys.argv[1:3]
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
spark = SparkSession.builder.remote("sc://%s:%s" % server.listening_address).getOrCreate()
spark.read.schema(schema.SPARK).json(source).write.format("delta").mode("append").save(out)
sys.stdout.flush()
os._exit(0)  # the server has no other end
