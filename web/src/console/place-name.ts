import { t } from '../texts/console.ts';

interface Where {
  readonly building?: string | null | undefined;
  readonly floor?: string | null | undefined;
  readonly room?: string | null | undefined;
}

/** What a place is called, from the building to the room. */
export const partsOfPlace = ({ building, floor, room }: Where): readonly string[] =>
  [
    building,
    floor && t('floorFloor', { floor }),
    // Names of rooms say what they are: "Server room". Numbers do not.
    room && (/\d/.test(room) ? t('roomRoom', { room }) : room),
  ].filter((part) => typeof part === 'string' && part !== '') as string[];
