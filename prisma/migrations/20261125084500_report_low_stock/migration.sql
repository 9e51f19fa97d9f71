-- Reports that the stock of an item has fallen below its reorder point in the transaction in which it does, so that it
-- is reported once each time, whenever the clock looks. The report follows the change, as triggers run in the order of
-- their names.
CREATE FUNCTION report_low_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF current_setting('premises.changes', true) = 'off' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT change_number(pg_current_xact_id())), company_id, TG_TABLE_NAME, id, 'low_stock', '{}', to_jsonb(new_row),
           '{"kind": "clock"}'
    FROM new_rows AS new_row WHERE quantity < reorder_point;
  ELSE
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT change_number(pg_current_xact_id())), company_id, TG_TABLE_NAME, id, 'low_stock', '{}', to_jsonb(new_row),
           '{"kind": "clock"}'
    FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
    WHERE new_row.quantity < new_row.reorder_point AND (old_row.quantity < old_row.reorder_point) IS NOT TRUE;
  END IF;
  RETURN NULL;
END
$$;

DO $$ BEGIN EXECUTE format('ALTER FUNCTION report_low_stock() SET search_path = %I, pg_temp', current_schema()); END $$;

CREATE TRIGGER report_low_stock_of_new AFTER INSERT ON inventory_items REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION report_low_stock();
CREATE TRIGGER report_low_stock AFTER UPDATE ON inventory_items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION report_low_stock();

-- What has become low since the clock last looked; items that it has reported are not reported again. The marks remain
-- for the clock of an older instance, which may report an item once more while it runs beside newer ones.
WITH low AS (
  INSERT INTO clock_marks (company_id, table_name, row_id, since)
  SELECT company_id, 'inventory_items', id, 'epoch' FROM inventory_items WHERE quantity < reorder_point
  ON CONFLICT DO NOTHING RETURNING company_id, row_id
)
INSERT INTO changes (company_id, table_name, row_id, action, fields, after, actor)
SELECT company_id, 'inventory_items', id, 'low_stock', '{}', to_jsonb(item), '{"kind": "clock"}'
FROM low JOIN inventory_items AS item USING (company_id) WHERE item.id = low.row_id;
