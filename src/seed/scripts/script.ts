import type { RequestPriority } from '../../database/generated/client/client.ts';
import type { Category } from '../people.ts';
import type { AreaName } from '../places.ts';

/** The history of one demo request. `talk` alternates between the worker and the reporter. */
export interface Script {
  title: string;
  description: string;
  priority?: RequestPriority;
  talk: readonly string[];
}

/** A service request's script. */
export interface ServiceScript extends Script {
  category: Category;
  area: AreaName;
}

/** A move request's script. */
export interface MoveScript extends Script {
  from: string;
  to: string;
}

export const service = (
  area: AreaName,
  category: Category,
  title: string,
  description: string,
  talk: string[],
  priority?: Script['priority'],
): ServiceScript => ({ area, category, title, description, talk, priority });

export const move = (
  title: string,
  from: string,
  to: string,
  description: string,
  talk: string[],
  priority?: Script['priority'],
): MoveScript => ({ title, from, to, description, talk, priority });
