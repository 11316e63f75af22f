export { explain } from './explain.ts';
export { listTopPerformers } from './list-top-performers.ts';
export { rankTopPerformers } from './rank-top-performers.ts';
export { rebuildProfile } from './rebuild-profile.ts';
export { rebuildScores } from './rebuild-scores.job.ts';
export { scores } from './scores.queue.ts';
