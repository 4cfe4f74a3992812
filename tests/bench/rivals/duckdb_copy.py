"""DuckDB: read_json with the schema given, COPY to one Parquet file. No table, no checkpoint, no exactly once."""
import sys

import duckdb

import schema

source, out, threads = sys.argv[1:4]
con = duckdb.connect(config={"threads": threads})
con.sql("COPY (SELECT * FROM read_json('%s/*.json', format='newline_delimited', columns=%s)) TO '%s' (FORMAT parquet)"
        % (source, schema.DUCKDB, out + ".parquet"))
