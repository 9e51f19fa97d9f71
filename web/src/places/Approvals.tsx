import { Text } from '@mantine/core';
import { useCollections } from '../console/definitions.ts';
import { Missing } from '../console/Missing.tsx';
import { Place, usePlaceData, Waiting } from '../console/Place.tsx';

import { t } from '../texts/places-approvals.ts';
import { type Data, decidable, kinds } from './approvals/decisions.ts';
import { OneDecision } from './approvals/OneDecision.tsx';

const query = `query Approvals { ${Object.values(kinds)
  .map(({ list }) => list)
  .join('\n')} }`;

/** One inbox of what waits for this person's decision. */
export default function ApprovalsPlace() {
  const collections = useCollections();
  return Object.values(kinds).every(({ type }) => collections.has(type)) ? <Approvals /> : <Missing />;
}

function Approvals() {
  const { data, error } = usePlaceData<Data>('approvals', query);
  const entries = data && decidable(data);
  return (
    <Place title={t('approvals')}>
      {entries ? (
        <>
          <Text role="status">
            {entries.length === 0 ? t('nothingWaitsForYourDecision') : t('decisionsToMake', { count: entries.length })}
          </Text>
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
