/** Whether a status settles a visit: it was stored, or no retry would help. 0 means that no response arrived. */
export function isFinal(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}

const longestMs = 300_000;
const daySeconds = 86_400;

/** The delay after consecutive failures: doubles each time, is at least Retry-After, and includes jitter. */
export function retryDelayMs(failures: number, retryAfter: string | null, random: number): number {
  const retryAfterMs = Math.min(Number(retryAfter) || 0, daySeconds) * 1_000;
  return Math.max(retryAfterMs, Math.min(longestMs, 1_000 * 2 ** failures)) * (1 + random / 2);
}

/** Longer than any real delay: a stored wait this long means that the clock was set back. */
export const impossibleDelayMs = 2 * daySeconds * 1_000;
