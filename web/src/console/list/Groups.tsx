import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Filter, ListSearch } from '../../app/search.ts';
import { useMeta } from '../../components/useMeta.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { inSentence } from '../../texts/texts.ts';
import { type Definition, type Field, fieldOf, useCollections } from '../definitions.ts';
import { groupsQuery, type Row } from '../rows.ts';
import { textOf } from '../text.ts';
import { titleOf } from '../value-text.ts';

interface Props {
  readonly definition: Definition;
  readonly state: ListSearch;
  readonly onChoose: (filter: Filter) => void;
}

/** The groups of a list with the number of their rows. Each filters the list by its value. */
export default function Groups({ definition, state, onChoose }: Props) {
  const collections = useCollections();
  const field = fieldOf(definition, state.group ?? '');
  const { data: groups = [] } = useQuery({
    ...groupsQuery(definition, state, field, collections),
    placeholderData: (previous) => previous,
  });
  if (!field) return null;
  return (
    <Group gap={6} role="group" aria-label={t('byLabel', { label: inSentence(field.label) })}>
      {groups.map(({ count, key }) => {
        const value = key[field.name];
        const condition =
          value === null ? { isNull: true } : field.control === 'CHECKBOX' ? { eq: value } : { in: [value] };
        return (
          <Button key={textOf(value)} size="xs" variant="default" onClick={() => onChoose({ [field.name]: condition })}>
            <GroupName field={field} groupKey={key} />: {formatNumber(count)}
          </Button>
        );
      })}
    </Group>
  );
}

function GroupName({
  field,
  groupKey,
}: {
  readonly field: Field;
  readonly groupKey: Readonly<Record<string, unknown>>;
}) {
  const meta = useMeta();
  const target = useCollections().get(field.references ?? '');
  const value = groupKey[field.name];
  if (value === null) return t('none');
  if (field.control === 'CHOICE') return meta.label(field.type, textOf(value));
  if (field.control === 'CHECKBOX') return value === true ? t('yes') : t('no');
  const related = field.relation ? (groupKey[field.relation] as Row | null | undefined) : undefined;
  return target && related ? titleOf(target, related) : textOf(value);
}
