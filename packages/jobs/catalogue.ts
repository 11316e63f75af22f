import { z } from 'zod';

/** A kind of background work. Payloads hold ids only; what they stand for is read when the job runs. */
export interface JobKind<P extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** What it does, for the operator who meets the name in a log. */
  readonly about: string;
  readonly payload: P;
  /** Runs again after a failure this many times, waiting longer each time. */
  readonly retries: number;
  readonly timeoutSeconds: number;
  /** Whether a second one with the same key waits for the first, so that both never run at once. */
  readonly oneAtATime?: true;
}

function job<P extends z.ZodType>(kind: JobKind<P>): JobKind<P> {
  return kind;
}

/** Every kind of job there is. apps/worker maps each to its handler, and does not compile while one is missing. */
export const catalogue = {
  pruneEvents: job({
    name: 'prune-events',
    about: 'Deletes events that are past their time in the log.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
} as const;

export type JobName = keyof typeof catalogue;
export type JobPayload<N extends JobName> = z.output<(typeof catalogue)[N]['payload']>;

/** When recurring jobs run (cron, UTC), in words beside it. */
export const schedule: readonly { job: JobName; cron: string; words: string; payload: object }[] = [
  { job: 'pruneEvents', cron: '17 3 * * *', words: 'every night at 03:17', payload: {} },
];
