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
    query: `# Where the work is: requests by status and priority, those that are open by building, and how many came each month.
query WhereTheWorkIs {
  byStatus: serviceRequestAggregates(groupBy: [STATUS, PRIORITY], sort: STATUS, order: ASC) {
    key { status priority }
    count
  }
  openByBuilding: serviceRequestAggregates(filter: { status: [PENDING, IN_PROGRESS] }, groupBy: [BUILDING_ID]) {
    key { building { name } }
    count
    min { createdAt }
  }
  byMonth: serviceRequestAggregates(groupBy: [CREATED_AT_MONTH], sort: CREATED_AT_MONTH, order: ASC) {
    key { createdAtMonth }
    count
  }
}
`,
    variables: '{}',
  },
  {
    query: `# What was spent with whom, the most first, and when.
query Spend($status: [InvoiceStatus!]) {
  byVendor: invoiceAggregates(filter: { status: $status }, groupBy: [VENDOR_ID], sort: SUM_AMOUNT, first: 10) {
    key { vendor { companyName } }
    count
    sum { amount }
    avg { amount }
  }
  byVendorAndMonth: invoiceAggregates(filter: { status: $status }, groupBy: [ISSUED_DATE_MONTH, VENDOR_ID], sort: ISSUED_DATE_MONTH) {
    key { issuedDateMonth vendor { companyName } }
    sum { amount }
  }
}
`,
    variables: JSON.stringify({ status: ['PENDING', 'APPROVED', 'PAID'] }, null, 2),
  },
  {
    query: `# Where stock runs low, how much is there of each category, and what the assets in use cost.
query StockAndAssets {
  lowStock: inventoryItemAggregates(filter: { lowStock: true, status: ACTIVE }, groupBy: [LOCATION_ID]) {
    key { location { name } }
    count
    sum { quantity reorderPoint }
  }
  stock: inventoryItemAggregates(filter: { status: ACTIVE }, groupBy: [CATEGORY], sort: SUM_QUANTITY) {
    key { category }
    count
    sum { quantity }
  }
  assets: assetAggregates(filter: { status: ACTIVE }, groupBy: [CONDITION], sort: CONDITION, order: ASC) {
    key { condition }
    count
    sum { purchasePrice }
    min { purchaseDate }
  }
}
`,
    variables: '{}',
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
