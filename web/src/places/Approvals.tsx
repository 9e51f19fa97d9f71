import { Text } from '@mantine/core';
import { Link } from '../app/Link.tsx';
import { useCompany } from '../console/company.ts';
import { useCollections } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, usePlaceData, Waiting } from '../console/Place.tsx';
import { formatNumber } from '../format.ts';
import { t } from '../texts/places-approvals.ts';
import { Trans } from '../texts/Trans.tsx';
import { inSentence } from '../texts/texts.ts';
import { type Data, decidable, kinds, overfull, shownOfKind } from './approvals/decisions.ts';
import { OneDecision } from './approvals/OneDecision.tsx';

const query = `query Approvals { ${Object.values(kinds)
  .map(({ list }) => list)
  .join('\n')} }`;

const types = Object.values(kinds).map(({ type }) => type);

/** One inbox of what waits for this person's decision. */
export default function ApprovalsPlace() {
  const collections = useCollections();
  return types.every((type) => collections.has(type)) ? <Approvals /> : <Missing />;
}

function Approvals() {
  const { data, error } = usePlaceData<Data>('approvals', query, types);
  const entries = data && decidable(data);
  return (
    <Place title={t('approvals')}>
      {entries ? (
        <>
          <Text role="status">
            {entries.length === 0 ? t('nothingWaitsForYourDecision') : t('decisionsToMake', { count: entries.length })}
          </Text>
          {overfull(data).map(({ kind, count }) => (
            <More key={kind.type} type={kind.type} status={kind.waits} count={count} />
          ))}
          <ul className="list">
            {entries.map((entry) => (
              <li key={entry.row.id}>
                <OneDecision entry={entry} />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Waiting error={error} />
      )}
    </Place>
  );
}

/** Says that more rows wait than are shown here, and leads to all of them. */
function More({ type, status, count }: { readonly type: string; readonly status: string; readonly count: number }) {
  const { slug } = useCompany();
  const collection = useCollections().get(type);
  if (!collection?.page) return null;
  const name = inSentence(collection.plural);
  return (
    <Text size="sm">
      <Trans
        t={t}
        name="moreWait"
        values={{ count: formatNumber(count), name, shown: shownOfKind }}
        components={{
          all: (
            <Link
              to="/c/$company/$collection"
              params={{ company: slug, collection: collection.page }}
              search={{ filter: { status: { in: [status] } } }}
            />
          ),
        }}
      />
    </Text>
  );
}
