import { languages } from '@tributary/vocabulary';
import { z } from 'zod';

/** A kind of background job. Payloads contain ids only; the job reads the data when it runs. */
export interface JobKind<P extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** What it does, for operators who see the name in a log. */
  readonly about: string;
  readonly payload: P;
  /** How often it is retried after a failure, with growing delays. */
  readonly retries: number;
  readonly timeoutSeconds: number;
  /** Jobs with the same key run one after the other. */
  readonly oneAtATime?: true;
}

function job<P extends z.ZodType>(kind: JobKind<P>): JobKind<P> {
  return kind;
}

/** All kinds of jobs. apps/worker maps each to its handler and does not compile while one is missing. */
export const catalogue = {
  deleteOldRows: job({
    name: 'delete-old-rows',
    about: 'Deletes ledger rows that exceeded their retention period.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 3_600,
    oneAtATime: true,
  }),
  dropOldVisits: job({
    name: 'drop-old-visits',
    about: 'Drops quarters of visits that are older than VISITS_RETENTION_DAYS, if that is set.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  forgetExpired: job({
    name: 'forget-expired',
    about: 'Deletes expired stored answers and tokens, and assistants without any permission.',
    payload: z.strictObject({}),
    retries: 3,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  trimVisitsLog: job({
    name: 'trim-visits-log',
    about: 'Deletes handled visits when the visit stream is more than half full.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  replayDeadLetters: job({
    name: 'replay-dead-letters',
    about: 'Publishes failed visits again, in case the cause of the failure is gone.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  spreadDefinition: job({
    name: 'spread-definition',
    about: 'Marks the outcomes that a changed definition affects, so that they are attributed again.',
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
    about: 'Converts the amounts of a profile again after its reporting currency was changed.',
    payload: z.strictObject({ profileId: z.uuid() }),
    retries: 10,
    timeoutSeconds: 3_600,
  }),
  rereadDeals: job({
    name: 'reread-deals',
    about: 'Requests a full sync of a profile’s CRM deals after the meaning of a stage was changed.',
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
    about: 'Removes erased customers from messages that became dead letters since.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  sweepFreshness: job({
    name: 'sweep-freshness',
    about: 'Reports profiles whose figures fell behind while a worker or ClickHouse was unavailable.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  lookForAlerts: job({
    name: 'look-for-alerts',
    about: 'Finds profiles with a silent tracker or late figures, and alerts their members once.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  fetchRates: job({
    name: 'fetch-rates',
    about: 'Fetches the exchange rates of the configured banks, and converts the amounts that waited for them.',
    payload: z.strictObject({}),
    retries: 5,
    timeoutSeconds: 3_600,
    oneAtATime: true,
  }),
  applyWaitingRefunds: job({
    name: 'apply-waiting-refunds',
    about: 'Applies refunds that arrived before their payment, once the payment exists.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  expireHandoffs: job({
    name: 'expire-handoffs',
    about: 'Marks hand-offs as expired, and deletes tokens that waited for a selection.',
    payload: z.strictObject({}),
    retries: 0,
    timeoutSeconds: 300,
    oneAtATime: true,
  }),
  analyseCreative: job({
    name: 'analyse-creative',
    about: 'Analyses the creative of an ad with the configured model.',
    payload: z.strictObject({ profileId: z.uuid(), adId: z.uuid(), analysisId: z.uuid() }),
    retries: 5,
    timeoutSeconds: 180,
  }),
  reconcileNightly: job({
    name: 'reconcile-nightly',
    about: 'Queues a reconciliation of every profile’s last days: the ledger against the reports.',
    payload: z.strictObject({}),
    retries: 10,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
  reconcileWeekly: job({
    name: 'reconcile-weekly',
    about: 'Queues a reconciliation of all days of every profile, for the payments ledger.',
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
    about: 'Queues the scoring of every profile’s ads that were not scored yet on this day.',
    payload: z.strictObject({}),
    retries: 10,
    timeoutSeconds: 600,
    oneAtATime: true,
  }),
} as const;

export type JobName = keyof typeof catalogue;
export type JobPayload<N extends JobName> = z.output<(typeof catalogue)[N]['payload']>;

/** When recurring jobs run: cron in UTC, and the same in words. */
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
