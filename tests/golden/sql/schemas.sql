# One query a line; "!" before it: with spark.sql.ansi.enabled false; "=" both ways.
SELECT * FROM t
SELECT i, L, t.s, `t`.`d` FROM t
SELECT I AS x, l y, s `a b` FROM t
SELECT st.u, st.v, st.v.w, t.st.v.w AS q FROM t
SELECT st.* FROM t
SELECT t.* FROM t
SELECT * EXCEPT (a, aa, mp, st, x) FROM t
SELECT * EXCEPT (st.u) FROM t
SELECT a[0], a[i], mp['k'], aa[0].q, aa.q, aa.p[0] FROM t
SELECT st.V.W, aa.Q FROM t
SELECT 1, -1, 2147483648, 1L, 1S, 1Y, 1.5, 1.5D, 1.5F, 1e3, 1BD, .5, 'x', "y", NULL, TRUE, X'41' FROM t
SELECT DATE '2020-01-01', TIMESTAMP '2020-01-01 01:02:03', TIMESTAMP_NTZ '2020-01-01 01:02:03'
=SELECT i + 1, i + l, y + y, y + h, i * 1.5, i + f, l + f, i + d, n + 1, n + n, n * n, n / n, n % n, n - 1.25 FROM t
=SELECT m + m, m * m, m / m, m - 1, m % 3, n * m, n / m, n + m, n + 1L, n / 3, 1 / n FROM t
=SELECT i / 2, i / i, l / 2L, d / 2, f / 2, f * f, f + f, f + d, 7 / 2, 7 div 2, i div 2, y div y, n div n, i % 2, y % y, l % i, d % 2 FROM t
=SELECT '1' + 1, s + 1, s + s, s * 1.5, s / 2, s + d, s + n, s % 2 FROM t
=SELECT s + y, s - l, s + f FROM t
=SELECT -i, +i, -n, -d, - s FROM t
=SELECT ~i, ~y, i & 1, i | l, y ^ y, i << 1 FROM t
SELECT i = 1, i <> l, i != 1, i <=> NULL, n > 1, s = 'a', NOT b, b AND b, b OR i > 1, i IS NULL, i IS NOT NULL FROM t
=SELECT s = 1, s > 1.5, s = dt, s < ts, dt = ts, s = b, i = d, n = i, n = d, s = x, NULL = 1 FROM t
SELECT i BETWEEN 1 AND 3, i NOT BETWEEN 1 AND 3, i IN (1, 2), i NOT IN (1, 2), s LIKE 'a%', s NOT LIKE 'a%', s RLIKE 'x', s ILIKE 'A' FROM t
SELECT s LIKE 'a/%' ESCAPE '/', b IS TRUE, b IS NOT TRUE, b IS FALSE, b IS UNKNOWN, i IS DISTINCT FROM 1, i IS NOT DISTINCT FROM 1 FROM t
SELECT !b, i == 1, b && b, b || 'x' FROM t
SELECT s || 'x', s || i, 'a' || 'b', x || x, a || a FROM t
SELECT CASE WHEN b THEN 1 ELSE 2L END, CASE i WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN b THEN 1 END, IF(b, 1, 2.5) FROM t
=SELECT CASE WHEN b THEN 1 ELSE 'a' END, coalesce(i, l), coalesce(i, 1), nvl(s, i), coalesce(s, d), if(b, dt, ts) FROM t
=SELECT coalesce(n, i), coalesce(n, d), coalesce(n, m), coalesce(n, 1.23456), coalesce(y, h), coalesce(f, i), coalesce(f, l), coalesce(dt, tn), coalesce(ts, tn) FROM t
SELECT CAST(i AS STRING), CAST(s AS INT), i::string, TRY_CAST(s AS INT), CAST(i AS DECIMAL(5,1)), CAST(dt AS TIMESTAMP), CAST(a AS ARRAY<STRING>) FROM t
SELECT CAST(1 AS BIGINT), CAST('1' AS INT) + 1, CAST(i AS BIGINT) + 1 FROM t
!SELECT CAST(s AS INT), CAST(l AS INT), CAST(d AS DECIMAL(5,1)), CAST(s AS DATE), CAST(i AS STRING), CAST(mp AS MAP<STRING, STRING>), CAST(st AS STRUCT<a: BIGINT, b: STRUCT<c: STRING>>) FROM t
SELECT CAST(st AS STRING), CAST(a AS STRING), CAST(mp AS STRING), CAST(x AS STRING), CAST(s AS BINARY), CAST(b AS INT), CAST(ts AS BIGINT) FROM t
!SELECT CAST(n AS INT), CAST(ts AS INT), CAST(dt AS INT), CAST(b AS TIMESTAMP), CAST(i AS TIMESTAMP), CAST(i AS BINARY) FROM t
SELECT CAST(dt AS INT) FROM t
SELECT CAST(b AS TIMESTAMP) FROM t
SELECT CAST(i AS DATE) FROM t
SELECT CAST(a AS INT) FROM t
SELECT CAST(x AS INT) FROM t
SELECT CAST(i AS BINARY) FROM t
SELECT CAST(i AS BOOLEAN), CAST(d AS BOOLEAN), CAST(d AS TIMESTAMP), CAST(n AS TIMESTAMP), CAST(ts AS DOUBLE), CAST(ts AS DECIMAL(20,6)), CAST(tn AS TIMESTAMP), CAST(ts AS DATE) FROM t
SELECT count(*), count(i), count(DISTINCT i), sum(i), sum(l), sum(d), sum(n), avg(i), avg(n), min(s), max(dt), first(i), collect_list(i) FROM t
SELECT s, count(*) AS c, sum(i) FROM t GROUP BY s
SELECT s, count(*) FROM t GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC
SELECT s AS k, max(i) FROM t GROUP BY k
SELECT upper(s), i + 1, max(d) FROM t GROUP BY upper(s), i + 1
SELECT s, i, count(*) FROM t GROUP BY ALL
SELECT i + 1 FROM t GROUP BY i
SELECT i FROM t GROUP BY s
SELECT i, count(*) FROM t
SELECT sum(i) + max(i) * 2 AS z FROM t
SELECT s FROM t GROUP BY s HAVING max(i) > 3 ORDER BY min(l)
SELECT max(i) AS mx FROM t HAVING mx > 3
SELECT DISTINCT s, i FROM t
SELECT s, i FROM t ORDER BY i DESC, s NULLS LAST LIMIT 10
SELECT s AS z FROM t ORDER BY z
SELECT s AS z FROM t ORDER BY i
SELECT s FROM t WHERE i > 1 AND s LIKE 'a%' LIMIT 5 OFFSET 2
SELECT i AS a1, a1 + 1 AS b1, b1 * 2 AS c1 FROM t
SELECT t.i, u.i FROM t JOIN u ON t.i = u.id
SELECT i FROM t JOIN u ON t.i = u.id
SELECT * FROM u JOIN w ON u.id = w.id
SELECT * FROM u LEFT JOIN w ON u.id = w.id
SELECT * FROM u RIGHT JOIN w ON u.id = w.id
SELECT * FROM u FULL OUTER JOIN w ON u.id = w.id
SELECT * FROM u JOIN w USING (id)
SELECT * FROM u LEFT JOIN w USING (id)
SELECT * FROM u RIGHT JOIN w USING (id)
SELECT * FROM u FULL JOIN w USING (id)
SELECT * FROM u NATURAL JOIN w
SELECT id, u.id, w.id, name FROM u JOIN w USING (id)
SELECT * FROM u LEFT SEMI JOIN w ON u.id = w.id
SELECT * FROM u LEFT ANTI JOIN w USING (id)
SELECT * FROM u CROSS JOIN w
SELECT * FROM u, w WHERE u.id = w.id
SELECT a.id, b.id AS bid FROM u a JOIN u b ON a.id = b.i
SELECT u.* FROM u JOIN w ON u.id = w.id
SELECT o.*, c.name, CAST(o.s AS STRING) AS z FROM u o LEFT JOIN w c ON o.id = c.id
SELECT i FROM u UNION ALL SELECT id FROM w
SELECT i AS q, s FROM u UNION SELECT id, name FROM w
=SELECT i, s FROM u UNION ALL SELECT d, n FROM t
SELECT i FROM u INTERSECT SELECT id FROM w
SELECT i FROM u EXCEPT SELECT id FROM w
SELECT i FROM u UNION ALL SELECT i, s FROM u
SELECT a FROM t UNION ALL SELECT 1
SELECT (SELECT max(id) FROM w), i IN (SELECT id FROM w), EXISTS (SELECT 1 FROM w) FROM u
SELECT * FROM u WHERE EXISTS (SELECT 1 FROM w WHERE w.id = u.id)
SELECT * FROM u WHERE i IN (SELECT id FROM w WHERE w.name = u.s)
SELECT * FROM u WHERE i NOT IN (SELECT id FROM w)
SELECT id, (SELECT max(w.id) FROM w WHERE w.name = u.s) AS mx FROM u
WITH a AS (SELECT i + 1 AS j FROM u), b AS (SELECT j * 2 AS k FROM a) SELECT * FROM b
WITH a(x, y) AS (SELECT i, s FROM u) SELECT y, x FROM a
SELECT * FROM (SELECT i AS j FROM u) z WHERE z.j > 1
SELECT * FROM (SELECT i FROM u) AS z(p)
SELECT * FROM VALUES (1, 'a'), (2, NULL) AS v(id, name)
VALUES (1, 2.5), (2, 3)
SELECT explode(a) FROM t
SELECT i, explode(a) AS e FROM t
SELECT i, explode(mp) FROM t
SELECT i, explode(mp) AS (k, v) FROM t
SELECT explode_outer(a), i FROM t
SELECT posexplode(a) FROM t
SELECT posexplode_outer(mp) AS (p, k, v) FROM t
SELECT inline(aa) FROM t
SELECT inline_outer(aa) FROM t
SELECT stack(2, 1, 'a', 2, 'b') FROM t
SELECT json_tuple(s, 'a', 'b') FROM t
SELECT i, e FROM t LATERAL VIEW explode(a) z AS e
SELECT i, z.e FROM t LATERAL VIEW OUTER explode(a) z AS e
SELECT k, v FROM t LATERAL VIEW explode(mp) z AS k, v
SELECT i, k, key, value FROM t LATERAL VIEW explode(mp) z LATERAL VIEW posexplode(a) y AS k, q
SELECT p, q FROM t LATERAL VIEW inline(aa)
SELECT col FROM t LATERAL VIEW explode(a)
SELECT * FROM w LATERAL VIEW explode(array(1, 2)) z AS e
SELECT row_number() OVER (PARTITION BY s ORDER BY i) AS rn, sum(i) OVER (PARTITION BY s), rank() OVER (ORDER BY l) FROM t
SELECT lag(i) OVER (ORDER BY l), lead(i, 2, 0) OVER (ORDER BY l), first_value(i) OVER w1, sum(i) OVER (w1) FROM t WINDOW w1 AS (PARTITION BY s ORDER BY i)
SELECT sum(i) OVER (ORDER BY l ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
SELECT s, sum(sum(i)) OVER (ORDER BY s) FROM t GROUP BY s
SELECT s, i FROM t QUALIFY row_number() OVER (PARTITION BY s ORDER BY i) = 1
SELECT transform(a, x -> x + 1), filter(a, x -> x > i), exists(a, x -> x = 1), aggregate(a, 0, (acc, x) -> acc + x) FROM t
SELECT transform(a, (x, k) -> x + k), transform(aa, e -> e.q), map_filter(mp, (k, v) -> v > 1) FROM t
SELECT array(1, 2), array(1, 2.5), array('a', NULL), array(), map('a', 1), map(1, 'x', 2, NULL), struct(i, s), named_struct('p', i, 'q', s) FROM t
SELECT struct(i + 1, s AS z, st.u) FROM t
SELECT (i, s), (1, 'a') FROM t
SELECT upper(s), lower(s), length(s), trim(s), substring(s, 1, 2), substr(s, 1), concat(s, 'x'), concat(s, i), replace(s, 'a', 'b') FROM t
SELECT substring(s FROM 1 FOR 2), position('a' IN s), extract(YEAR FROM ts), trim(BOTH 'x' FROM s) FROM t
SELECT ucase(s), nvl2(s, 1, 2), nullif(i, 1), ifnull(i, 1), isnull(i), isnotnull(i), isnan(d) FROM t
SELECT abs(i), ceil(d), floor(n), round(n, 1), round(d), sqrt(d), pow(d, 2), power(2, 3), exp(1), ln(d), mod(i, 2), pmod(i, 2), sign(d) FROM t
SELECT greatest(1, 2.5, d), least(i, l), rand() > 2, pi(), e() FROM t
SELECT year(dt), month(ts), dayofmonth(dt), date_add(dt, 1), date_sub(dt, 1), datediff(dt, dt), date_format(ts, 'yyyy'), to_date(s), to_timestamp(s), to_timestamp(s, 'yyyy'), date_trunc('DAY', ts), trunc(dt, 'MM') FROM t
SELECT current_timestamp(), current_date(), now(), current_timestamp, current_date FROM t
SELECT unix_timestamp(ts), from_unixtime(l), last_day(dt), add_months(dt, 1), hour(ts) FROM t
SELECT from_json(s, 'p INT, q STRING'), to_json(st), get_json_object(s, '$.a'), from_json(s, 'p INT').p FROM t
SELECT size(a), array_contains(a, 1), sort_array(a), map_keys(mp), map_values(mp), element_at(a, 1), element_at(mp, 'k'), array_distinct(a), flatten(array(a)) FROM t
SELECT split(s, ','), regexp_replace(s, 'a', 'b'), regexp_extract(s, '(a)', 1), concat_ws(',', s, 'x'), md5(s), sha2(s, 256), hash(s, i), xxhash64(s), crc32(s) FROM t
SELECT dt + 1, dt - 1, 1 + dt, dt - dt, dt + INTERVAL 1 DAY, ts + INTERVAL 10 MINUTES, ts - INTERVAL '1' HOUR, dt + INTERVAL 1 MONTH, ts + INTERVAL '1-2' YEAR TO MONTH FROM t
SELECT ts > TIMESTAMP '2020-01-01', ts > '2020-01-01', dt >= '2020-01-01', dt = DATE '2020-01-01' FROM t
SELECT s IN ('a', 'b'), i IN (1, 2.5), i IN ('1', '2'), (i, s) IN ((1, 'a')) FROM t
!SELECT i IN ('1', '2'), s IN (1, 2), array(1, 'a'), map('a', 1, 'b', 'c'), greatest(i, s) FROM t
SELECT array(1, 'a') FROM t
SELECT nosuch FROM t
SELECT st.nosuch FROM t
SELECT nosuch(i) FROM t
SELECT * FROM nosuch
SELECT i.x FROM t
SELECT s + a FROM t
SELECT a + 1 FROM t
SELECT b + 1 FROM t
SELECT a = 1 FROM t
SELECT NOT i FROM t
SELECT i AND b FROM t
SELECT * FROM t WHERE i
SELECT * FROM t WHERE sum(i) > 1
SELECT sum(sum(i)) FROM t
SELECT i FROM t ORDER BY 3
SELECT upper(s, s) FROM t
SELECT upper(a) FROM t
SELECT upper(i), length(i), date_add('2020-01-01', 1), year('2020-01-01'), sqrt('4'), abs('1'), substring(i, 1, 1), substring(s, 1L, 1), year(ts), date_add(ts, 1), date_add(dt, 1L), date_add(dt, '1') FROM t
=SELECT length(l), trim(i), date_add(dt, l) FROM t
=SELECT upper(i), date_add(dt, 1.5) FROM t
=SELECT substring(s, 1L, 2L), substring(s, d, 1) FROM t
=SELECT ceil(s), floor('1.5'), round(s, 1), sqrt(s), sin(s), abs(s) FROM t
=SELECT hour(s), hour(dt), year(s), unix_timestamp(s), date_format(dt, 'y'), date_format(s, 'y'), last_day(ts), add_months(ts, 1) FROM t
=SELECT sum(s), avg(s), min(s), max(b), sum(y), avg(f), stddev(i), corr(i, l) FROM t
=SELECT s AND b FROM t
=SELECT b = 1, b = 'true', b > FALSE FROM t
=SELECT IF(s, 1, 2) FROM t
=SELECT CASE WHEN i THEN 1 END FROM t
=SELECT a[l], a[y], mp[i] FROM t
=SELECT a['0'], mp[1L] FROM t
=SELECT s div 2 FROM t
=SELECT i & d FROM t
=SELECT s & 1 FROM t
=SELECT dt + '1' FROM t
=SELECT dt - s, ts - dt, ts - ts FROM t
=SELECT i = a[0], st = st, a = a, a < a FROM t
=SELECT mp = mp FROM t
=SELECT CAST(mp AS ARRAY<STRING>) FROM t
=SELECT * FROM t ORDER BY mp
SELECT i FROM t GROUP BY i, mp
SELECT DISTINCT mp FROM t
SELECT s, GROUPING(s), sum(i) FROM t GROUP BY ROLLUP (s)
SELECT s, i, sum(l) FROM t GROUP BY GROUPING SETS ((s), (i), ())
SELECT s, i, sum(l) FROM t GROUP BY CUBE (s, i)
SELECT count(i) FILTER (WHERE i > 1), sum(DISTINCT i) FILTER (WHERE b) FROM t
SELECT window(ts, '10 minutes'), window(ts, '10 minutes').start FROM t
SELECT window.start, count(*) FROM t GROUP BY window(ts, '10 minutes')
SELECT 1 AS a, 2 AS a
SELECT a FROM (SELECT 1 AS a, 2 AS a)
SELECT 'it''s', 'a\nb', r'a\nb', "say ""x""" FROM t
SELECT 1 + 2 * 3, (1 + 2) * 3, -(-1), 2 - -1, 1.0 / 3, 10 / 4.0, 1e2 * 1 FROM t
SELECT 12345678901234567890, 1.23E5, 1E-3BD, 100000000000.5 FROM t
SELECT n + 1.5, n * 2.25, n / 1.5, n + CAST(1 AS INT), i + 1.5, l * 0.5, 3 * n, y * 1.5, CAST(1 AS DECIMAL(38,0)) / 3 FROM t
SELECT round(1.005, 2), round(12345, -2), ceil(1.5), floor(-1.5), abs(-1.5), sign(n), n % 1.5, negative(n), positive(i) FROM t
SELECT i AS select_, s AS from_ FROM t AS x WHERE x.i = 1
SELECT x.st.v.w FROM t AS x
SELECT t.i FROM t AS x
SELECT * FROM u AS a, u AS b WHERE a.id = b.id
SELECT COUNT(1), COUNT(i, s), MAX(struct(i, s)), max_by(s, i) FROM t
SELECT any_value(i), bool_and(b), approx_count_distinct(i), percentile(i, 0.5), collect_set(s), count_if(b) FROM t
SELECT input_file_name(), monotonically_increasing_id(), uuid() FROM t
SELECT current_timestamp() - INTERVAL 1 DAY, DATE '2020-01-31' + INTERVAL 1 MONTH, INTERVAL 1 DAY FROM t
SELECT try_divide(i, 0), try_add(i, 1), try_subtract(l, 1), try_multiply(i, i), try_element_at(a, 1), get(a, 0) FROM t
SELECT nvl(st.u, 0), coalesce(NULL, NULL), coalesce(NULL, 1), NULL AS nn, if(true, NULL, 1) FROM t
SELECT id, name FROM w WHERE name = 'x' AND id IS NOT NULL
SELECT id + 1, id = 1, name || 'x', upper(name), coalesce(id, 1), id / 2, id % 2, -id, id > 1 AND name = 'a', id IN (1, 2), CAST(id AS STRING), CAST(name AS INT), CASE WHEN id > 1 THEN 1 ELSE 2 END, substring(name, 1, 1) FROM w
!SELECT id + 1, id / 2, id % 2, id div 2, CAST(name AS INT), CAST(id AS BIGINT), CAST(id AS TINYINT), to_timestamp(name), date_add(CAST(name AS DATE), 1) FROM w
SELECT id div 2, try_divide(id, 2), array(id)[0], map(name, id)[name], struct(id, name), struct(id, name).id, explode(array(id, id)) FROM w
SELECT id, count(*), sum(id), min(name), count(DISTINCT name), collect_list(id), first(id) FROM w GROUP BY id
SELECT EXPLODE(SPLIT(name, ',')) AS part FROM w
SELECT id, pos, part FROM w LATERAL VIEW posexplode(split(name, ',')) p AS pos, part
SELECT e.p AS p, e.q FROM (SELECT explode(aa) AS e FROM t)
SELECT transform(split(s, ','), x -> CAST(x AS INT)), transform(a, x -> array(x)), zip_with(a, a, (x, y) -> x + y), forall(a, x -> x > 0), transform_values(mp, (k, v) -> v + 1), array_sort(a, (l, r) -> l - r) FROM t
