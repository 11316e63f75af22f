import { type ClickHouseSettings, forgetProfile } from '@tributary/clickhouse';
import { deleteTenant, forgetExpired, pruneAccessLog } from '@tributary/domain/access';
import { settleCustomers, spreadDefinition } from '@tributary/domain/conversions';
import { pruneEvents } from '@tributary/domain/webhooks';
import type { JobHandlers } from '@tributary/jobs';
import type { Postgres } from '@tributary/postgres';

export interface Work {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouseSettings;
  readonly now: () => Date;
}

/** Every kind of job and its handler. A kind without one does not compile. */
export function jobHandlers({ app, system, clickhouse, now }: Work): JobHandlers {
  return {
    pruneEvents: async (_payload, signal) => void (await pruneEvents(system.unbound, now(), signal)),
    forgetExpired: async (_payload, signal) => void (await forgetExpired(system.unbound, now(), signal)),
    pruneAccessLog: async (_payload, signal) => void (await pruneAccessLog(system.unbound, now(), signal)),
    deleteTenant: (payload) => deleteTenant(app, payload, (profileId) => forgetProfile(clickhouse, profileId)),
    spreadDefinition: async (payload, signal) => void (await spreadDefinition(app, payload, signal)),
    settleCustomers: async (_payload, signal) => void (await settleCustomers(app, system, signal)),
  };
}
