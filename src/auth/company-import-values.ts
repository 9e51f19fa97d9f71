// What an imported company has in place of the values in its archive.

/** The tables whose rows have numbers of the database, in the order of which they get new ones. */
export const sequences: Readonly<Record<string, string>> = {
  changes: 'changes_seq_seq',
  status_periods: 'status_periods_seq_seq',
};

/** The values of columns that are not those of the archive, in SQL; `given` is its row. */
export const replacedValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Rows that hold it come later. One that nothing holds is deleted after a day.
  files: {
    unheld_since: 'coalesce(given.unheld_since, now())',
    // Previews are made again.
    preview_status: `CASE WHEN given.preview_status IS NOT NULL THEN 'pending'::preview_status END`,
    preview_bytes: `'{}'`,
    preview_error: 'NULL',
    // What another scanner has found counts for nothing, as an archive can be changed.
    scan_status: 'NULL',
    scan_error: 'NULL',
  },
  // Files are read again: the archive has not their text.
  documents: {
    processing_status: `CASE WHEN given.file_id IS NULL THEN given.processing_status ELSE 'pending' END`,
    processing_error: 'NULL',
  },
  // Nobody has a link to it: those that were sent are of the other company.
  expected_packages: { token_hash: `sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid()), 'UTF8'))` },
  // The change that it was made for has another number here. What waits is emailed by the other company.
  notifications: {
    xid: '0',
    seq: '0',
    mail_status: `CASE given.mail_status WHEN 'pending' THEN 'none' ELSE given.mail_status END`,
  },
  // The only ids that are unique without their company. The beginning, which is the time, stays.
  security_events: {
    id: `CASE WHEN EXISTS (SELECT FROM security_events AS other WHERE other.id = given.id)
      THEN overlay(given.id::text PLACING right(gen_random_uuid()::text, 12) FROM 25)::uuid ELSE given.id END`,
  },
};
