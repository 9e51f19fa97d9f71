import { Badge, Code, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { inline } from '../components/Markdown.tsx';
import { t } from '../texts/docs.ts';
import { Fields, fieldsOf } from './Fields.tsx';
import type { Operation, Reference } from './openapi.ts';
import { TryIt } from './TryIt.tsx';

interface Props {
  readonly operation: Operation;
  readonly resolve: Reference['resolve'];
  readonly token: string;
}

/** An operation on one line, which opens to its parameters, bodies and responses. */
export function OperationDetails({ operation, resolve, token }: Props) {
  const { operationId, method, path, summary } = operation;
  const [isOpen, setIsOpen] = useState(location.hash === `#${operationId}`);
  return (
    <details
      id={operationId}
      className="operation"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        <span className="method">{method}</span> <code>{path}</code> <span lang="en">{summary}</span>
      </summary>
      {isOpen && <Content operation={operation} resolve={resolve} token={token} />}
    </details>
  );
}

function Content({ operation, resolve, token }: Props) {
  const { description, deprecated, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const bodyFields = body ? fieldsOf(body.schema, resolve) : [];
  const success = responses.find(({ status }) => status.startsWith('2'));
  const answer = success?.content?.['application/json']?.schema;
  const data = answer && (resolve(answer).properties?.['data'] ?? answer);
  // Responses have all of their fields, so "required" would add no information.
  const dataFields = data ? fieldsOf(data, resolve).map((field) => ({ ...field, isRequired: false })) : [];
  const example = answer && resolve(answer).examples?.[0];
  return (
    <Stack gap="sm" py="sm">
      <Text>
        {deprecated && <Badge color="orange">{t('deprecated')}</Badge>}{' '}
        <span lang="en">{inline(description, () => undefined)}</span>
      </Text>
      {parameters.length > 0 && (
        <>
          <Heading>{t('parameters')}</Heading>
          <Fields
            title={t('parameters')}
            resolve={resolve}
            fields={parameters.map(({ name, required = false, schema, content, description }) => ({
              name,
              isRequired: required,
              schema: schema ?? content?.['application/json']?.schema ?? {},
              description,
            }))}
          />
        </>
      )}
      {bodyFields.length > 0 && (
        <>
          <Heading>{t('requestBody')}</Heading>
          <Fields title={t('requestBody')} fields={bodyFields} resolve={resolve} />
        </>
      )}
      <Heading>{t('responses')}</Heading>
      <ul>
        {responses.map(({ status, description }) => (
          <li key={status}>
            <Code>{status}</Code> {inline(description, () => undefined)}
          </li>
        ))}
      </ul>
      {dataFields.length > 0 && <Fields title={t('fieldsOfData')} fields={dataFields} resolve={resolve} />}
      {example !== undefined && (
        <Code block mah={300} tabIndex={0} role="group" aria-label={t('exampleResponse')} style={{ overflow: 'auto' }}>
          {JSON.stringify(example, null, 2)}
        </Code>
      )}
      <Heading>{t('tryIt')}</Heading>
      <TryIt operation={operation} token={token} />
    </Stack>
  );
}

const Heading = ({ children }: { children: string }) => (
  <Title order={3} size="h5">
    {children}
  </Title>
);
