import type { Context } from '../../context.ts';
import { dayIn } from '../../fields/days.ts';

/** Today's calendar day in the time zone of the caller's company. */
export const today = ({ caller }: Pick<Context, 'caller'>): Date => dayIn(caller.timeZone, new Date());
