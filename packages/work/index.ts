export { catalogue, type JobName, type JobPayload, schedule } from './catalogue.ts';
export { type FailedJobs, listFailedJobs } from './failed-jobs.ts';
export { createJobs, type JobHandlers, type Jobs, migrateJobs, startJobWorker } from './job.ts';
