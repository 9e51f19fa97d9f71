/** The first time from `at`, in steps of `step` (ms), on a working day between 7:00 and 18:00 UTC. */
export function workingTime(at: Date, step: number): Date {
  const isWorking = at.getUTCHours() >= 7 && at.getUTCHours() < 18 && at.getUTCDay() % 6 !== 0;
  return isWorking ? at : workingTime(new Date(at.getTime() + step), step);
}
