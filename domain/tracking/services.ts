import type { ClickHouse } from '@tributary/clickhouse';
import type { Outbound } from '@tributary/outbound';
import type { Vault } from '@tributary/vault';
import type { OpenDns } from './domains/look-up-domain.ts';

/** What the handlers of this room need from the outside. */
export interface TrackingServices {
  /** Where the collector answers, without a slash at its end. */
  readonly collectorUrl: string;
  readonly clickhouse: ClickHouse;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly openDns: OpenDns;
}
