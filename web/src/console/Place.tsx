import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runQuery } from '../api/graphql.ts';
import { ErrorAlert } from '../components/ErrorAlert.tsx';
import { LoadingSkeleton } from '../components/LoadingSkeleton.tsx';
import { usePageTitle } from '../components/usePageTitle.ts';
import { showDone, showProblem } from './notices.tsx';
import { forgetRows } from './writes.ts';

interface PlaceProps {
  readonly title: string;
  /** What stands beside the title, such as buttons. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A page that is made by hand for one kind of work. */
export function Place({ title, aside, children }: PlaceProps) {
  usePageTitle(title);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}

/** A part of a place. @param empty what to say where there is nothing */
export function Section({
  title,
  empty,
  children,
}: {
  readonly title: string;
  readonly empty?: string | false | undefined;
  readonly children?: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h4" mb={4}>
        {title}
      </Title>
      {empty ? <Text c="dimmed">{empty}</Text> : children}
    </section>
  );
}

/** A word about a row. Its text has the color of text: those of badges have too little contrast. */
export const Tag = ({ color = 'gray', children }: { readonly color?: string; readonly children: ReactNode }) => (
  <Badge variant="light" color={color} tt="none" fw={600} radius="sm" style={{ color: 'inherit' }}>
    {children}
  </Badge>
);

/**
 * Reads what a place shows. What is written by any page has it read again, and what others write to rows of the types.
 *
 * @param name the place, of which a query of other variables is another one
 */
export const usePlaceData = <Data,>(
  name: string,
  query: string,
  types: readonly string[],
  variables: object = {},
  { enabled = true }: { readonly enabled?: boolean } = {},
): UseQueryResult<Data> =>
  useQuery({
    queryKey: ['place', name, variables],
    meta: { types },
    queryFn: ({ signal }) => runQuery<Data>(query, variables, signal),
    placeholderData: keepPreviousData,
    enabled,
  });

/** What is shown until the data of a place is there, or if it cannot be read. */
export const Waiting = ({ error }: { readonly error: Error | null }): ReactNode =>
  error ? <ErrorAlert takeFocus={false}>{error.message}</ErrorAlert> : <LoadingSkeleton />;

/** The part of the address after the question mark: what a place shows, so that Back works and links can be sent. */
export function usePlaceSearch<Name extends string>(): readonly [
  Readonly<Partial<Record<Name, string>>>,
  (next: Readonly<Partial<Record<Name, string>>>) => void,
] {
  const given = useLocation({ select: ({ search }) => search }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const read = texts as Partial<Record<Name, string>>;
  // The routes of places declare no parameters: each place reads its own.
  return [read, (next) => void navigate({ to: '.', search: { ...texts, ...next } as never, replace: true })];
}

/** Runs a mutation that is written at run time, and has what it may change read again. */
export async function write<Data>(mutation: string, variables: object): Promise<Data> {
  const data = await runQuery<Data>(mutation, variables);
  await forgetRows();
  return data;
}

interface Write<Given, Result> {
  readonly run: (given: Given) => Promise<Result>;
  /** What is said once it is done. */
  readonly done: (given: Given, result: Result) => string;
  /** Takes it back. */
  readonly undo?: (given: Given, result: Result) => Promise<unknown>;
  /** What is said if it fails, before the reason. */
  readonly problem: string;
}

/** A write of a place: it says how it went, with a way back. */
export const useWrite = <Given, Result>({ run, done, undo, problem }: Write<Given, Result>) =>
  useMutation({
    mutationFn: run,
    onSuccess: (result, given) => showDone(done(given, result), undo && (() => undo(given, result))),
    onError: (error) => showProblem(problem, error),
  });
