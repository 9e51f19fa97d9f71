-- Older instances: erase people by this function too, in the same way.
-- Names that were logged before text had one form are found in either form, as the logs keep what they were written.
CREATE OR REPLACE FUNCTION lower_case(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(normalize(value) COLLATE "und-x-icu");
