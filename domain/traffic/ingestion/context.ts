import {
  type BatchWriter,
  type ClickHouse,
  createBatchWriter,
  type TouchRow,
  type VisitRow,
} from '@tributary/clickhouse';
import { type Tombstones, tombstonesUnder } from '@tributary/domain/commerce/customers';
import type { Postgres, Tx } from '@tributary/postgres';
import { createOpener, type KeyRing, type Opener, type Vault } from '@tributary/vault';
import type { Signing } from './signature.ts';

/**
 * Returns the customer that a link token names; undefined if it does not open or had expired. The pipeline resolves
 * later merges itself.
 */
export type ReadLinkToken = (profileId: string, token: string, at: Date) => string | undefined;

/** Stores that a page of the profile sends visits. */
export type MarkVerified = (tx: Tx, profileId: string, nonce: string, now: Date) => Promise<unknown>;

/** Reads how the profile's server signs `identify` calls. */
export type ReadSigning = (tx: Tx, profileId: string) => Promise<Signing>;

/** The services that the pipeline steps use. */
export interface Ingestion {
  /** Connects with the role that is subject to row-level security. */
  readonly postgres: Postgres;
  readonly visits: BatchWriter<VisitRow>;
  readonly touches: BatchWriter<TouchRow>;
  /** Decrypts data that the collector encrypted. */
  readonly streamVault: Opener;
  /** Encrypts data that PostgreSQL stores. */
  readonly envelopeVault: Vault;
  /** Reloads the key ring, because a collector may encrypt with a newer key than this process has loaded. */
  readonly refreshKeys: () => Promise<void>;
  readonly visitorKey: () => Buffer;
  readonly readLinkToken: ReadLinkToken;
  /** Hashed identifiers of erased customers. */
  readonly tombstones: Tombstones;
  readonly markVerified: MarkVerified;
  readonly readSigning: ReadSigning;
  /** How many bytes of a profile's invalid visits are stored per day; beyond that, only their reasons are. */
  readonly badBytesPerDay: number;
  readonly now: () => Date;
}

export interface IngestionParts {
  readonly postgres: Postgres;
  readonly clickhouse: Pick<ClickHouse, 'insertArrays'>;
  readonly ring: Pick<KeyRing, 'keys' | 'envelope' | 'eldest' | 'refresh'>;
  readonly readLinkToken?: ReadLinkToken;
  readonly markVerified: MarkVerified;
  readonly readSigning?: ReadSigning;
  readonly badBytesPerDay: number;
  readonly now: () => Date;
}

/** While ClickHouse is unavailable, the consumer holds the batch and can be stopped. So the writer gives up early. */
const retryForMs = 5_000;

export function openIngestion({ postgres, clickhouse, ring, ...rest }: IngestionParts): Ingestion {
  return {
    postgres,
    visits: createBatchWriter({ client: clickhouse, table: 'visits', retryForMs }),
    touches: createBatchWriter({ client: clickhouse, table: 'touches', retryForMs }),
    streamVault: createOpener(() => ring.keys('stream')),
    envelopeVault: ring.envelope(),
    refreshKeys: () => ring.refresh(),
    visitorKey: () => ring.eldest('visitor').bytes,
    readLinkToken: rest.readLinkToken ?? (() => undefined),
    tombstones: tombstonesUnder(() => ring.eldest('tombstone').bytes),
    markVerified: rest.markVerified,
    readSigning: rest.readSigning ?? (async () => ({ secrets: [], isRequired: false })),
    badBytesPerDay: rest.badBytesPerDay,
    now: rest.now,
  };
}
