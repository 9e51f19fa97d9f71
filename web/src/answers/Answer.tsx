import { Alert } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SavedQuery } from '../api/saved-queries.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { answerQuery, explain } from './answer.ts';
import type { ReadQuery } from './document.ts';
import { type Source, sourceOf } from './links.ts';
import { type Part, partsOf } from './parts.ts';

interface Props {
  readonly saved: SavedQuery;
  readonly query: ReadQuery;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Shows the parts of the answer. */
  readonly children: (parts: readonly Part[], sourceOf: (part: Part) => Source | undefined) => ReactNode;
}

/** The answer to a saved query, as the person may read it. */
export function Answer({ saved, query, variables, children }: Props) {
  const { data, error } = useQuery({
    ...answerQuery(saved, query.name, variables),
    placeholderData: keepPreviousData,
  });
  if (error) return <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert>;
  if (!data) return <LoadingSkeleton />;
  const problem = explain(data.errors);
  return (
    <>
      {problem && (
        <Alert title={problem.title} role="status">
          {problem.text}
        </Alert>
      )}
      {data.data && children(partsOf(data.data), (part) => sourceOf(query, part, variables))}
    </>
  );
}
