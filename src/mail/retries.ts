/** The pauses (s) before the attempts after the first: about ten hours together. */
export const mailPauses = [60, 300, 900, 3600, 10_800, 21_600];

/** How long (s) to wait after so many failed attempts; undefined when there were enough. */
export const pauseAfter = (attempts: number): number | undefined => mailPauses[attempts - 1];
