export { freePort } from '@tributary/engines';
export { type Answer, type ApiChanges, openApi, type TestApi, type TestApp, testApiOptions } from './api.ts';
export { auditEntries } from './audit.ts';
export { alternate, type Bench, type BenchResult, median } from './bench.ts';
export { buildProfile } from './builders.ts';
export { cloneDatabase, type TestDatabase } from './database.ts';
export { openDesk, type TestDesk, testKeys, testVault } from './desk.ts';
export { type DnsRecords, startDns, type TestDns } from './dns.ts';
export type { Drill, DrillContext, DrillResult } from './drill.ts';
export { type DrillEngines, openDrillEngines } from './drill-engines.ts';
export { openDrillKit } from './drill-kit.ts';
export { type FlakyLine, openFlakyLineTo } from './flaky-line.ts';
export { httpApi } from './http-api.ts';
export {
  type BuilderKit,
  buildMarkedProfile,
  credentialBuilders,
  idBuilders,
  type MarkedProfile,
  notYet,
  type ProbeCredential,
  probeCredentials,
} from './id-builders.ts';
export { type BuiltKey, buildApiKey } from './keys.ts';
export { Killable } from './killable.ts';
export { openKit, openTest, openTestWithClickHouse } from './open-test.ts';
export { operatorOf } from './operator.ts';
export { type EventSender, openEventSender, paymentEvent } from './outcomes.ts';
export { type BuiltMember, buildAssistant, buildMember } from './people.ts';
export { testRing, testStreamVault } from './ring.ts';
export { at, type Scene, type SceneTraits, scene, type World } from './scene.ts';
export { serve, served, type TestServer, testTombstones } from './serve.ts';
export { settleAll } from './settle.ts';
export { openTestkit, type Testkit } from './testkit.ts';
export { browserVisit, buildTrackingKey, type TrackingTraits } from './visits.ts';
export { openWarehouse } from './warehouse.ts';
export { workOff } from './work-off.ts';
