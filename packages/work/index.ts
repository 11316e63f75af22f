export { catalogue, type JobName, type JobPayload, schedule } from './catalogue.ts';
export { faultOf } from './fault.ts';
export { createJobs, type JobHandlers, type Jobs, migrateJobs, startJobWorker } from './job.ts';
export type { Batch, Blame, Item, QueueHandler, Taken, WorkFailure } from './queue.ts';
export { type QueueKind, type QueueName, queues } from './queues.ts';
export { countSetAside, listSetAside, retrySetAside, type SetAside, type SetAsideFilter } from './set-aside.ts';
export { type Lease, LeaseLost, oldestSeconds, returnLease, takeLease } from './turns.ts';
export { countedTo, countWaiting, keysWaiting } from './waiting.ts';
export { type QueueHandlers, type QueueWorkerOptions, startQueueWorker } from './worker.ts';
