import type { Context } from '../../context.ts';
import type { FieldErrors } from '../../errors.ts';
import { checkBody, checkValue, column, type ExtraInput, escapeLike } from '../../resource/index.ts';

/** A request's location by names. */
interface LocationInput {
  readonly building?: string | null;
  readonly floor?: string | null;
  readonly area?: string | null;
}

/** The columns of a request's location. */
interface LocationColumns {
  buildingId?: string | null;
  floor?: string | null;
  room?: string | null;
}

/** The columns that names are compared with, or stored in. */
const buildingCode = column('Building', 'code');
const names = { stored: { floor: column('ServiceRequest', 'floor'), room: column('ServiceRequest', 'room') } };

/**
 * The alternative input for a service request's location: `location` with names, in place of `buildingId`, `floor` and
 * `room`.
 */
export const locationInput: ExtraInput<'ServiceRequest'> = {
  fields({ builder }) {
    const Location = builder.inputType('ServiceRequestLocationInput', {
      description: 'A location by names rather than ids.',
      fields: (t) => ({
        building: t.string({
          description:
            'Code or name of a building. An exact match wins; otherwise case is ignored, and only one building may match.',
          extensions: { stored: buildingCode },
        }),
        floor: t.string({ description: 'The floor.', extensions: { stored: names.stored.floor } }),
        area: t.string({ description: 'The room or area.', extensions: { stored: names.stored.room } }),
      }),
    });
    return (t) => ({
      location: t.field({
        type: Location,
        description: 'The location by names, in place of `buildingId`, `floor` and `room`.',
        extensions: { alternativeTo: ['buildingId', 'floor', 'room'] },
      }),
    });
  },
  async resolve({ context, input, data }) {
    const { location } = input;
    // The reader has checked its type.
    return location == null ? {} : resolveLocation(location, data, context);
  },
};

/** Resolves names to columns, and adds those to `data`. */
async function resolveLocation({ building, floor, area }: LocationInput, data: LocationColumns, context: Context) {
  const errors: FieldErrors = {};
  const { data: text, errors: wrong } = checkBody({ floor, room: area }, names, {}, []);
  if (wrong['floor']) errors['location.floor'] = wrong['floor'];
  if (wrong['room']) errors['location.area'] = wrong['room'];
  for (const [column, word] of [
    ['floor', 'floor'],
    ['room', 'area'],
  ] as const) {
    const given = text[column];
    if (typeof given !== 'string') continue;
    if (data[column] != null && data[column] !== given) errors[`location.${word}`] = `differs from ${column}`;
    else data[column] = given;
  }
  const named = checkValue(building ?? null, buildingCode);
  if ('error' in named) return { ...errors, 'location.building': named.error };
  if (typeof named.value !== 'string') return errors;
  const [id, another] = await findBuildings(named.value, context);
  if (id === undefined) errors['location.building'] = 'is not the code or name of a building in your company';
  else if (another) errors['location.building'] = 'is the code or name of several buildings; give its id instead';
  else if (data.buildingId != null && data.buildingId !== id)
    errors['location.building'] = 'is not the building that the given id refers to';
  else data.buildingId = id;
  return errors;
}

/**
 * Finds the buildings that a text may mean: by exact code, or else exact name, or else either in any letter case.
 * @returns at most two ids
 */
async function findBuildings(codeOrName: string, { reader }: Context): Promise<string[]> {
  const alike = { equals: escapeLike(codeOrName), mode: 'insensitive' as const };
  for (const where of [{ code: codeOrName }, { name: codeOrName }, { OR: [{ code: alike }, { name: alike }] }]) {
    const found = await reader.findMany('Building', { where, select: { id: true }, take: 2 });
    if (found.length > 0) return found.map(({ id }) => String(id));
  }
  return [];
}
