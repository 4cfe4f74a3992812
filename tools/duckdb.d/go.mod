// The pinned source of DuckDB's static archives and header: tools/duckdb asks Go for it. No Go code is built.
module weir/duckdb

go 1.19

require github.com/duckdb/duckdb-go-bindings/lib/linux-amd64 v0.10506.0
