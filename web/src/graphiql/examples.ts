/** The queries that GraphiQL opens with, one per tab. */
export const exampleTabs = [
  {
    query: `# The latest open requests with their assignee, latest comments and watchers.
query LatestRequests {
  serviceRequests(first: 10, filter: { status: { in: [PENDING, IN_PROGRESS] } }) {
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
    query: `# Items below their reorder point, with their latest purchase orders and the vendors to call.
query LowStock {
  inventoryItems(first: 10, filter: { lowStock: { eq: true }, status: { eq: ACTIVE } }, orderBy: [{ field: NAME }]) {
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
    query: `# The active assets of a building that have overdue maintenance, with that maintenance.
query OverdueMaintenance($building: String!) {
  assets(
    first: 20
    filter: {
      building: { code: { eq: $building } }
      status: { eq: ACTIVE }
      maintenance: { some: { status: { eq: OVERDUE } } }
    }
    orderBy: [{ field: ASSET_NAME }]
  ) {
    nodes {
      assetName
      condition
      building { name }
      assignee { fullName }
      maintenance(first: 5, filter: { status: { eq: OVERDUE } }) { nodes { scheduledDate maintenanceType description estimatedCost } }
    }
  }
}
`,
    variables: JSON.stringify({ building: 'LL' }, null, 2),
  },
  {
    query: `# Service requests by status and priority, open requests by building, and requests created per month.
query WhereTheWorkIs {
  serviceRequests {
    byStatus: aggregates { key { status priority } count }
    byMonth: aggregates { key { createdAt { month } } count resolutionHours { avg percentile(p: 0.9) } }
  }
  open: serviceRequests(filter: { status: { ne: COMPLETED } }) {
    byBuilding: aggregates(orderBy: [{ field: "count", direction: DESC }]) {
      key { building { name } }
      count
      createdAt { min }
    }
  }
}
`,
    variables: '{}',
  },
  {
    query: `# Spending by vendor, largest first, and by vendor and month.
query Spend($status: [InvoiceStatus!]) {
  invoices(filter: { status: { in: $status } }) {
    byVendor: aggregates(orderBy: [{ field: "amount.sum", direction: DESC }], first: 10) {
      key { vendor { id companyName } }
      count
      amount { sum avg }
    }
    byMonthAndVendor: aggregates {
      key { issuedDate { month } vendor { companyName } }
      amount { sum }
    }
  }
}
`,
    variables: JSON.stringify({ status: ['PENDING', 'APPROVED', 'PAID'] }, null, 2),
  },
  {
    query: `# Low stock by location, stock by category, and the purchase price of active assets by condition.
query StockAndAssets {
  lowStock: inventoryItems(filter: { lowStock: { eq: true }, status: { eq: ACTIVE } }) {
    byLocation: aggregates { key { location { name } } count stockValue { sum } }
  }
  stock: inventoryItems(filter: { status: { eq: ACTIVE } }) {
    byCategory: aggregates(orderBy: [{ field: "stockValue.sum", direction: DESC }]) { key { category } count stockValue { sum } }
  }
  assets(filter: { status: { eq: ACTIVE } }) {
    byCondition: aggregates { key { condition } count purchasePrice { sum } purchaseDate { min } }
  }
}
`,
    variables: '{}',
  },
  {
    query: `# Create a service request. Requires scope service_requests:write.
mutation NewRequest($input: CreateServiceRequestInput!) {
  createServiceRequest(input: $input) { id title status priority createdAt }
}
`,
    variables: JSON.stringify({ input: { title: 'The lobby light flickers', priority: 'HIGH', floor: '1' } }, null, 2),
  },
  {
    query: `# Start work on a service request: paste its id. The change is recorded in its activity history.
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
    query: `# Open requests as they change: run it, and change one in another tab. \`position\` is where to continue, as \`after\`.
subscription FollowRequests {
  serviceRequests(filter: { status: { ne: COMPLETED } }) {
    change { position action id changedFields actor { userId } }
    row { title status priority assignee { fullName } }
  }
}
`,
    variables: '{}',
  },
  {
    query: `# How scopes apply: with a token that has only service_requests:read, \`assignee\` and \`building\` are null,
# each with an INSUFFICIENT_SCOPE error at its path. The rest of the response is complete.
query WhatScopesDo {
  serviceRequests(first: 3) {
    nodes { title assignee { fullName } building { name } }
  }
}
`,
    variables: '{}',
  },
];
