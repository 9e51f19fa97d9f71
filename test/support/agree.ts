import type { Row } from './client.ts';

/** Makes dependent fields of a body consistent. */
export function agree(body: Row): void {
  // Inventory items are counted in whole ones.
  for (const line of (body['lineItems'] ?? body['line_items'] ?? []) as Row[])
    if ((line['itemId'] ?? line['item_id']) && line['quantity'])
      line['quantity'] = Math.round(Number(line['quantity']));
  for (const [lines, price, total] of [
    ['lineItems', 'unitPrice', 'totalAmount'],
    ['line_items', 'unit_price', 'total_amount'],
  ] as const) {
    const items = body[lines] as Record<string, number>[] | undefined;
    if (items && total in body)
      body[total] = Number(
        items.reduce((sum, line) => sum + (line['quantity'] ?? 0) * (line[price] ?? 0), 0).toFixed(4),
      );
  }
  const [option] = (body['options'] ?? []) as string[];
  for (const name of ['correctAnswer', 'correct_answer']) if (option && name in body) body[name] = option;
}
