/** Whether an answer is the last word on a visit: it is kept, or no repetition would help. 0 stands for no answer. */
export function isFinal(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}

const longestMs = 300_000;
const daySeconds = 86_400;

/** How long to wait after failures in a row: twice as long each time, at least as long as asked, and a little different for everybody. */
export function retryDelayMs(failures: number, retryAfter: string | null, random: number): number {
  const askedMs = Math.min(Number(retryAfter) || 0, daySeconds) * 1_000;
  return Math.max(askedMs, Math.min(longestMs, 1_000 * 2 ** failures)) * (1 + random / 2);
}

/** Longer than any delay: a wait this long comes from a clock that was set back. */
export const impossibleDelayMs = 2 * daySeconds * 1_000;
