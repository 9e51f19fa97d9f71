// The requests of the page, and what is done with one of them.

import { queryOptions, useMutation } from '@tanstack/react-query';
import {
  type QueuedRequestFragment,
  RequestQueueDocument,
  type RequestStatus,
  type ServiceRequestFilter,
  TriageRequestDocument,
  type UpdateServiceRequestInput,
} from '../../api/generated/graphql.ts';
import { execute } from '../../api/graphql.ts';
import { queryClient } from '../../app/query-client.ts';
import type { Filter } from '../../app/search.ts';
import { showDone, showProblem } from '../../console/notices.tsx';
import { forgetRows } from '../../console/writes.ts';
import { pollEvery } from '../../live/polling.ts';
import { t } from '../../texts/places-requests.ts';
import { openRequests, type RequestsSearch } from './search.ts';

export type QueuedRequest = QueuedRequestFragment;

/** Requests that are shown together: all of them, or those of a status. */
export interface RequestGroup {
  readonly status?: RequestStatus;
  readonly totalCount: number;
  readonly nodes: readonly QueuedRequest[];
}

/** How often (ms) the requests in view are read again where no stream tells of changes. */
const everyMs = 30_000;

// The service checks what the address says.
const asFilter = (filter: Filter) => filter as ServiceRequestFilter;

/** The rows of a status that a filter finds. */
const ofStatus = ({ status: _, ...filter }: Filter, status: RequestStatus): ServiceRequestFilter =>
  asFilter({ ...filter, status: { eq: status } });

const byUrgency = [{ field: 'PRIORITY', direction: 'DESC' }, { field: 'CREATED_AT' }] as const;
const byCompletion = [{ field: 'COMPLETED_AT', direction: 'DESC' }] as const;

/** How many requests the list shows, and each column of the board. */
const [listed, inColumn] = [100, 30];

// A request for each column: a search costs so much that one for all would be refused.
const readBoard = ({ filter = {}, search }: RequestsSearch): Promise<readonly RequestGroup[]> =>
  Promise.all(
    (['PENDING', 'IN_PROGRESS', 'COMPLETED'] as const).map(async (status) => {
      const orderBy = status === 'COMPLETED' ? byCompletion : byUrgency;
      const variables = { first: inColumn, filter: ofStatus(filter, status), search, orderBy };
      return { status, ...(await execute(RequestQueueDocument, variables)).serviceRequests };
    }),
  );

async function readList({ filter = openRequests, search }: RequestsSearch): Promise<readonly RequestGroup[]> {
  const variables = { first: listed, filter: asFilter(filter), search, orderBy: byUrgency };
  return [(await execute(RequestQueueDocument, variables)).serviceRequests];
}

/** The requests that the address asks for, most urgent first, and among them the oldest. */
export const queueQuery = (state: RequestsSearch) =>
  queryOptions({
    queryKey: ['requests', state],
    queryFn: () => (state.view === 'board' ? readBoard(state) : readList(state)),
    placeholderData: (previous: readonly RequestGroup[] | undefined) => previous,
    meta: { types: ['ServiceRequest'] },
    refetchInterval: pollEvery(everyMs),
  });

/** A change of one request. */
export interface Triage {
  readonly request: QueuedRequest;
  readonly input: UpdateServiceRequestInput;
  /** What the person is told when it is done. */
  readonly done: string;
  /** The fields that the page shows meanwhile, beside those of the input. */
  readonly shown?: Partial<QueuedRequest>;
}

const write = async (id: string, input: UpdateServiceRequestInput, ifMatch?: string) =>
  (await execute(TriageRequestDocument, { id, input, ifMatch })).updateServiceRequest;

/** Shows a request as it will be, in the column of its status. */
function show(changed: QueuedRequest) {
  queryClient.setQueriesData<readonly RequestGroup[]>({ queryKey: ['requests'] }, (groups) =>
    groups?.map((group) => {
      const has = group.nodes.some(({ id }) => id === changed.id);
      if (group.status && group.status !== changed.status)
        return has
          ? {
              ...group,
              totalCount: group.totalCount - 1,
              nodes: group.nodes.filter(({ id }) => id !== changed.id),
            }
          : group;
      if (has) return { ...group, nodes: group.nodes.map((node) => (node.id === changed.id ? changed : node)) };
      return group.status ? { ...group, totalCount: group.totalCount + 1, nodes: [changed, ...group.nodes] } : group;
    }),
  );
}

/** Changes a request, which is shown at once; what somebody else has changed meanwhile is not overwritten. */
export const useTriage = () =>
  useMutation({
    mutationFn: ({ request, input }: Triage) => write(request.id, input, request.etag),
    onMutate: async ({ request, input, shown }) => {
      await queryClient.cancelQueries({ queryKey: ['requests'] });
      show({
        ...request,
        ...(input.status && { status: input.status }),
        ...(input.assignedTo !== undefined && { assignedTo: input.assignedTo }),
        ...shown,
      });
    },
    onSuccess: (changed, { request, input, done }) => {
      show(changed);
      const before = Object.fromEntries(Object.keys(input).map((name) => [name, request[name as keyof QueuedRequest]]));
      showDone(done, async () => {
        show(await write(request.id, before, changed.etag));
        await forgetRows();
      });
    },
    onError: (error, { request }) => {
      show(request);
      showProblem(t('couldntChangeTitle', { title: request.title }), error);
    },
    onSettled: () => forgetRows(),
  });
