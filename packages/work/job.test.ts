import { openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createJobs, type JobHandlers, type Jobs, startJobWorker, type WorkFailure } from './index.ts';

let kit: Testkit;
let jobs: Jobs & { close(): Promise<void> };
let worker: { stop(): Promise<void> } | undefined;
const errors: Error[] = [];
const failures: WorkFailure[] = [];
const nothing = async () => {};
const idle = {
  deleteOldRows: nothing,
  dropOldVisits: nothing,
  forgetExpired: nothing,
  trimVisitsLog: nothing,
  sweepFreshness: nothing,
  lookForAlerts: nothing,
  analyseCreative: nothing,
  fitModels: nothing,
  refitModels: nothing,
  replayDeadLetters: nothing,
  spreadDefinition: nothing,
  repriceOutcomes: nothing,
  rereadDeals: nothing,
  sendPasswordReset: nothing,
  forgetDeadLetters: nothing,
  fetchRates: nothing,
  reconcileNightly: nothing,
  reconcileWeekly: nothing,
  rebuildScores: nothing,
  applyWaitingRefunds: nothing,
  expireHandoffs: nothing,
};

beforeAll(async () => {
  kit = await openTestkit();
  jobs = await createJobs(kit.database.appUrl, (error) => errors.push(error));
});
beforeEach(async () => {
  await kit.owner.unbound.query(sql`DELETE FROM pgboss.job`);
  errors.length = 0;
  failures.length = 0;
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await jobs.close();
  await kit.close();
});

const work = async (handlers: JobHandlers) => {
  worker = await startJobWorker({
    systemUrl: kit.database.systemUrl,
    handlers,
    onError: (error) => errors.push(error),
    onFailure: (failure) => failures.push(failure),
  });
};

test('a job exists if and only if its transaction commits, and the worker runs it once', async () => {
  const deleteOldRows = vi.fn(async () => {});
  const failing = kit.app.unbound.transaction(async (tx) => {
    await jobs.enqueue(tx, 'deleteOldRows', {});
    throw new Error('second thoughts');
  });
  await expect(failing).rejects.toThrow('second thoughts');
  // Checked before any worker runs, because a worker claims the second of two jobs later than this test waits.
  const { rows } = await kit.system.unbound.query(sql`SELECT name FROM pgboss.job WHERE name = 'delete-old-rows'`);
  expect(rows).toEqual([]);
  await kit.app.unbound.transaction((tx) => jobs.enqueue(tx, 'deleteOldRows', {}));
  await work({ ...idle, deleteOldRows });
  await vi.waitFor(() => expect(deleteOldRows).toHaveBeenCalledTimes(1), 15_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(deleteOldRows).toHaveBeenCalledTimes(1);
  expect(errors).toEqual([]);
});

test('enqueue rejects a payload with missing or unknown fields', async () => {
  const make = (job: 'deleteOldRows' | 'repriceOutcomes', payload: object) =>
    kit.app.unbound.transaction((tx) => jobs.enqueue(tx, job, payload as never));
  await expect(make('repriceOutcomes', {})).rejects.toThrow('profileId');
  await expect(make('deleteOldRows', { email: 'ana@example.com' })).rejects.toThrow('email');
});

test('a failed job is reported once and runs again', async () => {
  const deleteOldRows = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('at first')).mockResolvedValue();
  await work({ ...idle, deleteOldRows });
  await kit.app.unbound.transaction((tx) => jobs.enqueue(tx, 'deleteOldRows', {}));
  await vi.waitFor(() => expect(deleteOldRows).toHaveBeenCalledTimes(2), 15_000);
  expect(failures).toEqual([{ work: 'delete-old-rows', key: undefined, error: new Error('at first') }]);
});
