/** A list of each scope group, by its path. */
const lists: Readonly<Record<string, string>> = {
  service_requests: '/service-requests',
  move_requests: '/move-requests',
  inventory: '/inventory',
  checklists: '/checklists',
  leases: '/leases',
  paint: '/paints',
  procurement: '/procurement/requisitions',
  assets: '/assets',
  time_clock: '/time-clock/records',
  notes: '/notes',
  reminders: '/reminders',
  locations: '/locations/buildings',
  vendors: '/vendors',
  shipping: '/shipping',
  documents: '/documents',
  hr: '/hr/documents',
  training: '/training',
  butts_in_seats: '/butts-in-seats/desks',
  users: '/users',
  companies: '/companies',
};

/** The path of a REST request that a token with these scopes may send: a list, or the token itself if it reads none. */
export function examplePath(scopes: readonly string[]): string {
  const list = Object.entries(lists).find(([group]) =>
    [`${group}:read`, '*:read', '*'].some((scope) => scopes.includes(scope)),
  );
  return list ? `${list[1]}?limit=3` : '/token';
}
