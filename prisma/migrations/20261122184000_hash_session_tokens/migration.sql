-- Older instances: while they run beside newer ones, each asks those to sign in again who signed in at the other.
UPDATE sessions SET token = encode(sha256(convert_to(token, 'UTF8')), 'hex');
