/** A one-line summary of the service. */
export const shortAbout =
  'Facilities and workplace management: requests, locations, inventory, procurement, leases, fixed assets and more.';

/** What applies to every operation. */
export const about = `All data belongs to a company. An API token acts as one user of one company. The same data is available through GraphQL at
\`/graphql\`, including relations between resources.

**Responses** are JSON objects with \`data\` and \`meta\`; errors have \`error\` in place of \`data\`. \`meta.request_id\` equals the
\`X-Request-Id\` header. Ids are uuids, timestamps are ISO 8601 date-times in UTC, and dates are ISO 8601 calendar dates. Leading and
trailing whitespace in text is removed. Unknown parameters and fields are rejected with an error that names them.

**Lists** can be filtered by the fields they return. Separate several values with commas, or repeat the parameter, to match any of
them. Page through a list with \`limit\` and either \`cursor\` or \`offset\`. Send \`Accept: text/csv\` to get the list in CSV format.

**Updates**: PATCH changes only the fields in the request; null clears a field. It returns these and all other fields that changed.
DELETE also deletes the resources that belong to the deleted one, and fails with 409 if other resources refer to it.

**Safe retries and concurrency**: send an \`Idempotency-Key\` with a POST to retry it safely. Single resources have an \`ETag\`: send it
in \`If-None-Match\` to read a resource only if it changed, and in \`If-Match\` to change it only if nobody else has.

**Rate limits** apply per token and hour, and are returned in the \`X-RateLimit-*\` headers of every response. Requests over the limit
fail with 429 and a \`Retry-After\` header.

In addition to the operations listed here, HEAD works wherever GET does, and OPTIONS returns \`Allow\`. A method that a path does not
support fails with 405 and \`Allow\`; a URL and headers of more than 64 KiB, or more than 1,000 headers, fail with 431. An \`X-Request-Id\` sent by the client is kept.`;
