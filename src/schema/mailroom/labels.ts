import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../errors.ts';
import { defineField, defineFile, findRowsById, type Row } from '../../resource/index.ts';
import { addressOf } from '../files/addresses.ts';
import { isHolder } from '../files/links.ts';
import { labelled, maxLabels, readLabels } from './label-rows.ts';
import { drawLabels, labelSizeOf } from './label-sheet.ts';
import { LabelTemplate } from './label-template.ts';

/** How long (ms) links to sheets are valid. */
const validMs = 10 * 60_000;

const pathOf = (id: string) => `/mailroom/label-templates/${id}/labels`;

/** Sends labels on sheets of paper. */
const labelSheet = defineFile({
  does: 'send',
  field: 'labelSheet',
  path: pathOf(':id'),
  access: 'shipping:read',
  type: 'LabelTemplate',
  description: `Get labels with QR codes for assets, areas or expected packages: a PDF with at most ${maxLabels}.`,
  parameters: Object.entries(labelled).map(([name, { resource }]) => ({
    name,
    description: `IDs of ${resource.words.many}, separated by commas.`,
    maxLength: maxLabels * 37,
  })),
  mediaTypes: ['application/pdf'],
  link: 'labels',
  async run({ path, query }, context) {
    const select = { id: true, labelSize: true };
    const [template] = await findRowsById(LabelTemplate, [path['id'] ?? ''], context, { select });
    if (!template) throw notFound(LabelTemplate.words.noun);
    const size = labelSizeOf(template['labelSize'] as string | null);
    if (!size) throw conflict('The label size of this template is no size, such as 4x6 or 63x34 mm.');
    const labels = await readLabels(query, context);
    const pdf = Buffer.from(await drawLabels(labels, size));
    return { type: 'application/pdf', name: 'labels.pdf', content: partsOf(pdf) };
  },
});

async function* partsOf(pdf: Buffer): AsyncIterable<Buffer> {
  yield pdf;
}

const labelsUrl = defineField(LabelTemplate, 'labelsUrl', (t) =>
  t.field({
    type: 'String',
    nullable: true,
    description: 'Address of a sheet of labels for ten minutes. Add `&assets=`, `&areas=` or `&packages=` with IDs.',
    extensions: { rest: false },
    select: { id: true },
    async resolve(row: Row, _args: object, context: Context) {
      const { caller, fileLinks } = context;
      if (!fileLinks || !isHolder(caller)) return null;
      const id = String(row['id']);
      const link = await fileLinks.sign({ purpose: 'labels', id }, caller, new Date(Date.now() + validMs));
      return `${addressOf(pathOf(id), context)}?link=${link}`;
    },
  }),
);

/** Labels of rows, on sheets by a label template. */
export const labelOperations = [labelSheet, labelsUrl];
