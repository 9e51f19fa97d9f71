import { Code, Table, Text } from '@mantine/core';
import { inline } from '../components/Markdown.tsx';
import { formatChoice } from '../format.ts';
import { t } from '../texts/docs.ts';
import type { Reference, Schema } from './openapi.ts';

/** A row of the table: a parameter, or a field of a body. */
interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

interface Props {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly resolve: Reference['resolve'];
}

/** A table of parameters or fields. */
export function Fields({ title, fields, resolve }: Props) {
  return (
    <Table.ScrollContainer
      minWidth={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': title } }}
    >
      <Table aria-label={title} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('name')}</Table.Th>
            <Table.Th scope="col">{t('type')}</Table.Th>
            <Table.Th scope="col">{t('description')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ name, isRequired, schema, description }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                <Code>{name}</Code>
                {isRequired && <Text size="sm">{t('required')}</Text>}
              </Table.Th>
              <Table.Td>{typeOf(schema, resolve)}</Table.Td>
              <Table.Td>{inline(describe(schema, resolve, description), () => undefined)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The fields of an object, those of objects inside it after them as `parent.field`. */
export function fieldsOf(schema: Schema, resolve: Reference['resolve'], prefix = ''): Field[] {
  const object = objectIn(schema, resolve);
  // No object of the API is nested deeper than this.
  if (!object?.properties || prefix.split('.').length > 3) return [];
  return Object.entries(object.properties).flatMap(([key, property]) => {
    const name = prefix + key;
    const isRequired = object.required?.includes(key) ?? false;
    return [{ name, isRequired, schema: property }, ...fieldsOf(property, resolve, `${name}.`)];
  });
}

/** The object that a schema allows, or that its items are. */
function objectIn(schema: Schema, resolve: Reference['resolve']): Schema | undefined {
  const { properties, items, anyOf = [], ...rest } = resolve(schema);
  if (properties) return { properties, ...rest };
  return [...(items ? [items] : []), ...anyOf].map((part) => objectIn(part, resolve)).find(Boolean);
}

function typeOf(schema: Schema, resolve: Reference['resolve']): string {
  const { type = [], format, enum: values, items, anyOf } = resolve(schema);
  if (anyOf) return formatChoice([...new Set(anyOf.map((part) => typeOf(part, resolve)))]);
  if (values) return values.join(', ');
  if (items) return t('listOfItems', { items: typeOf(items, resolve) });
  const [name = t('any'), ...others] = typeof type === 'string' ? [type] : type;
  return formatChoice([format && !/^(int|double|float)/.test(format) ? format : name, ...others]);
}

function describe(schema: Schema, resolve: Reference['resolve'], description?: string): string {
  const { description: own, default: initial, maxLength, minimum, maximum } = { ...resolve(schema), ...schema };
  const limits = [
    initial !== undefined && t('defaultsToInitial', { initial }),
    maxLength !== undefined && maxLength < 20_000 && t('atMostMaxLengthCharacters', { maxLength }),
    minimum !== undefined &&
      maximum !== undefined &&
      Math.abs(maximum) < 2 ** 31 - 1 &&
      t('minimumToMaximum', { minimum, maximum }),
  ];
  return [description ?? own, ...limits].filter(Boolean).join(' ');
}
