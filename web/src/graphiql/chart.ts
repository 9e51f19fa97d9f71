import { t } from '../texts/graphiql.ts';
import { withTexts } from '../texts/texts.ts';
import { activeTab, bodyOf, senderFor } from './download.ts';
import { actionButton, element, type ShowMessage } from './elements.ts';

/** Creates a button that runs the shown query and draws its result beside GraphiQL. Once more, it draws it again. */
export const chartButton = (authorization: () => string | undefined, showMessage: ShowMessage) =>
  actionButton(t('chart'), showMessage, async () => {
    const tab = await activeTab();
    if (/^\s*(mutation|subscription)\b/m.test((tab.query ?? '').replaceAll(/#.*/g, '')))
      throw new Error(t('onlyQueriesAreDrawn'));
    const request = new Request('/graphql', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(tab)),
    });
    const [response, { drawResult }] = await Promise.all([
      senderFor(authorization())(request),
      // React and the charts, which GraphiQL opens without.
      withTexts(import('./chart-panel.tsx')),
    ]);
    const { data, errors } = (await response.json()) as {
      data?: Readonly<Record<string, unknown>> | null;
      errors?: readonly { readonly message: string }[];
    };
    if (errors?.[0]) showMessage(errors[0].message);
    if (!data) return;
    const panel = document.querySelector<HTMLElement>('#chart') ?? newPanel();
    drawResult(panel, data);
  });

/** A part of the page beside GraphiQL. */
function newPanel(): HTMLElement {
  const panel = element('section', {
    id: 'chart',
    className: 'premises-chart',
    ariaLabel: t('chartOfTheResult'),
    tabIndex: 0,
  });
  document.querySelector('#root')?.after(panel);
  const bar = document.querySelector('header');
  panel.style.setProperty('--bar-height', `${bar?.offsetHeight ?? 0}px`);
  return panel;
}
