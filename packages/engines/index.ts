export { clickhouseGrants } from './clickhouse.ts';
export type { EngineName } from './engine.ts';
export { freePort } from './free-port.ts';
export { type EngineStatus, engineNames, Supervisor } from './supervisor.ts';
