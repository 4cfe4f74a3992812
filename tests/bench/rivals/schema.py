"""The one schema of the orders, in each rival's words."""
SPARK = ("order_id BIGINT, ts TIMESTAMP, status STRING, total DECIMAL(12,2), "
         "customer STRUCT<id: BIGINT, city: STRING, tier: STRING>, "
         "items ARRAY<STRUCT<sku: STRING, qty: INT, price: DECIMAL(10,2)>>, note STRING")
DUCKDB = ("{order_id: 'BIGINT', ts: 'TIMESTAMP', status: 'VARCHAR', total: 'DECIMAL(12,2)', "
          "customer: 'STRUCT(id BIGINT, city VARCHAR, tier VARCHAR)', "
          "items: 'STRUCT(sku VARCHAR, qty INTEGER, price DECIMAL(10,2))[]', note: 'VARCHAR'}")
