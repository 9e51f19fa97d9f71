import type { Definition } from '../../resource/index.ts';
import { changeFeed } from './feed.ts';
import { histories } from './history.ts';
import { restores } from './restore.ts';
import { snapshot } from './snapshot.ts';
import { statusPeriods } from './status-periods.ts';
import { subscriptions } from './subscriptions.ts';

/** What clients learn of changes: of each resource, and of all in one feed. */
export const changes: readonly Definition[] = [histories, statusPeriods, restores, changeFeed, snapshot, subscriptions];
