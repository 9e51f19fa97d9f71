import type { Definition } from '../../resource/index.ts';
import { recordUsage } from './event.ts';
import { usageReport } from './report.ts';
import { usageRollUp } from './roll-up.ts';
import { AiUse } from './use.ts';

/** The recording, list, reports and roll-ups of AI usage. Reports are SQL, and filter by company themselves. */
export const aiUsage: readonly Definition[] = [recordUsage, usageReport, usageRollUp, AiUse];
