import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** A payment that a provider told of, as the ledger holds it. */
export interface ProvidedPayment {
  readonly id: string;
  readonly externalId: string;
  readonly at: Date;
  readonly amount: string;
  readonly currency: string;
}

const columns = sql.raw(
  'o.id, o.external_id AS "externalId", o.occurred_at AS at, o.amount::text AS amount, o.currency',
);
const payments = sql.raw(`o.event_key = 'payment_received' AND o.amount IS NOT NULL`);

/** Those of the provider's ids. */
export async function findProvided(
  tx: Tx,
  profileId: string,
  source: string,
  externalIds: readonly string[],
): Promise<ProvidedPayment[]> {
  if (externalIds.length === 0) return [];
  const { rows } = await sql<ProvidedPayment>`
    SELECT ${columns} FROM outcomes o
    WHERE o.profile_id = ${profileId} AND o.external_id = ANY (${[...externalIds]}::text[]) AND o.source = ${source} AND ${payments}`.execute(
    tx,
  );
  return rows;
}

/** Those that some connections of a provider told of a span of time. */
export async function listProvided(
  tx: Tx,
  profileId: string,
  asked: {
    readonly source: string;
    readonly connectionIds: readonly string[];
    readonly from: Date;
    readonly until: Date;
    readonly limit: number;
  },
): Promise<ProvidedPayment[]> {
  const { rows } = await sql<ProvidedPayment>`
    SELECT ${columns} FROM outcomes o
    WHERE o.profile_id = ${profileId} AND o.occurred_at >= ${asked.from} AND o.occurred_at < ${asked.until}
      AND o.source = ${asked.source} AND o.connection_id = ANY (${[...asked.connectionIds]}::uuid[])
      AND o.external_id IS NOT NULL AND ${payments}
    LIMIT ${asked.limit}`.execute(tx);
  return rows;
}

/** A record that a stage of a CRM gave a deal. */
export interface StageRecord {
  readonly idempotencyKey: string;
  readonly externalId: string;
  readonly eventType: string;
  readonly at: Date;
  readonly pipelineId: string;
  readonly stageId: string;
}

/** The records of deals that name the stage which they come from. */
export async function findStageRecords(
  tx: Tx,
  profileId: string,
  source: string,
  externalIds: readonly string[],
): Promise<StageRecord[]> {
  if (externalIds.length === 0) return [];
  const { rows } = await sql<StageRecord>`
    SELECT o.idempotency_key AS "idempotencyKey", o.external_id AS "externalId", o.event_type AS "eventType", o.occurred_at AS at,
      o.rest->'properties'->>'pipeline_id' AS "pipelineId", o.rest->'properties'->>'stage_id' AS "stageId"
    FROM outcomes o
    WHERE o.profile_id = ${profileId} AND o.external_id = ANY (${[...externalIds]}::text[]) AND o.source = ${source}
      AND o.rest->'properties' ? 'stage_id' AND o.erased_at IS NULL
    ORDER BY o.occurred_at, o.id`.execute(tx);
  return rows;
}
