/** The current day (UTC), as SQL. */
export const today = `(now() AT TIME ZONE 'UTC')::date`;
/** Rows of a table that refer to a row `r` by a column. */
const of = (table: string, column: string) => `${table} x WHERE x.company_id = r.company_id AND x.${column} = r.id`;
const costs = (lines: string, column: string) =>
  `r.total_amount IS DISTINCT FROM (SELECT sum(x.quantity * x.unit_price) FROM ${of(lines, column)})`;
/** The latest value of a column in an asset's transfers. */
const lastMove = (column: string) =>
  `(SELECT ${column} FROM ${of('asset_transfers', 'asset_id')} ORDER BY x.created_at DESC LIMIT 1)`;

/** Invariants of the demo data: the name, and the violating rows as SQL after FROM. */
export const invariants: readonly [name: string, broken: string][] = [
  [
    'the stock is that of its last ledger entry',
    `inventory_items r WHERE r.quantity <> (SELECT x.quantity_after FROM ${of('stock_adjustments', 'item_id')} ORDER BY x.created_at DESC LIMIT 1)`,
  ],
  [
    'entries of a ledger have different times',
    `(SELECT 1 FROM stock_adjustments GROUP BY company_id, item_id, created_at HAVING count(*) > 1) AS tie`,
  ],
  [
    'a ledger has no gaps, and starts at zero',
    `(SELECT quantity_before, lag(quantity_after, 1, 0) OVER (PARTITION BY company_id, item_id ORDER BY created_at) AS last FROM stock_adjustments) AS step WHERE quantity_before <> last`,
  ],
  [
    'a ledger entry has the correct resulting stock',
    `stock_adjustments WHERE quantity_after < 0 OR quantity_after <> CASE type WHEN 'addition' THEN quantity_before + quantity WHEN 'removal' THEN quantity_before - quantity ELSE quantity END`,
  ],
  [
    'exactly the received goods are in the stock',
    `receiving_lines l JOIN receiving_records r ON r.company_id = l.company_id AND r.id = l.receiving_record_id
    WHERE (r.status = 'complete') <> EXISTS (SELECT 1 FROM ${of('stock_adjustments', 'receiving_record_id')} AND x.item_id = l.item_id AND x.type = 'addition' AND x.quantity = l.quantity)`,
  ],
  [
    'a ledger entry of a delivery has a receiving line',
    `stock_adjustments a WHERE receiving_record_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM receiving_lines l WHERE l.company_id = a.company_id AND l.receiving_record_id = a.receiving_record_id AND l.item_id = a.item_id)`,
  ],
  [
    'the status of an order matches its deliveries',
    `(SELECT r.status::text, sum(l.quantity) AS ordered, (
      SELECT coalesce(sum(came.quantity), 0) FROM receiving_lines came JOIN receiving_records d ON d.company_id = came.company_id AND d.id = came.receiving_record_id
      WHERE d.company_id = r.company_id AND d.purchase_order_id = r.id AND d.status = 'complete') AS came
    FROM purchase_orders r JOIN purchase_order_lines l ON l.company_id = r.company_id AND l.purchase_order_id = r.id GROUP BY r.company_id, r.id) AS o
    WHERE NOT CASE WHEN came = 0 THEN status IN ('draft', 'sent', 'cancelled') WHEN came < ordered THEN status = 'partially_received' ELSE status = 'received' END`,
  ],
  [
    'the total of a requisition is the sum of its lines',
    `requisitions r WHERE ${costs('requisition_lines', 'requisition_id')}`,
  ],
  [
    'the total of an order is the sum of its lines',
    `purchase_orders r WHERE ${costs('purchase_order_lines', 'purchase_order_id')}`,
  ],
  [
    'an order fulfills an approved requisition',
    `purchase_orders o JOIN requisitions r ON r.company_id = o.company_id AND r.id = o.requisition_id WHERE r.status <> 'approved' OR r.vendor_id <> o.vendor_id`,
  ],
  [
    'the counter of order numbers is at the last one',
    `counters c WHERE name = 'purchase_orders' AND value <> (SELECT max(substr(number, 4)::int) FROM purchase_orders o WHERE o.company_id = c.company_id)`,
  ],
  [
    'an invoice has the vendor of its order',
    `invoices i JOIN purchase_orders o ON o.company_id = i.company_id AND o.id = i.purchase_order_id WHERE o.vendor_id <> i.vendor_id`,
  ],
  [
    'a transfer starts at the location of its item',
    `inventory_transfers t JOIN inventory_items i ON i.company_id = t.company_id AND i.id = t.item_id WHERE t.from_location_id <> i.location_id`,
  ],
  [
    'exactly the ended leases are expired',
    `leases WHERE status <> 'terminated' AND (status = 'expired') <> coalesce(end_date < ${today}, false)`,
  ],
  ['a lease ends after its start', `leases WHERE end_date < start_date`],
  [
    'a payment is due during its lease',
    `lease_payments p JOIN leases r ON r.company_id = p.company_id AND r.id = p.lease_id WHERE p.due_date < r.start_date OR p.due_date > r.end_date`,
  ],
  ['no payment was made before its due date', `lease_payments WHERE status = 'paid' AND due_date > ${today}`],
  [
    'exactly late maintenance is overdue',
    `asset_maintenance WHERE status <> 'completed' AND (status = 'overdue') <> (scheduled_date < ${today})`,
  ],
  [
    'an asset is at the destination of its last transfer',
    `assets r WHERE EXISTS (SELECT 1 FROM ${of('asset_transfers', 'asset_id')}) AND (building_id, assigned_to) IS DISTINCT FROM (${lastMove('to_location')}, ${lastMove('to_user')})`,
  ],
  [
    'a transfer starts where the previous one ended',
    `(SELECT from_location, from_user, lag(to_location) OVER moves AS place, lag(to_user) OVER moves AS holder, lag(id) OVER moves AS last
    FROM asset_transfers WINDOW moves AS (PARTITION BY company_id, asset_id ORDER BY created_at)) AS step WHERE last IS NOT NULL AND (from_location, from_user) IS DISTINCT FROM (place, holder)`,
  ],
  [
    'a task is in a group of its checklist',
    `checklist_tasks t JOIN checklist_groups g ON g.company_id = t.company_id AND g.id = t.group_id WHERE g.checklist_id <> t.checklist_id`,
  ],
  [
    'a user has at most one open time record',
    `(SELECT 1 FROM time_clock_records WHERE clock_out_time IS NULL GROUP BY company_id, user_id HAVING count(*) > 1) AS twice`,
  ],
  [
    'exactly closed records have worked minutes',
    `time_clock_records WHERE worked_minutes IS DISTINCT FROM round(extract(epoch FROM clock_out_time - clock_in_time) / 60)`,
  ],
  [
    'a record ends after its start',
    `time_clock_records WHERE clock_out_time <= clock_in_time OR clock_out_time > now()`,
  ],
  [
    'a company has one default template',
    `companies r WHERE slug = 'demo' AND 1 <> (SELECT count(*) FROM label_templates x WHERE x.company_id = r.id AND is_default)`,
  ],
  [
    'exactly received packages have a time of receipt',
    `expected_packages WHERE (status = 'expected') <> (received_at IS NULL)`,
  ],
  [
    'a received package was scanned at that time',
    `expected_packages p WHERE received_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM scan_events s WHERE s.company_id = p.company_id AND s.tracking_number = p.tracking_number AND scanned_at = received_at)`,
  ],
  [
    'a desk is assigned if it has an active record',
    `desks r WHERE is_assigned <> EXISTS (SELECT 1 FROM ${of('workspace_records', 'active_desk_id')})`,
  ],
  [
    'a workspace record is active from its start to its end',
    `workspace_records WHERE active_desk_id IS DISTINCT FROM CASE WHEN COALESCE(start_date <= ${today}, true) AND COALESCE(end_date >= ${today}, true) THEN desk_id END`,
  ],
  [
    'only documents that require it are acknowledged',
    `hr_acknowledgments a JOIN hr_documents d ON d.company_id = a.company_id AND d.id = a.document_id WHERE NOT d.requires_acknowledgment OR a.acknowledged_at < d.created_at`,
  ],
  [
    'a completion passes with the passing score',
    `training_completions c JOIN training_programs p ON p.company_id = c.company_id AND p.id = c.training_program_id WHERE passed IS DISTINCT FROM (score >= passing_score)`,
  ],
  [
    'a month of AI usage is the sum of its events',
    `ai_usage_months m WHERE (requests, input_tokens, output_tokens, cost_usd) <> (
    SELECT count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd) FROM ai_usage_events e WHERE e.company_id = m.company_id AND e.feature = m.feature
      AND date_trunc('month', occurred_at, 'UTC') = date_trunc('month', m.month::timestamp AT TIME ZONE 'UTC', 'UTC'))`,
  ],
  [
    'a correct answer is one of the options',
    `training_questions WHERE cardinality(options) > 0 AND correct_answer <> ALL (options)`,
  ],
];
