import { languages } from '@tributary/vocabulary';
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
  deleteOldRows: job({
    name: 'delete-old-rows',
    about: 'Deletes rows of the ledger that are past their life.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 3_600,
    oneAtATime: true,
  }),
  dropOldVisits: job({
    name: 'drop-old-visits',
    about: 'Drops quarters of visits that are older than VISITS_RETENTION_DAYS, where that is set.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  forgetExpired: job({
    name: 'forget-expired',
    about: 'Deletes stored answers and tokens whose time is over, and assistants that nobody allowed anything.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  trimVisitsLog: job({
    name: 'trim-visits-log',
    about: 'Frees visits that were handled when the log is more than half full.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  replayDeadLetters: job({
    name: 'replay-dead-letters',
    about: 'Puts visits that failed back into the log, in case what stood in their way is gone.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  spreadDefinition: job({
    name: 'spread-definition',
    about: 'Marks the outcomes that a changed definition concerns, so that they are attributed again.',
    payload: z.strictObject({
      profileId: z.uuid(),
      eventKeys: z.array(z.string()).min(1),
      definitionId: z.uuid().optional(),
    }),
    retries: 10,
    timeoutSeconds: 3_600,
  }),
  repriceOutcomes: job({
    name: 'reprice-outcomes',
    about: 'Converts the money of a profile anew after its reporting currency was changed.',
    payload: z.strictObject({ profileId: z.uuid() }),
    retries: 10,
    timeoutSeconds: 3_600,
  }),
  rereadDeals: job({
    name: 'reread-deals',
    about: 'Has the deals of a profile’s CRM read again from the first, because a stage counts as something else now.',
    payload: z.strictObject({ profileId: z.uuid() }),
    retries: 10,
    timeoutSeconds: 60,
  }),
  sendPasswordReset: job({
    name: 'send-password-reset',
    about: 'Sends the link that sets a new password to a user who requested it.',
    payload: z.strictObject({ userId: z.uuid(), language: z.enum(languages) }),
    retries: 5,
    timeoutSeconds: 90,
  }),
  forgetDeadLetters: job({
    name: 'forget-dead-letters',
    about: 'Takes people who were erased out of messages that died since.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  sweepFreshness: job({
    name: 'sweep-freshness',
    about: 'Tells of profiles whose figures fell behind while a worker or ClickHouse was away.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  lookForAlerts: job({
    name: 'look-for-alerts',
    about: 'Looks whose tracker fell silent and whose figures are late, and tells their members once.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  fetchRates: job({
    name: 'fetch-rates',
    about: 'Fetches the exchange rates of the banks that are configured, and converts the money that waited for them.',
    payload: z.strictObject({}),
    retries: 5,
    timeoutSeconds: 3_600,
    oneAtATime: true,
  }),
  applyWaitingRefunds: job({
    name: 'apply-waiting-refunds',
    about: 'Gives refunds that came before their payment to it once it is there.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  expireHandoffs: job({
    name: 'expire-handoffs',
    about: 'Writes down that the time of hand-offs is over, and throws away tokens that waited for a choice.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  analyseCreative: job({
    name: 'analyse-creative',
    about: 'Asks the configured model what an ad’s creative is made of.',
    payload: z.strictObject({ profileId: z.uuid(), adId: z.uuid(), analysisId: z.uuid() }),
    retries: 5,
    timeoutSeconds: 180,
  }),
  reconcileNightly: job({
    name: 'reconcile-nightly',
    about: 'Has the last days of every profile compared: what was recorded with what reports add up.',
    payload: z.strictObject({}),
    retries: 10,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  reconcileWeekly: job({
    name: 'reconcile-weekly',
    about: 'Has all days of every profile compared, in the books that we keep ourselves.',
    payload: z.strictObject({}),
    retries: 10,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  fitModels: job({
    name: 'fit-models',
    about: 'Fits the models of a profile and credits its purchases with them.',
    payload: z.strictObject({ profileId: z.uuid(), fitId: z.uuid() }),
    retries: 3,
    timeoutSeconds: 3_600,
  }),
  refitModels: job({
    name: 'refit-models',
    about: 'Fits the models of every profile that has enough purchases and something new, one after the other.',
    payload: z.strictObject({}),
    retries: 1,
    timeoutSeconds: 14_400,
    oneAtATime: true,
  }),
  rebuildScores: job({
    name: 'rebuild-scores',
    about: 'Has the ads of every profile scored that was not scored yet on this day.',
    payload: z.strictObject({}),
    retries: 10,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
} as const;

export type JobName = keyof typeof catalogue;
export type JobPayload<N extends JobName> = z.output<(typeof catalogue)[N]['payload']>;

/** When recurring jobs run (cron, UTC), in words beside it. */
export const schedule: readonly { job: JobName; cron: string; words: string; payload: object }[] = [
  { job: 'deleteOldRows', cron: '17 3 * * *', words: 'every night at 03:17', payload: {} },
  { job: 'dropOldVisits', cron: '5 4 * * *', words: 'every night at 04:05', payload: {} },
  { job: 'forgetExpired', cron: '42 * * * *', words: 'every hour at 42 minutes past', payload: {} },
  { job: 'trimVisitsLog', cron: '* * * * *', words: 'every minute', payload: {} },
  { job: 'replayDeadLetters', cron: '*/10 * * * *', words: 'every ten minutes', payload: {} },
  { job: 'forgetDeadLetters', cron: '* * * * *', words: 'every minute', payload: {} },
  { job: 'sweepFreshness', cron: '* * * * *', words: 'every minute', payload: {} },
  { job: 'lookForAlerts', cron: '*/5 * * * *', words: 'every five minutes', payload: {} },
  { job: 'applyWaitingRefunds', cron: '* * * * *', words: 'every minute', payload: {} },
  { job: 'expireHandoffs', cron: '* * * * *', words: 'every minute', payload: {} },
  { job: 'fetchRates', cron: '30 16 * * *', words: 'every day at 16:30', payload: {} },
  { job: 'reconcileNightly', cron: '20 5 * * *', words: 'every night at 05:20', payload: {} },
  { job: 'reconcileWeekly', cron: '50 5 * * 0', words: 'every Sunday at 05:50', payload: {} },
  { job: 'refitModels', cron: '30 0 * * *', words: 'every night at 00:30', payload: {} },
  { job: 'rebuildScores', cron: '40 2 * * *', words: 'every night at 02:40', payload: {} },
];
