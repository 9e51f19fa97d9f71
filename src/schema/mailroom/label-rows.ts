// What labels are about: assets, areas and packages, each with the address that its code leads to.
import { permits } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import { badRequest, insufficientScope } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { messages } from '../../input/index.ts';
import { findRowsById, type Resource, type Row } from '../../resource/index.ts';
import { Asset } from '../asset/asset.ts';
import { Area } from '../location/area.ts';
import { ExpectedPackage } from './expected-package.ts';
import type { Label } from './label-sheet.ts';

/** Maximum number of labels of a sheet. */
export const maxLabels = 300;

/** A kind of rows that have labels. */
interface LabelledRows {
  readonly resource: Resource;
  readonly select: Readonly<Record<string, unknown>>;
  /** The label of a row. @param base the address of the company's pages */
  readonly labelOf: (row: Row, base: string) => Label;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const texts = (...values: readonly unknown[]) => values.flatMap((value) => text(value) ?? []);

/** The kinds, by the name of the parameter that has their ids. */
export const labelled: Readonly<Record<string, LabelledRows>> = {
  assets: {
    resource: Asset,
    select: { id: true, assetName: true, model: true, serialNumber: true },
    labelOf: (row, base) => ({
      title: String(row['assetName']),
      lines: texts(row['model'], row['serialNumber']),
      address: `${base}/assets/${String(row['id'])}`,
    }),
  },
  areas: {
    resource: Area,
    select: { id: true, name: true, floor: true, buildingId: true, building: { select: { name: true } } },
    // Whoever scans the code on the wall has something to report.
    labelOf(row, base) {
      const building = row['building'] as { readonly name: string } | null;
      const [floor, room] = [text(row['floor']), String(row['name'])];
      const at = new URLSearchParams({ building: String(row['buildingId']), ...(floor && { floor }), room });
      return {
        title: room,
        lines: texts(building?.name, floor && `Floor ${floor}`, 'Scan to report a problem'),
        address: `${base}/report?${at.toString()}`,
      };
    },
  },
  packages: {
    resource: ExpectedPackage,
    select: { id: true, guestName: true, vendorName: true, trackingNumber: true },
    labelOf: (row, base) => ({
      title: String(row['guestName']),
      lines: texts(row['vendorName'], row['trackingNumber']),
      address: `${base}/expected-packages/${String(row['id'])}`,
    }),
  },
};

/**
 * Reads the labels of the rows that a request names, in its order.
 *
 * @param query the ids of each kind, separated by commas
 * @throws ServiceError BAD_REQUEST for none, too many, and rows that the caller cannot read; INSUFFICIENT_SCOPE
 */
export async function readLabels(query: Readonly<Record<string, string>>, context: Context): Promise<Label[]> {
  const asked = Object.entries(labelled).flatMap(([name, rows]) => {
    const ids = query[name]?.split(',').map((id) => id.trim().toLowerCase()) ?? [];
    if (!ids.every(isUuid)) throw badRequest(messages.uuid, name);
    return ids.length > 0 ? [{ name, ids, ...rows }] : [];
  });
  const count = asked.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count === 0) throw badRequest(`name the rows: ${Object.keys(labelled).join(', ')}`);
  if (count > maxLabels) throw badRequest(`A sheet has at most ${maxLabels} labels.`);
  const { caller, unscopedDb, files } = context;
  for (const { resource } of asked)
    if (!permits(caller, `${resource.scope}:read`)) throw insufficientScope(`${resource.scope}:read`);
  // A company is no row of a company.
  const { slug } = await unscopedDb.company.findFirstOrThrow({
    where: { id: caller.companyId },
    select: { slug: true },
  });
  const base = `${files?.publicUrl ?? ''}/c/${slug}`;
  const labels: Label[] = [];
  for (const { name, ids, resource, select, labelOf } of asked) {
    const rows = await findRowsById(resource, [...new Set(ids)], context, { select });
    const byId = new Map(rows.map((row) => [row['id'], row]));
    for (const id of ids) {
      const row = byId.get(id);
      if (!row) throw badRequest(`${id} is no ${resource.words.noun}`, name);
      labels.push(labelOf(row, base));
    }
  }
  return labels;
}
