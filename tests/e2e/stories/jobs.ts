import { createJobs, type JobName, type JobPayload } from '@tributary/work';
import type { Installation } from './installation.ts';

/** Makes the worker run a job now that its schedule runs minutes or hours later. */
export async function runScheduled<N extends JobName>({ kit }: Installation, job: N, payload: JobPayload<N>) {
  const jobs = await createJobs(kit.database.appUrl, (error) => {
    throw error;
  });
  await kit.app.unbound.transaction((tx) => jobs.enqueue(tx, job, payload));
  await jobs.close();
}
