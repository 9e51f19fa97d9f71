import type { Context } from '../../context.ts';
import { callerId } from '../../context.ts';
import type { FieldErrors } from '../../errors.ts';
import { builder } from '../../resource/builder.ts';
import { resource } from '../../resource/define.ts';
import { literally } from '../../resource/lists.ts';
import { columnFacts, modelFacts } from '../../resource/model.ts';
import { checkBody, checkValue } from '../../resource/validate.ts';
import { withActivity } from './activity.ts';
import { requestThread } from './thread.ts';

const Location = builder.inputType('ServiceRequestLocationInput', {
  description: 'Where a request is, in words.',
  fields: (t) => ({
    building: t.string({
      description: "A building's code or name, in any letter case.",
      extensions: { column: ['Building', 'code'] },
    }),
    floor: t.string({ description: 'The floor.', extensions: { column: ['ServiceRequest', 'floor'] } }),
    area: t.string({ description: 'The room or area.', extensions: { column: ['ServiceRequest', 'room'] } }),
  }),
});
type LocationInput = typeof Location.$inferInput;

/** Service requests (spec §4). */
export const ServiceRequest = resource('ServiceRequest', {
  path: '/service-requests',
  scope: 'service_requests',
  pageSize: 50,
  actions: ['list', 'read', 'create', 'update', 'replace', 'delete'],
  fields: [
    'title',
    'description',
    'status',
    'priority',
    'category',
    'assignedTo',
    'createdBy',
    'buildingId',
    'floor',
    'room',
    'completedAt',
  ],
  relations: ['assignee', 'creator', 'building'],
  search: ['title', 'description'],
  input: ['title', 'description', 'priority', 'category', 'assignedTo', 'buildingId', 'floor', 'room'],
  update: ['status'],
  inputs: (t) => ({
    location: t.field({
      type: Location,
      description: 'The second way to say where: `buildingId`, `floor` and `room` in words.',
      extensions: { alternativeTo: ['buildingId', 'floor', 'room'] },
    }),
  }),
  defaults: { createdBy: callerId },
  async read({ context, body, data, faults }) {
    if (body['location'] != null) await readLocation(body['location'], context, data, faults);
  },
  compose: withActivity,
  updating: withActivity,
});

requestThread(ServiceRequest, 'serviceRequestId');

/** Reads the second way to say where (spec §2, the second create shape) into the columns of the first. */
async function readLocation(
  { building, floor, area }: LocationInput,
  { caller, db }: Context,
  data: { buildingId?: string | null; floor?: string | null; room?: string | null },
  faults: FieldErrors,
) {
  const { data: text, faults: wrong } = checkBody({ floor, room: area }, modelFacts('ServiceRequest').columns, {}, []);
  if (wrong['floor']) faults['location.floor'] = wrong['floor'];
  if (wrong['room']) faults['location.area'] = wrong['room'];
  for (const [column, word] of [
    ['floor', 'floor'],
    ['room', 'area'],
  ] as const) {
    if (text[column] == null) continue;
    if (data[column] != null && data[column] !== text[column]) faults[`location.${word}`] = `differs from ${column}`;
    else data[column] = text[column] as string;
  }
  const named = checkValue(building ?? null, columnFacts('Building', 'code'));
  if ('fault' in named) faults['location.building'] = named.fault;
  if ('fault' in named || named.value === null) return;
  const is = { equals: literally(named.value as string), mode: 'insensitive' as const };
  const found = await db.building.findFirst({
    where: { companyId: caller.companyId, OR: [{ code: is }, { name: is }] },
    orderBy: { code: { sort: 'asc', nulls: 'last' } },
    select: { id: true },
  });
  if (!found) faults['location.building'] = 'is the code or name of no building of your company';
  else if (data.buildingId != null && data.buildingId !== found.id)
    faults['location.building'] = 'is another building than the one given by id';
  else data.buildingId = found.id;
}
