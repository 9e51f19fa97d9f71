-- A position of another log, 00000000.0.0, in place of none: what happened before is not news, and reading goes on at the end.
-- Older instances: read a position of another log so too.
UPDATE notification_positions SET position = 'MDAwMDAwMDAuMC4w' WHERE position = '';
