import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** A payment reported by a provider. */
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

/** Payments by the provider's ids. */
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

/** Payments of a period that certain connections of a provider reported. */
export async function listProvided(
  tx: Tx,
  profileId: string,
  query: {
    readonly source: string;
    readonly connectionIds: readonly string[];
    readonly from: Date;
    readonly until: Date;
    readonly limit: number;
  },
): Promise<ProvidedPayment[]> {
  const { rows } = await sql<ProvidedPayment>`
    SELECT ${columns} FROM outcomes o
    WHERE o.profile_id = ${profileId} AND o.occurred_at >= ${query.from} AND o.occurred_at < ${query.until}
      AND o.source = ${query.source} AND o.connection_id = ANY (${[...query.connectionIds]}::uuid[])
      AND o.external_id IS NOT NULL AND ${payments}
    LIMIT ${query.limit}`.execute(tx);
  return rows;
}

/** An outcome recorded for a deal in a CRM stage. */
export interface StageRecord {
  readonly idempotencyKey: string;
  readonly externalId: string;
  readonly eventType: string;
  readonly at: Date;
  readonly pipelineId: string;
  readonly stageId: string;
}

/** Outcomes of deals that contain their CRM stage. */
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
