import { extendSchema } from '../../resource/index.ts';
import { addUsageEvent } from './event.ts';
import { addUsageReport } from './report.ts';
import { addUsageRollUp } from './roll-up.ts';
import { createUsageTypes } from './usage.ts';

/** Adds what records, sums up and rolls up the use of AI features. Reports are SQL, and name the company themselves. */
export const aiUsage = extendSchema((kit) => {
  const types = createUsageTypes(kit);
  addUsageEvent(kit);
  addUsageReport(kit, types);
  addUsageRollUp(kit, types);
});
