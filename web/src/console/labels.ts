// Sheets of labels with QR codes, which the service draws by a template.
import { runQuery } from '../api/graphql.ts';
import { send } from '../api/http.ts';
import { saveResponse } from '../save.ts';
import { t } from '../texts/console.ts';

/** A template of labels. */
export interface LabelTemplate {
  readonly id: string;
  readonly name: string;
  readonly labelSize: string | null;
}

/** What a sheet calls the rows that labels are for, by their type. */
const parameters: Readonly<Record<string, string>> = { Asset: 'assets', Area: 'areas', ExpectedPackage: 'packages' };

/** Whether there are labels for rows of a type. */
export const hasLabels = (type: string): boolean => type in parameters;

/** How many labels a sheet may have. */
export const maxLabels = 300;

const templatesQuery = `query LabelTemplates {
  labelTemplates(first: 100, orderBy: [{ field: IS_DEFAULT, direction: DESC }, { field: NAME }]) {
    nodes { id name labelSize }
  }
}`;

/** The templates, the default one first. */
export const listLabelTemplates = async (): Promise<readonly LabelTemplate[]> =>
  (await runQuery<{ labelTemplates: { nodes: readonly LabelTemplate[] } }>(templatesQuery)).labelTemplates.nodes;

const sheetQuery = 'query LabelSheet($id: ID!) { labelTemplate(id: $id) { labelsUrl } }';

/**
 * Saves the labels of rows as a PDF.
 *
 * @param templateId of the template that says how large they are
 * @throws Error with the message of the service
 */
export async function saveLabels(templateId: string, type: string, ids: readonly string[]): Promise<void> {
  const { labelTemplate } = await runQuery<{ labelTemplate: { labelsUrl: string | null } | null }>(sheetQuery, {
    id: templateId,
  });
  if (!labelTemplate?.labelsUrl) throw new Error(t('theTemplateWasDeleted'));
  // On the host of the page, whatever address the service is known by.
  const { pathname, search } = new URL(labelTemplate.labelsUrl);
  const rows = `${parameters[type] ?? ''}=${ids.join(',')}`;
  await saveResponse(await send(new Request(`${pathname}${search}&${rows}`)), 'labels.pdf');
}
