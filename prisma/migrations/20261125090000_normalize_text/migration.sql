-- Text is compared as bytes, so that "é" and "e" with an accent of its own differ. From now on both are stored as the
-- first (Unicode's normalization form C): this changes what is stored, in the columns that lists, people and programs
-- have. It is logged, as copies of the rows have to follow. Left as it is, and listed by `admin check`: text that would
-- be the same as that of another row in a unique key, or longer than its column.
DO $$
DECLARE
  stored record;
BEGIN
  FOR stored IN
    WITH texts AS (
      SELECT attrelid, attname, attnum, atttypid IN ('text[]'::regtype, 'varchar[]'::regtype) AS is_list,
             -- The type's length includes the size of a header.
             nullif(atttypmod, -1) - 4 AS max_length
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attgenerated = '' AND NOT attisdropped
        AND atttypid IN ('text'::regtype, 'varchar'::regtype, 'text[]'::regtype, 'varchar[]'::regtype)
        AND (EXISTS (SELECT FROM pg_trigger WHERE tgrelid = attrelid AND tgname = 'log_updates')
          OR relname IN ('ai_usage_events', 'ai_usage_months', 'api_tokens', 'invitations', 'people', 'webhooks'))
    ), conditions AS (
      SELECT attrelid, attname,
             CASE WHEN is_list THEN format('ARRAY(SELECT normalize(item) FROM unnest(%I) WITH ORDINALITY AS items (item, place) ORDER BY place)', attname)
               ELSE format('normalize(%I)', attname) END AS normal,
             concat_ws(' AND ',
               CASE WHEN is_list THEN format('EXISTS (SELECT FROM unnest(%I) AS item WHERE item IS NOT NFC NORMALIZED)', attname)
                 -- ASCII, which needs no change, is recognized faster.
                 ELSE format('octet_length(%1$I) > char_length(%1$I) AND %1$I IS NOT NFC NORMALIZED', attname) END,
               format('char_length(normalize(%I)) <= ', attname) || max_length,
               (SELECT string_agg(format('((%1$s) IN (SELECT %1$s FROM %2$s GROUP BY %1$s HAVING count(*) > 1)) IS NOT TRUE', keys, attrelid::regclass), ' AND ')
                FROM pg_index, LATERAL (
                  SELECT string_agg(format(CASE WHEN atttypid IN ('text'::regtype, 'varchar'::regtype) THEN 'normalize(%I)' ELSE '%I' END, attname), ', ') AS keys
                  FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)
                ) AS normalized
                WHERE indrelid = attrelid AND indisunique AND attnum = ANY (indkey))) AS needed
      FROM texts
    )
    SELECT attrelid::regclass AS "table",
           string_agg(format('%I = CASE WHEN %s THEN %s ELSE %1$I END', attname, needed, normal), ', ') AS changes,
           string_agg(format('(%s)', needed), ' OR ') AS condition,
           CASE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = conditions.attrelid AND attname = 'updated_at')
             THEN ', updated_at = now()' END AS time
    FROM conditions GROUP BY attrelid
  LOOP
    EXECUTE format('UPDATE %s SET %s%s WHERE %s', stored.table, stored.changes, stored.time, stored.condition);
  END LOOP;
END
$$;
