export { catalogue, type JobName, type JobPayload, schedule } from './catalogue.ts';
export { type FailedJobs, listFailedJobs } from './failed-jobs.ts';
export { faultOf } from './fault.ts';
export type {
  AnyQueueHandler,
  Batch,
  FailureCause,
  Group,
  GroupHandler,
  Item,
  KeyItems,
  LoadedItems,
  QueueHandler,
  WorkFailure,
} from './handler.ts';
export { countFailedJobs, createJobs, type JobHandlers, type Jobs, migrateJobs, startJobWorker } from './job.ts';
export { type Lease, LeaseLost, oldestSeconds, returnLease, takeLease } from './leases.ts';
export { countSetAside, listSetAside, retrySetAside, type SetAside, type SetAsideFilter } from './parked.ts';
export { type QueueKind, type QueueName, queues } from './queues.ts';
export { countedTo, countWaiting, keysWaiting } from './waiting.ts';
export { type QueueHandlers, type QueueWorkerOptions, startQueueWorker } from './worker.ts';
