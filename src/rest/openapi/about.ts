/** What the service is, in a line. */
export const shortAbout =
  'Facilities and workplace management: requests, places, stock, leases, assets and what goes with them.';

/** What holds for every operation (spec §1, §4 Conventions, §7, §8). */
export const about = `Everything belongs to a company, and a token acts as one user of one company. The same service is there as GraphQL at
\`/graphql\`, with every relation to follow.

**Bodies** are JSON: \`data\` and \`meta\`, whose \`request_id\` is the \`X-Request-Id\` of the answer; errors have \`error\` in the
place of \`data\`. Ids are uuids, timestamps ISO 8601 in UTC, dates ISO 8601 calendar days. Text is stored without the spaces
around it. Unknown parameters and fields are refused, and named.

**Lists** filter by the fields they show; several values are separated by commas, or given by repeating the parameter, and mean
any of them. Pages go by \`limit\` and \`cursor\`, or \`offset\`. \`Accept: text/csv\` asks for the list as CSV.

**Changes**: PATCH changes the fields that are given, and answers with them; null clears one. DELETE deletes what the resource
owns, and is refused with 409 while others refer to it.

**Once and in order**: \`Idempotency-Key\` makes a POST safe to repeat. What is read has an \`ETag\`: \`If-None-Match\` asks whether it
is still so, and \`If-Match\` changes it only then.

**Limits** count requests by the hour and token, in the \`X-RateLimit-*\` headers of every answer; beyond them there is 429 with
\`Retry-After\`.

Beyond what the operations list, HEAD works wherever GET does, OPTIONS answers with \`Allow\`, and a method that an address does
not take is 405 with \`Allow\`; an address and headers over 64 KiB are 431. A client's own \`X-Request-Id\` is kept.`;
