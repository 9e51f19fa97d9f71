import {
  type DashboardFragment,
  DashboardsDocument,
  DeleteDashboardDocument,
  SaveDashboardDocument,
  type SaveDashboardInput,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';

/** Saved queries that are shown together. */
export type Dashboard = DashboardFragment;

/** One of them on a dashboard. */
export type Tile = Dashboard['tiles'][number];

/** The person's dashboards, those that others share, and the company's. */
export const listDashboards = async (): Promise<readonly Dashboard[]> => (await execute(DashboardsDocument)).dashboards;

/** Saves a new dashboard. */
export const createDashboard = async (input: SaveDashboardInput): Promise<Dashboard> =>
  (await execute(SaveDashboardDocument, { input })).saveDashboard;

/** Changes a dashboard. @throws ApiError where somebody has changed it since it was read, too */
export async function changeDashboard(
  { id, updatedAt, name, isShared, isOfCompany, tiles }: Dashboard,
  changes: Partial<Pick<Dashboard, 'name' | 'isShared' | 'tiles'>>,
): Promise<Dashboard> {
  const input = { name, isShared, isOfCompany, tiles, ...changes };
  return (await execute(SaveDashboardDocument, { id, updatedAt, input })).saveDashboard;
}

export const deleteDashboard = (id: string) => execute(DeleteDashboardDocument, { id });
