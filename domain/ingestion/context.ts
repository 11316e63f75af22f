import {
  type BatchWriter,
  type ClickHouse,
  createBatchWriter,
  type TouchRow,
  type VisitRow,
} from '@tributary/clickhouse';
import { type Tombstones, tombstonesUnder } from '@tributary/domain/customers';
import type { Postgres, Tx } from '@tributary/postgres';
import { createOpener, type KeyRing, type Opener, type Vault } from '@tributary/vault';
import type { Signing } from './signature.ts';

/** Whom a link token names; undefined where it does not open, or had lapsed by then. What became of that customer since, the pipeline asks itself. */
export type ReadLinkToken = (profileId: string, token: string, at: Date) => string | undefined;

/** Notes that a page of the profile really sends visits. */
export type MarkVerified = (tx: Tx, profileId: string, nonce: string, now: Date) => Promise<unknown>;

/** How the profile's shop signs what it says of its people. */
export type ReadSigning = (tx: Tx, profileId: string) => Promise<Signing>;

/** What the steps work with. */
export interface Ingestion {
  /** As the role that is bound by row-level security. */
  readonly postgres: Postgres;
  readonly visits: BatchWriter<VisitRow>;
  readonly touches: BatchWriter<TouchRow>;
  /** Opens what the collector sealed. */
  readonly streamVault: Opener;
  /** Seals what PostgreSQL keeps. */
  readonly envelopeVault: Vault;
  /** A collector may seal with a key that is younger than our last look at the ring. */
  readonly refreshKeys: () => Promise<void>;
  readonly visitorKey: () => Buffer;
  readonly readLinkToken: ReadLinkToken;
  /** What is left of those who were erased. */
  readonly tombstones: Tombstones;
  readonly markVerified: MarkVerified;
  readonly readSigning: ReadSigning;
  /** What is kept of a profile's broken visits of a day; the rest is only counted. */
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

/** While ClickHouse is away the batch is held by the consumer, which can be stopped; the writer gives up sooner. */
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
