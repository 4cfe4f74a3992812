"""DuckDB: the query of schema.py over read_json and a Parquet file, COPY to one Parquet file."""
import sys

import duckdb

import schema

source, out, threads, dim = sys.argv[1:5]
con = duckdb.connect(config={"threads": threads})
con.sql("SET preserve_insertion_order = false")
con.sql("CREATE VIEW source AS FROM read_json('%s/*.json', format='newline_delimited', columns=%s)"
        % (source, schema.DUCKDB))
con.sql("CREATE VIEW dim AS FROM read_parquet('%s/*.parquet')" % dim)
con.sql("COPY (%s) TO '%s' (FORMAT parquet)" % (schema.QUERY, out + ".parquet"))
