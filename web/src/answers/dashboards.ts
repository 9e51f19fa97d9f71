// The dashboards that the person sees, and changes of one.

import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { changeDashboard, type Dashboard, listDashboards } from '../api/dashboards.ts';
import { showDone, showProblem } from '../console/notices.tsx';
import { t } from '../texts/answers.ts';

/** The dashboards that the person sees. */
export const dashboardsQuery = queryOptions({ queryKey: ['dashboards'], queryFn: listDashboards });

/** How many tiles a dashboard has at most. */
export const maxTiles = 24;

interface Change {
  readonly dashboard: Dashboard;
  readonly changes: Parameters<typeof changeDashboard>[1];
  /** What is said once it is done. */
  readonly done: string;
}

/** A mutation that changes a dashboard. */
export function useDashboardChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ dashboard, changes }: Change) => changeDashboard(dashboard, changes),
    onSuccess: (_saved, { done }) => showDone(done),
    onError: (error) => showProblem(t('couldntChangeTheDashboard'), error),
    // Also after a conflict, so that what others have changed is shown.
    onSettled: () => client.invalidateQueries({ queryKey: dashboardsQuery.queryKey }),
  });
}
