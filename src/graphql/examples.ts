/** Queries that GraphiQL opens with, one a tab. */
export const exampleTabs = [
  {
    query: `# The latest requests, each with who does it, the last remarks and who watches.
query LatestRequests {
  serviceRequests(first: 10, filter: { status: [PENDING, IN_PROGRESS] }) {
    totalCount
    nodes {
      id
      title
      status
      priority
      building { name }
      assignee { fullName }
      comments(first: 3) { totalCount nodes { comment author { fullName } createdAt } }
      watchers(first: 5) { nodes { fullName } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`,
    variables: '{}',
  },
  {
    query: `# What is running out, and the orders it is on: whether it is on its way, and whom to call.
query LowStock {
  inventoryItems(first: 10, filter: { lowStock: true, status: ACTIVE }, sort: NAME, order: ASC) {
    totalCount
    nodes {
      name
      quantity
      reorderPoint
      unit
      location { name }
      purchaseOrders(first: 2) { nodes { number status expectedDate vendor { companyName phone } } }
    }
  }
}
`,
    variables: '{}',
  },
  {
    query: `# A building's assets, and the maintenance of each that is overdue.
query OverdueMaintenance($building: String!) {
  buildings(filter: { code: [$building] }) {
    nodes {
      name
      assets(first: 20, filter: { status: ACTIVE }, sort: ASSET_NAME, order: ASC) {
        nodes {
          assetName
          condition
          assignee { fullName }
          maintenance(first: 5, filter: { status: OVERDUE }) { nodes { scheduledDate maintenanceType description estimatedCost } }
        }
      }
    }
  }
}
`,
    variables: JSON.stringify({ building: 'LL' }, null, 2),
  },
  {
    query: `# A new request. Needs service_requests:write.
mutation NewRequest($input: CreateServiceRequestInput!) {
  createServiceRequest(input: $input) { id title status priority createdAt }
}
`,
    variables: JSON.stringify({ input: { title: 'The lobby light flickers', priority: 'HIGH', floor: '1' } }, null, 2),
  },
  {
    query: `# Paste the id of a request. The change is recorded in its activity.
mutation StartWork($id: ID!) {
  updateServiceRequest(id: $id, input: { status: IN_PROGRESS }) {
    id
    status
    updatedAt
    activity(first: 3) { nodes { action fromValue toValue author { fullName } createdAt } }
  }
}
`,
    variables: JSON.stringify({ id: '' }, null, 2),
  },
  {
    query: `# What scopes do: with a token that holds service_requests:read alone, \`assignee\` and \`building\` are null,
# each with an INSUFFICIENT_SCOPE error at its path, and the rest of the answer stands.
query WhatScopesDo {
  serviceRequests(first: 3) {
    nodes { title assignee { fullName } building { name } }
  }
}
`,
    variables: '{}',
  },
];
