import { openTestkit, type Testkit } from '@tributary/testkit';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createJobs, type JobHandlers, type Jobs, startJobWorker, type WorkFailure } from './index.ts';

let kit: Testkit;
let jobs: Jobs & { close(): Promise<void> };
let worker: { stop(): Promise<void> } | undefined;
const errors: Error[] = [];
const failures: WorkFailure[] = [];
const nothing = async () => {};
const idle = {
  pruneEvents: nothing,
  forgetExpired: nothing,
  pruneAccessLog: nothing,
  pruneBadVisits: nothing,
  trimVisitsLog: nothing,
  replayDeadLetters: nothing,
  deleteTenant: nothing,
  spreadDefinition: nothing,
  completeErasures: nothing,
  fetchRates: nothing,
  rebuildScores: nothing,
};

beforeAll(async () => {
  kit = await openTestkit();
  jobs = await createJobs(kit.database.appUrl, (error) => errors.push(error));
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
  const pruneEvents = vi.fn(async () => {});
  const failing = kit.app.unbound.transaction(async (tx) => {
    await jobs.enqueue(tx, 'pruneEvents', {});
    throw new Error('second thoughts');
  });
  await expect(failing).rejects.toThrow('second thoughts');
  await kit.app.unbound.transaction((tx) => jobs.enqueue(tx, 'pruneEvents', {}));
  await work({ ...idle, pruneEvents });
  await vi.waitFor(() => expect(pruneEvents).toHaveBeenCalledTimes(1), 15_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(pruneEvents).toHaveBeenCalledTimes(1);
  expect(errors).toEqual([]);
});

test('a failed job is told of once, and runs again', async () => {
  const pruneEvents = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('at first')).mockResolvedValue();
  await work({ ...idle, pruneEvents });
  await kit.app.unbound.transaction((tx) => jobs.enqueue(tx, 'pruneEvents', {}));
  await vi.waitFor(() => expect(pruneEvents).toHaveBeenCalledTimes(2), 15_000);
  expect(failures).toEqual([{ work: 'prune-events', key: undefined, error: new Error('at first') }]);
});
