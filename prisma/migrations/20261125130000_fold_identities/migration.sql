-- Addresses and names of erased users are found in any case, whatever the locale of the database: in Turkish the lower
-- case of I is no i, and in C that of Ä is Ä.

CREATE FUNCTION lower_case(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(value COLLATE "und-x-icu");

-- Replaces a member of a row's image if it is one of the texts, which are in lower case.
CREATE OR REPLACE FUNCTION replace_text(image jsonb, member text, texts text[], replacement text) RETURNS jsonb
IMMUTABLE LANGUAGE sql AS $$
  SELECT CASE WHEN lower_case(image ->> member) = ANY (texts)
    THEN image || jsonb_build_object(member, replacement) ELSE image END
$$;

-- Replaces the name, the address and the picture of a deactivated user, in their company and its sandbox: in their own
-- rows and in the rows and logged images that their id or their address identifies as theirs. What others wrote stays.
-- Returns their addresses, also former ones, in lower case.
--   actor  who erases them, from the address and with the browser that follow
CREATE OR REPLACE FUNCTION erase_user(company uuid, person uuid, actor uuid, address text, browser text) RETURNS text[]
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
  SELECT array_agg(DISTINCT lower_case(name)) FILTER (WHERE name <> ''), array_agg(DISTINCT lower_case(email)) FILTER (
    -- A former address may be somebody else's by now.
    WHERE email <> '' AND NOT EXISTS (SELECT FROM people WHERE people.email = lower_case(identities.email) AND id <> person)
  ) INTO names, addresses FROM identities;
  is_sender := EXISTS (SELECT FROM companies WHERE id = ANY (tenants) AND lower_case(email_reply_to) = ANY (addresses))
    OR EXISTS (
      SELECT FROM changes, unnest(ARRAY[before, after]) AS image
      WHERE company_id = ANY (tenants) AND row_id = ANY (tenants) AND table_name = 'companies'
        AND lower_case(image ->> 'email_reply_to') = ANY (addresses)
    );

  -- These updates are logged, with the values before them: the log comes last.
  UPDATE users SET full_name = erased_name, email = erased_address, avatar_url = NULL, updated_at = clock_timestamp()
  WHERE company_id = ANY (tenants) AND id = person;
  UPDATE people SET full_name = erased_name, email = erased_address, email_verified_at = NULL,
    two_factor_enabled = false, updated_at = clock_timestamp()
  WHERE id = person;
  UPDATE companies SET
    email_reply_to = CASE WHEN lower_case(email_reply_to) = ANY (addresses) THEN NULL ELSE email_reply_to END,
    email_sender_name = CASE WHEN lower_case(email_sender_name) = ANY (names) THEN NULL ELSE email_sender_name END,
    updated_at = clock_timestamp()
  WHERE id = ANY (tenants) AND is_sender
    AND (lower_case(email_reply_to) = ANY (addresses) OR lower_case(email_sender_name) = ANY (names));
  UPDATE expected_packages SET guest_name = erased_name, guest_email = erased_address, updated_at = clock_timestamp()
  WHERE company_id = ANY (tenants) AND lower_case(guest_email) = ANY (addresses);

  UPDATE changes SET before = replace_members(before, erased_user), after = replace_members(after, erased_user)
  WHERE company_id = ANY (tenants) AND table_name = 'users' AND row_id = person;
  UPDATE changes SET
    -- Of an update, it has the changed columns alone.
    before = CASE WHEN lower_case((coalesce(after, '{}') || before) ->> 'guest_email') = ANY (addresses)
      THEN replace_members(before, erased_guest) ELSE before END,
    after = CASE WHEN lower_case(after ->> 'guest_email') = ANY (addresses)
      THEN replace_members(after, erased_guest) ELSE after END
  WHERE company_id = ANY (tenants) AND table_name = 'expected_packages'
    AND (lower_case(before ->> 'guest_email') = ANY (addresses) OR lower_case(after ->> 'guest_email') = ANY (addresses));
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
      WHEN key IN ('email', 'emailReplyTo') AND lower_case(value #>> '{}') = ANY (addresses) THEN to_json(erased_address)
      WHEN key = 'emailSenderName' AND is_sender AND lower_case(value #>> '{}') = ANY (names) THEN to_json(erased_name)
      ELSE value END ORDER BY place)
    FROM json_each(details) WITH ORDINALITY AS member (key, value, place)
  )
  WHERE company_id = ANY (tenants) AND (
    lower_case(details ->> 'email') = ANY (addresses) OR lower_case(details ->> 'emailReplyTo') = ANY (addresses)
      OR is_sender AND lower_case(details ->> 'emailSenderName') = ANY (names)
  );
  PERFORM set_config('premises.erasing', '', true);
  PERFORM record_security_event('user_erased', '{}', company, person, actor, address, browser);
  RETURN coalesce(addresses, '{}');
END
$$;

SELECT run_as_owner('erase_user(uuid, uuid, uuid, text, text)');
