import { extendSchema } from '../../resource/index.ts';
import { addUsageEvent } from './event.ts';
import { addUsageReport } from './report.ts';
import { addUsageRollUp } from './roll-up.ts';
import { createUsageTypes } from './usage.ts';

/** Adds the recording, reports and roll-ups of AI usage. Reports are SQL, and filter by company themselves. */
export const aiUsage = extendSchema((kit) => {
  const types = createUsageTypes(kit);
  addUsageEvent(kit);
  addUsageReport(kit, types);
  addUsageRollUp(kit, types);
});
