// Queries about a resource, written from its definition.

import type { DefinitionQuery } from '../api/generated/graphql.ts';
import { t } from '../texts/graphiql.ts';
import { inSentence } from '../texts/texts.ts';

/** What is asked of a resource. */
type Definition = Pick<
  NonNullable<DefinitionQuery['resources']>[number],
  'plural' | 'listField' | 'listFields' | 'titleField'
> & {
  readonly fields: readonly Pick<
    NonNullable<DefinitionQuery['resources']>[number]['fields'][number],
    'name' | 'label' | 'type' | 'control' | 'isList' | 'references' | 'relation' | 'isFilter'
  >[];
};

/** A query about a resource. */
interface Example {
  readonly label: string;
  readonly query: string;
}

const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Queries about a resource, which its definition says are useful. */
export function examplesOf({ plural, listField, listFields, fields, titleField }: Definition): Example[] {
  if (!listField) return [];
  const rows = inSentence(plural);
  const name = capitalize(listField);
  const plain = fields.filter(({ control, isList }) => control !== 'ITEMS' && !isList);
  const columns = listFields.filter((column) => plain.some((field) => field.name === column));
  const relation = fields.find((field) => field.relation && field.references === 'Building')?.relation;
  const choice = plain.find(({ control, isFilter }) => control === 'CHOICE' && isFilter);
  const time = plain.find((field) => field.name === 'createdAt') ?? plain.find(({ control }) => /^DATE/.test(control));
  const selected = ['id', ...columns.filter((column) => column !== 'id')].join(' ');
  return [
    {
      label: t('theLatestRows', { rows }),
      query: `query Latest${name} {\n  ${listField}(first: 10) {\n    totalCount\n    nodes { ${selected}${relation ? ` ${relation} { name }` : ''} }\n  }\n}\n`,
    },
    ...(choice
      ? [
          {
            label: t('pluralByLabel', { plural, label: inSentence(choice.label) }),
            query: `query ${name}By${capitalize(choice.name)} {\n  ${listField} {\n    aggregates { key { ${choice.name} } count }\n  }\n}\n`,
          },
          {
            label: t('pluralWithALabelThatYou', { plural, label: inSentence(choice.label) }),
            query: `query ${name}Of($${choice.name}: [${choice.type}!]) {\n  ${listField}(filter: { ${choice.name}: { in: $${choice.name} } }) {\n    totalCount\n    nodes { id ${titleField ?? ''} ${choice.name} }\n  }\n}\n`,
          },
        ]
      : []),
    ...(time
      ? [
          {
            label: t('pluralPerMonth', { plural }),
            query: `query ${name}PerMonth {\n  ${listField} {\n    aggregates { key { ${time.name} { month } } count }\n  }\n}\n`,
          },
        ]
      : []),
  ];
}
