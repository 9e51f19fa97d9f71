-- CreateTable
CREATE TABLE "company_deletions" (
    "id" UUID NOT NULL,

    CONSTRAINT "company_deletions_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "company_deletions" ADD CONSTRAINT "company_deletions_id_fkey" FOREIGN KEY ("id") REFERENCES "companies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The role that serves only reads the log of changes and the security log (src/database/roles.ts). What else may happen
-- to them is done by the functions below, with the rights of the role that migrates: each checks its own conditions.

-- Makes functions run with the rights of their owner, whatever the search path of the caller, and only for those who
-- were granted them. Replacing a function undoes the first two.
CREATE FUNCTION run_as_owner(VARIADIC functions regprocedure[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  called regprocedure;
BEGIN
  FOREACH called IN ARRAY functions LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = %I, pg_temp', called, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', called);
  END LOOP;
END
$$;

-- As before, but nothing switches it off: of a company that is deleted, with its log, the deletions alone are left out.
CREATE OR REPLACE FUNCTION log_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  left_out text[] := coalesce(TG_ARGV, '{}');
  who jsonb := nullif(current_setting('premises.actor', true), '')::jsonb;
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'create', '{}', is_now, who
    FROM (SELECT to_jsonb(new_row) - left_out AS is_now FROM new_rows AS new_row) AS created;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, after, actor)
    SELECT (SELECT current_change_number()), coalesce(is_now ->> 'company_id', is_now ->> 'id')::uuid,
           TG_TABLE_NAME, (is_now ->> 'id')::uuid, 'update', coalesce(changed.fields, '{updated_at}'), changed.before,
           is_now, who
    FROM (
      SELECT to_jsonb(old_row) - left_out AS was, to_jsonb(new_row) - left_out AS is_now
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (id)
    ) AS updated,
    LATERAL (
      SELECT array_agg(key ORDER BY key) FILTER (WHERE key <> 'updated_at') AS fields,
             jsonb_object_agg(key, was -> key) AS before
      FROM jsonb_each(is_now) WHERE value IS DISTINCT FROM was -> key
    ) AS changed
    WHERE changed.before IS NOT NULL AND was -> 'company_id' IS NOT DISTINCT FROM is_now -> 'company_id';
  ELSE
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, before, actor)
    SELECT (SELECT current_change_number()), companies.id, TG_TABLE_NAME, (was ->> 'id')::uuid, 'delete', '{}',
           was, who
    FROM (SELECT to_jsonb(old_row) - left_out AS was FROM old_rows AS old_row) AS deleted
    JOIN companies ON companies.id = (was ->> 'company_id')::uuid
    WHERE NOT EXISTS (SELECT FROM company_deletions AS deletion WHERE deletion.id = companies.id);
  END IF;
  RETURN NULL;
END
$$;

-- The log compares the rows of an update by their keys, which therefore stay.
CREATE FUNCTION keep_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the key of a row of % cannot change', TG_TABLE_NAME;
END
$$;

-- Keeps the ids and the companies of a table's rows from now on.
CREATE FUNCTION keep_keys_of(logged regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  keys text[] := ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = logged AND attname IN ('id', 'company_id'));
BEGIN
  EXECUTE format('CREATE TRIGGER keep_key BEFORE UPDATE OF %s ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION keep_key()',
    array_to_string(keys, ', '), logged,
    (SELECT string_agg(format('OLD.%1$s <> NEW.%1$s', key), ' OR ') FROM unnest(keys) AS key));
END
$$;

SELECT keep_keys_of(tgrelid) FROM pg_trigger WHERE tgname = 'log_inserts';

