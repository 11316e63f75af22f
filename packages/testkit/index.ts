export { alternate, type Bench, type BenchResult, median } from './bench.ts';
export { buildProfile } from './builders.ts';
export { cloneDatabase, type TestDatabase } from './database.ts';
export type { Drill, DrillContext, DrillResult } from './drill.ts';
export { openTestkit, type Testkit } from './testkit.ts';
