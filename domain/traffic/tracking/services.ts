import type { ClickHouse } from '@tributary/clickhouse';
import type { Outbound } from '@tributary/outbound';
import type { Vault } from '@tributary/vault';
import type { OpenDns } from './domains/look-up-domain.ts';

/** The services that the handlers of this module need. */
export interface TrackingServices {
  /** The collector's public address, without a trailing slash. */
  readonly collectorUrl: string;
  readonly clickhouse: ClickHouse;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly openDns: OpenDns;
}
