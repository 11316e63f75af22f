export { catalogue, type JobName, type JobPayload, schedule } from './catalogue.ts';
export { createJobs, type JobHandlers, type Jobs, migrateJobs, startJobWorker } from './job.ts';
