import { useTaps } from './useTaps.ts';

/** Sends what was tapped, on whatever page somebody is. */
export default function SendTaps(): null {
  useTaps();
  return null;
}