-- As before, and with the keys of its rows.
CREATE OR REPLACE FUNCTION log_changes_of(logged regclass, VARIADIC left_out text[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  arguments text := (SELECT string_agg(quote_literal(name), ', ') FROM unnest(left_out) AS name);
BEGIN
  EXECUTE format('CREATE TRIGGER log_inserts AFTER INSERT ON %s REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  EXECUTE format('CREATE TRIGGER log_updates AFTER UPDATE ON %s REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  EXECUTE format('CREATE TRIGGER log_deletes AFTER DELETE ON %s REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION log_changes(%s)', logged, arguments);
  PERFORM track_status_of(logged);
  PERFORM keep_keys_of(logged);
END
$$;

-- As before, but nothing switches it off.
CREATE OR REPLACE FUNCTION report_low_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), company_id, TG_TABLE_NAME, id, 'low_stock', '{}', to_jsonb(new_row),
           '{"kind": "clock"}'
    FROM new_rows AS new_row WHERE quantity < reorder_point;
  ELSE
    INSERT INTO changes (xid, company_id, table_name, row_id, action, fields, after, actor)
    SELECT (SELECT current_change_number()), company_id, TG_TABLE_NAME, id, 'low_stock', '{}', to_jsonb(new_row),
           '{"kind": "clock"}'
    FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
    WHERE new_row.quantity < new_row.reorder_point AND (old_row.quantity < old_row.reorder_point) IS NOT TRUE;
  END IF;
  RETURN NULL;
END
$$;

-- As before, but for the name of the setting that is on where sample data has its own periods.
CREATE OR REPLACE FUNCTION track_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('premises.own_periods', true) = 'on' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, TG_TABLE_NAME, status, created_at FROM new_rows;
  ELSIF TG_OP = 'UPDATE' THEN
    WITH moved AS MATERIALIZED (
      SELECT company_id, id, new_row.status,
             CASE WHEN new_row.updated_at = old_row.updated_at THEN clock_timestamp() ELSE new_row.updated_at END AS at
      FROM old_rows AS old_row JOIN new_rows AS new_row USING (company_id, id)
      WHERE old_row.status <> new_row.status
    ), ended AS (
      UPDATE status_periods AS period SET left_at = greatest(entered_at, moved.at) FROM moved
      WHERE period.company_id = moved.company_id AND row_id = id AND table_name = TG_TABLE_NAME AND left_at IS NULL
    )
    INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at)
    SELECT company_id, id, TG_TABLE_NAME, status, at FROM moved;
  ELSE
    DELETE FROM status_periods AS period USING old_rows AS old_row
    WHERE period.company_id = old_row.company_id AND row_id = id AND table_name = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END
$$;

-- Logs occurrences of rows, such as reminders that fell due, with the rows as they are.
--   occurrence  what happened without a change of the row
--   companies   the companies of the rows, in the order of `ids`
-- Returns how many it logged.
CREATE FUNCTION log_occurrences(logged text, occurrence change_action, companies uuid[], ids uuid[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  count integer;
BEGIN
  IF occurrence <> 'due' THEN
    RAISE EXCEPTION 'triggers log %', occurrence;
  END IF;
  -- Triggers with arguments leave out columns of their tables.
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass(quote_ident(logged)) AND tgname = 'log_inserts' AND tgnargs = 0) THEN
    RAISE EXCEPTION 'rows of % have no occurrences', logged;
  END IF;
  EXECUTE format('INSERT INTO changes (company_id, table_name, row_id, action, fields, after, actor)
    SELECT stored.company_id, $1, stored.id, $2, ''{}'', to_jsonb(stored), ''{"kind": "clock"}''
    FROM unnest($3, $4) AS found (company_id, id) JOIN %I AS stored USING (company_id, id)', logged)
    USING logged, occurrence, companies, ids;
  GET DIAGNOSTICS count = ROW_COUNT;
  RETURN count;
END
$$;

-- Deletes the oldest changes of a company, up to the first one that is kept, and moves the beginning of its log with
-- the same statement.
--   days  how long changes are kept
--   most  how many it deletes at most
-- Returns how many it deleted.
CREATE FUNCTION delete_old_changes(company uuid, days integer, most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  deleted integer;
BEGIN
  -- The owner could delete them without this function.
  IF coalesce(days, 0) < 1 AND NOT pg_has_role(session_user, current_user, 'USAGE') THEN
    RAISE EXCEPTION 'changes are kept for at least a day';
  END IF;
  WITH first AS MATERIALIZED (
    SELECT xid, seq, at < now() - make_interval(days => days) AS is_old FROM changes
    WHERE company_id = company ORDER BY xid, seq LIMIT most
  ), old AS MATERIALIZED (
    SELECT xid, seq FROM first
    WHERE (xid, seq) < ALL (SELECT xid, seq FROM first WHERE NOT is_old ORDER BY xid, seq LIMIT 1)
  ), removed AS (
    DELETE FROM changes USING old
    WHERE changes.company_id = company AND changes.xid = old.xid AND changes.seq = old.seq
  ), moved AS (
    INSERT INTO change_horizons (company_id, xid, seq)
    SELECT company, xid, seq FROM old ORDER BY xid DESC, seq DESC LIMIT 1
    ON CONFLICT (company_id) DO UPDATE SET xid = excluded.xid, seq = excluded.seq
  )
  SELECT count(*) INTO deleted FROM old;
  RETURN deleted;
END
$$;

-- A version 7 UUID of now. Its first bits are microseconds, so that later ones are greater.
CREATE FUNCTION uuid_of_now() RETURNS uuid VOLATILE LANGUAGE sql AS $$
  SELECT (lpad(to_hex(us / 1000), 12, '0') || '7' || lpad(to_hex(us % 1000 * 4096 / 1000), 3, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) AS now
$$;

-- Adds an event to the security log, as of now.
--   company  the company it concerns
--   person   the person it was done to
--   actor    who did it, from the address and with the browser that follow
CREATE FUNCTION record_security_event(
  event text, details json, company uuid, person uuid, actor uuid, address text, browser text
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO security_events (id, action, details, company_id, person_id, actor_id, ip_address, user_agent, created_at)
  VALUES (uuid_of_now(), event, details, company, person, actor, address, browser, clock_timestamp())
$$;

-- Events are only added. They go with their company; erasing a person may change what identifies people.
CREATE OR REPLACE FUNCTION keep_security_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.company_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM companies WHERE id = OLD.company_id) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('premises.erasing', true) = 'on'
    AND (NEW.id, NEW.company_id, NEW.action, NEW.actor_id, NEW.person_id, NEW.created_at)
      IS NOT DISTINCT FROM (OLD.id, OLD.company_id, OLD.action, OLD.actor_id, OLD.person_id, OLD.created_at) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'security events are only added';
END
$$;

-- Replaces those members of a row's image that it has.
CREATE FUNCTION replace_members(image jsonb, replacements jsonb) RETURNS jsonb IMMUTABLE LANGUAGE sql AS $$
  SELECT image || (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(replacements) WHERE image ? key)
$$;

-- Replaces a member of a row's image if it is one of the texts, which are in lower case.
CREATE FUNCTION replace_text(image jsonb, member text, texts text[], replacement text) RETURNS jsonb
IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN lower(image ->> member) = ANY (texts)
    THEN image || jsonb_build_object(member, replacement) ELSE image END
$$;

-- Replaces the name, the address and the picture of a deactivated user, in their company and its sandbox: in their own
-- rows and in the rows and logged images that their id or their address identifies as theirs. What others wrote stays.
-- Returns their addresses, also former ones, in lower case.
--   actor  who erases them, from the address and with the browser that follow
CREATE FUNCTION erase_user(company uuid, person uuid, actor uuid, address text, browser text) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  erased_name CONSTANT text := 'Erased user';
  erased_address CONSTANT text := person || '@erased.invalid';
  erased_user CONSTANT jsonb := jsonb_build_object('full_name', erased_name, 'email', erased_address, 'avatar_url', NULL);
  erased_guest CONSTANT jsonb := jsonb_build_object('guest_name', erased_name, 'guest_email', erased_address);
  tenants CONSTANT uuid[] := ARRAY(SELECT id FROM companies WHERE company IN (id, sandbox_of_id));
  names text[];
  addresses text[];
  is_sender boolean; -- whether the company's email settings name them
BEGIN
  -- Somebody may be adding them to another company.
  PERFORM FROM people WHERE id = person FOR UPDATE;
  IF NOT EXISTS (
    SELECT FROM users JOIN companies ON companies.id = company_id
    WHERE company_id = company AND users.id = person AND deactivated_at IS NOT NULL AND sandbox_of_id IS NULL
  ) THEN
    RAISE EXCEPTION 'only deactivated users of a company are erased';
  END IF;
  IF EXISTS (SELECT FROM users WHERE id = person AND company_id <> ALL (tenants)) THEN
    RAISE EXCEPTION 'users of another company too are not erased';
  END IF;

  WITH identities (name, email) AS (
    SELECT full_name, email FROM people WHERE id = person
    UNION SELECT full_name, email FROM users WHERE company_id = ANY (tenants) AND id = person
    UNION SELECT image ->> 'full_name', image ->> 'email' FROM changes, unnest(ARRAY[before, after]) AS image
    WHERE company_id = ANY (tenants) AND table_name = 'users' AND row_id = person
  )
  SELECT array_agg(DISTINCT lower(name)) FILTER (WHERE name <> ''), array_agg(DISTINCT lower(email)) FILTER (
    -- A former address may be somebody else's by now.
    WHERE email <> '' AND NOT EXISTS (SELECT FROM people WHERE people.email = lower(identities.email) AND id <> person)
  ) INTO names, addresses FROM identities;
  is_sender := EXISTS (SELECT FROM companies WHERE id = ANY (tenants) AND lower(email_reply_to) = ANY (addresses))
    OR EXISTS (
      SELECT FROM changes, unnest(ARRAY[before, after]) AS image
      WHERE company_id = ANY (tenants) AND row_id = ANY (tenants) AND table_name = 'companies'
        AND lower(image ->> 'email_reply_to') = ANY (addresses)
    );

  -- These updates are logged, with the values before them: the log comes last.
  UPDATE users SET full_name = erased_name, email = erased_address, avatar_url = NULL, updated_at = clock_timestamp()
  WHERE company_id = ANY (tenants) AND id = person;
  UPDATE people SET full_name = erased_name, email = erased_address, email_verified_at = NULL,
    two_factor_enabled = false, updated_at = clock_timestamp()
  WHERE id = person;
  UPDATE companies SET
    email_reply_to = CASE WHEN lower(email_reply_to) = ANY (addresses) THEN NULL ELSE email_reply_to END,
    email_sender_name = CASE WHEN lower(email_sender_name) = ANY (names) THEN NULL ELSE email_sender_name END,
    updated_at = clock_timestamp()
  WHERE id = ANY (tenants) AND is_sender
    AND (lower(email_reply_to) = ANY (addresses) OR lower(email_sender_name) = ANY (names));
  UPDATE expected_packages SET guest_name = erased_name, guest_email = erased_address, updated_at = clock_timestamp()
  WHERE company_id = ANY (tenants) AND lower(guest_email) = ANY (addresses);

  UPDATE changes SET before = replace_members(before, erased_user), after = replace_members(after, erased_user)
  WHERE company_id = ANY (tenants) AND table_name = 'users' AND row_id = person;
  UPDATE changes SET
    -- Of an update, it has the changed columns alone.
    before = CASE WHEN lower((coalesce(after, '{}') || before) ->> 'guest_email') = ANY (addresses)
      THEN replace_members(before, erased_guest) ELSE before END,
    after = CASE WHEN lower(after ->> 'guest_email') = ANY (addresses)
      THEN replace_members(after, erased_guest) ELSE after END
  WHERE company_id = ANY (tenants) AND table_name = 'expected_packages'
    AND (lower(before ->> 'guest_email') = ANY (addresses) OR lower(after ->> 'guest_email') = ANY (addresses));
  IF is_sender THEN
    UPDATE changes SET
      before = replace_text(replace_text(before, 'email_reply_to', addresses, erased_address), 'email_sender_name', names, erased_name),
      after = replace_text(replace_text(after, 'email_reply_to', addresses, erased_address), 'email_sender_name', names, erased_name)
    WHERE company_id = ANY (tenants) AND row_id = ANY (tenants) AND table_name = 'companies';
  END IF;

  PERFORM set_config('premises.erasing', 'on', true);
  UPDATE security_events SET ip_address = NULL, user_agent = NULL
  -- That a company was deleted concerns another company.
  WHERE (company_id = ANY (tenants) OR company_id IS NULL AND action <> 'company_deleted')
    AND (actor_id = person OR actor_id IS NULL AND person_id = person)
    AND (ip_address IS NOT NULL OR user_agent IS NOT NULL);
  UPDATE security_events SET details = (
    SELECT json_object_agg(key, CASE
      WHEN key IN ('email', 'emailReplyTo') AND lower(value #>> '{}') = ANY (addresses) THEN to_json(erased_address)
      WHEN key = 'emailSenderName' AND is_sender AND lower(value #>> '{}') = ANY (names) THEN to_json(erased_name)
      ELSE value END ORDER BY place)
    FROM json_each(details) WITH ORDINALITY AS member (key, value, place)
  )
  WHERE company_id = ANY (tenants) AND (
    lower(details ->> 'email') = ANY (addresses) OR lower(details ->> 'emailReplyTo') = ANY (addresses)
      OR is_sender AND lower(details ->> 'emailSenderName') = ANY (names)
  );
  PERFORM set_config('premises.erasing', '', true);
  PERFORM record_security_event('user_erased', '{}', company, person, actor, address, browser);
  RETURN coalesce(addresses, '{}');
END
$$;

-- Begins to delete a company and its sandbox. Until the transaction ends, what is deleted of them is not logged.
-- Returns the people who belong to no other company.
CREATE FUNCTION begin_company_deletion(company uuid) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
  tenants CONSTANT uuid[] := ARRAY(SELECT id FROM companies WHERE company IN (id, sandbox_of_id));
BEGIN
  -- Waits for writes in flight, and makes further ones wait.
  PERFORM FROM companies WHERE id = ANY (tenants) FOR UPDATE;
  IF NOT EXISTS (SELECT FROM companies WHERE id = company AND sandbox_of_id IS NULL) THEN
    RAISE EXCEPTION 'there is no such company';
  END IF;
  INSERT INTO company_deletions (id) SELECT unnest(tenants);
  RETURN ARRAY(
    SELECT DISTINCT id FROM users AS member WHERE company_id = ANY (tenants)
      AND NOT EXISTS (SELECT FROM users WHERE id = member.id AND company_id <> ALL (tenants))
  );
END
$$;

-- Deletes changes of a company that is being deleted, and of its sandbox: `most` at most. Returns how many.
CREATE FUNCTION delete_company_changes(company uuid, most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  count integer;
BEGIN
  DELETE FROM changes WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM changes WHERE company_id IN (
      SELECT id FROM company_deletions JOIN companies USING (id) WHERE company IN (id, sandbox_of_id)
    ) LIMIT most
  ));
  GET DIAGNOSTICS count = ROW_COUNT;
  RETURN count;
END
$$;

-- Deletes a company and its sandbox, what is left of them, and those of the people who belong to no company. What the
-- security log has of these loses what identifies them. It records the deletion in an event without a company.
--   actor  who deletes it, from the address and with the browser that follow
CREATE FUNCTION end_company_deletion(company uuid, candidates uuid[], actor uuid, address text, browser text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  deleted CONSTANT text := (SELECT slug FROM companies JOIN company_deletions USING (id) WHERE id = company);
  leavers uuid[];
BEGIN
  IF deleted IS NULL THEN
    RAISE EXCEPTION 'the deletion of the company has not begun';
  END IF;
  DELETE FROM companies WHERE sandbox_of_id = company;
  DELETE FROM companies WHERE id = company;
  leavers := ARRAY(
    SELECT id FROM people WHERE id = ANY (candidates) AND NOT EXISTS (SELECT FROM users WHERE users.id = people.id)
  );
  PERFORM set_config('premises.erasing', 'on', true);
  UPDATE security_events SET ip_address = NULL, user_agent = NULL,
    -- Of a deleted company the slug is all that is left.
    details = CASE action WHEN 'company_deleted' THEN details ELSE '{}' END
  WHERE company_id IS NULL AND (actor_id = ANY (leavers) OR person_id = ANY (leavers));
  PERFORM set_config('premises.erasing', '', true);
  DELETE FROM people WHERE id = ANY (leavers);
  PERFORM record_security_event('company_deleted', json_build_object('company', deleted, 'id', company), NULL, NULL,
    actor, address, browser);
END
$$;

CREATE FUNCTION require_company_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Those of other transactions are not visible.
  IF EXISTS (SELECT FROM company_deletions) THEN
    RAISE EXCEPTION 'a company must be deleted by the transaction that begins to delete it';
  END IF;
  RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER require_company_deletion AFTER INSERT ON company_deletions
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_company_deletion();

SELECT run_as_owner(
  'log_changes()', 'report_low_stock()', 'begin_change_log()', 'forget_changes()', 'log_occurrences(text, change_action, uuid[], uuid[])',
  'delete_old_changes(uuid, integer, integer)',
  'record_security_event(text, json, uuid, uuid, uuid, text, text)', 'erase_user(uuid, uuid, uuid, text, text)',
  'begin_company_deletion(uuid)', 'delete_company_changes(uuid, integer)',
  'end_company_deletion(uuid, uuid[], uuid, text, text)'
);
