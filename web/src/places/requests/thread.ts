// What has been said and done about a request, in one stream.
import { queryOptions } from '@tanstack/react-query';
import { RequestThreadDocument, type RequestThreadQuery } from '../../api/generated/graphql.ts';
import { execute } from '../../api/graphql.ts';
import { pollEvery } from '../../live/polling.ts';

export type Thread = NonNullable<RequestThreadQuery['serviceRequest']>;
type NodesOf<Name extends 'comments' | 'activity' | 'timeLogs' | 'attachments'> = NonNullable<
  Thread[Name]
>['nodes'][number];

export type ThreadFile = NodesOf<'attachments'>;

/** An entry of the stream. */
export type Entry =
  | { readonly kind: 'comment'; readonly at: string; readonly of: NodesOf<'comments'> }
  | { readonly kind: 'activity'; readonly at: string; readonly of: NodesOf<'activity'> }
  | { readonly kind: 'time'; readonly at: string; readonly of: NodesOf<'timeLogs'> }
  | { readonly kind: 'file'; readonly at: string; readonly of: ThreadFile };

/** The types of what a thread has. */
const threadTypes = [
  'ServiceRequest',
  'ServiceRequestComment',
  'ServiceRequestTimeLog',
  'ServiceRequestActivityEntry',
  'ServiceRequestWatcher',
];

export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: ['thread', id],
    queryFn: async () => (await execute(RequestThreadDocument, { id })).serviceRequest,
    meta: { types: threadTypes },
    refetchInterval: pollEvery(30_000),
  });

/** Activity that says again what another entry of the stream says. */
const isSaidElsewhere = (action: string) => action === 'COMMENTED' || action === 'TIME_LOGGED';

/** The entries of the stream, oldest first. */
export function entriesOf({ comments, activity, timeLogs, attachments }: Thread): readonly Entry[] {
  const entries: Entry[] = [
    ...(comments?.nodes ?? []).map((of) => ({ kind: 'comment' as const, at: of.createdAt, of })),
    ...(activity?.nodes ?? [])
      .filter(({ action }) => !isSaidElsewhere(action))
      .map((of) => ({ kind: 'activity' as const, at: of.createdAt, of })),
    ...(timeLogs?.nodes ?? []).map((of) => ({ kind: 'time' as const, at: of.createdAt, of })),
    ...(attachments?.nodes ?? []).map((of) => ({ kind: 'file' as const, at: of.createdAt, of })),
  ];
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
