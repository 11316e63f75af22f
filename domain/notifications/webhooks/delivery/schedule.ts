import { limits } from '@tributary/vocabulary';

const { waitSeconds } = limits.webhooks;

/** Upper limit for the wait that a receiver may request. */
const maxRetryAfterSeconds = 86_400;

/** Plus or minus ten percent, so that deliveries that failed together do not retry together. */
const withJitter = (seconds: number, random: number): number => seconds * (0.9 + random * 0.2);

export interface FailedAttempt {
  /** The number of attempts, including this one. */
  readonly attempts: number;
  readonly at: Date;
  /** The wait that the receiver requested. */
  readonly retryAfterSeconds: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

/** When the next attempt is due; undefined after the last one. A receiver can extend the wait but not shorten it. */
export function nextAttemptAt({ attempts, at, retryAfterSeconds = 0, random }: FailedAttempt): Date | undefined {
  const wait = waitSeconds[attempts];
  if (wait === undefined) return undefined;
  const seconds = Math.max(withJitter(wait, random), Math.min(retryAfterSeconds, maxRetryAfterSeconds));
  return new Date(at.getTime() + seconds * 1_000);
}

/** Parses a Retry-After header (seconds or a date). Undefined if it is neither. */
export function readRetryAfter(header: string | string[] | undefined, at: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - at.getTime()) / 1_000);
}
