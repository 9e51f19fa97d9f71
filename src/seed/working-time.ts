/** The nearest time from `at` on, in steps of `step` (ms), that is on a working day between 7 and 18 h UTC. */
export function workingTime(at: Date, step: number): Date {
  const isWorking = at.getUTCHours() >= 7 && at.getUTCHours() < 18 && at.getUTCDay() % 6 !== 0;
  return isWorking ? at : workingTime(new Date(at.getTime() + step), step);
}
