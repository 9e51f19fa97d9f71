-- Since when statuses are known: the periods of rows that were deleted before this migration are not.
ALTER TABLE "companies" ADD COLUMN     "statuses_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- As before, but the periods of deleted rows end, and are kept: how many rows had a status at a time does not depend on
-- which of them still exist.
CREATE OR REPLACE FUNCTION track_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  of_table CONSTANT text := TG_TABLE_NAME;
BEGIN
  IF current_setting('premises.own_periods', true) = 'on' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, of_table, status, created_at FROM new_rows;
  ELSIF TG_OP = 'UPDATE' THEN
    WITH moved AS MATERIALIZED (
      SELECT company_id, id, new_row.status,
             CASE WHEN new_row.updated_at = old_row.updated_at THEN clock_timestamp() ELSE new_row.updated_at END AS at
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
      WHERE old_row.status <> new_row.status
    ), ended AS (
      UPDATE status_periods AS period SET left_at = greatest(entered_at, moved.at) FROM moved
      WHERE period.company_id = moved.company_id AND row_id = id AND table_name = of_table AND left_at IS NULL
    )
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, of_table, status, at FROM moved;
  ELSE
    UPDATE status_periods AS period SET left_at = greatest(entered_at, clock_timestamp()) FROM old_rows AS old_row
    WHERE period.company_id = old_row.company_id AND row_id = id AND table_name = of_table AND left_at IS NULL;
  END IF;
  RETURN NULL;
END
$$;
