import { limits } from '@tributary/vocabulary';

const { waitSeconds } = limits.webhooks;

/** However long a receiver asks us to wait, it is asked again within this time. */
const longestAskedSeconds = 86_400;

/** A tenth more or less, so that what failed together does not come back together. */
const withJitter = (seconds: number, random: number): number => seconds * (0.9 + random * 0.2);

export interface FailedAttempt {
  /** How many there were, this one included. */
  readonly attempts: number;
  readonly at: Date;
  /** What the receiver asked for. */
  readonly retryAfterSeconds: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

/** When the next attempt is due; undefined after the last. A receiver that asks for more time gets it, and never for less. */
export function nextAttemptAt({ attempts, at, retryAfterSeconds = 0, random }: FailedAttempt): Date | undefined {
  const wait = waitSeconds[attempts];
  if (wait === undefined) return undefined;
  const seconds = Math.max(withJitter(wait, random), Math.min(retryAfterSeconds, longestAskedSeconds));
  return new Date(at.getTime() + seconds * 1_000);
}

/** The seconds of a Retry-After header: a number, or a date. Undefined where it is neither. */
export function readRetryAfter(header: string | string[] | undefined, at: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - at.getTime()) / 1_000);
}
