-- The minutes of a record are worked out once, when it is closed; so nothing need tell which setting they were rounded by.
UPDATE time_clock_records SET rounded_to = settings.rounding_minutes,
  worked_minutes = round(extract(epoch FROM clock_out_time - clock_in_time) / 60 / greatest(settings.rounding_minutes, 1)) * greatest(settings.rounding_minutes, 1)
FROM time_clock_settings AS settings
WHERE settings.company_id = time_clock_records.company_id AND rounded_to <> settings.rounding_minutes AND clock_out_time IS NOT NULL;
DROP INDEX time_clock_records_company_id_rounded_to_idx;
ALTER TABLE time_clock_records DROP COLUMN rounded_to;

-- Nobody has two open records. Prisma has no words for an index of some rows only, and leaves it alone.
DROP INDEX time_clock_records_company_id_open_user_id_key;
ALTER TABLE time_clock_records DROP COLUMN open_user_id;
CREATE UNIQUE INDEX time_clock_records_open_key ON time_clock_records (company_id, user_id) WHERE clock_out_time IS NULL;

ALTER INDEX workspace_records_company_id_active_desk_id_key RENAME TO workspace_records_active_desk_key;
