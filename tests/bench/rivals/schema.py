"""The one schema of the orders, in each rival's words."""
SPARK = ("order_id BIGINT, ts TIMESTAMP, status STRING, total DECIMAL(12,2), "
         "customer STRUCT<id: BIGINT, city: STRING, tier: STRING>, "
         "items ARRAY<STRUCT<sku: STRING, qty: INT, price: DECIMAL(10,2)>>, note STRING")
DUCKDB = ("{order_id: 'BIGINT', ts: 'TIMESTAMP', status: 'VARCHAR', total: 'DECIMAL(12,2)', "
          "customer: 'STRUCT(id BIGINT, city VARCHAR, tier VARCHAR)', "
          "items: 'STRUCT(sku VARCHAR, qty INTEGER, price DECIMAL(10,2))[]', note: 'VARCHAR'}")
# A filter, a projection and a join with a table of 10,000 rows, which keep every row and what totals.py counts.
QUERY = ("SELECT o.order_id, o.ts, coalesce(d.segment, upper(o.status)) AS status, o.total, o.customer, o.items, o.note "
         "FROM source o LEFT JOIN dim d ON o.customer.id = d.id WHERE o.order_id >= 0 AND o.status <> ''")
