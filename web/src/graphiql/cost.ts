import { formatNumber } from '../format.ts';
import { t } from '../texts/graphiql.ts';
import { activeTab, bodyOf, senderFor } from './download.ts';
import { actionButton, type ShowMessage } from './elements.ts';

interface CostAnswer {
  readonly errors?: readonly { readonly message: string }[];
  readonly extensions?: { readonly cost?: { readonly counted: number; readonly limit: number } };
}

/** Creates a button that says what the shown query would cost, without running it. */
export const costButton = (authorization: () => string | undefined, showMessage: ShowMessage) =>
  actionButton(t('cost'), showMessage, async () => {
    const request = new Request('/graphql?cost=only', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(await activeTab())),
    });
    const response = await senderFor(authorization())(request);
    // The service answers each request of GraphQL with this.
    const { errors, extensions } = (await response.json()) as CostAnswer;
    const [error] = errors ?? [];
    const cost = extensions?.cost;
    const said = cost && t('costsCountedOfLimit', { counted: format(cost.counted), limit: format(cost.limit) });
    showMessage([said, error?.message].filter(Boolean).join(' '));
  });

const format = formatNumber;
