import { type ClickHouse, raw } from '@tributary/clickhouse';
import { browserVisit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { delivered, messageOf, openTestIngestion, type Sent } from './ingestion.fixture.ts';
import { pipeline } from './pipeline.ts';

/** Opens the pipeline on test databases, with helpers that read its results. */
export function openPipeline(kit: Testkit, clickhouse: ClickHouse) {
  const ingestion = openTestIngestion(kit.app, clickhouse, () => kit.clock.now());

  const visit = (changes: Record<string, unknown> = {}) => browserVisit(kit.clock.now(), changes);
  const send = async (sent: Omit<Sent, 'receivedAt'>, into = ingestion) => {
    const message = delivered(messageOf({ receivedAt: kit.clock.now(), ...sent }));
    await pipeline(into)([message]);
    return message;
  };
  const rowsOf = <Row>(table: 'visits' | 'touches', profileId: string, client: ClickHouse = clickhouse) =>
    client.query(raw<Row>(`SELECT * FROM ${table} FINAL WHERE profile_id = {profileId:UUID} ORDER BY occurred_at`), {
      profileId,
    });
  const inLedger = async <Row>(profileId: string, statement: ReturnType<typeof sql<Row>>) =>
    (await kit.app.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows;
  const linksOf = (profileId: string) =>
    inLedger(profileId, sql<{ visitor_id: string; customer_id: string; source: string }>`SELECT * FROM visitor_links`);
  const identifiersOf = (profileId: string) =>
    inLedger(
      profileId,
      sql<{
        kind: string;
        value: string;
        customer_id: string;
      }>`SELECT kind, value, customer_id FROM identifiers ORDER BY kind`,
    );
  const newCustomer = async (profileId: string, ...identifiers: [string, string][]) => {
    const id = uuid();
    await kit.app.forProfile(profileId).transaction(async (tx) => {
      const at = kit.clock.now();
      await sql`INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at)
        VALUES (${profileId}, ${id}, '{import}', '{}', ${at}, ${at}, ${at})`.execute(tx);
      for (const [kind, value] of identifiers)
        await sql`INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
          VALUES (${profileId}, ${kind}, ${value}, ${id}, 'import', ${at}, ${uuid()})`.execute(tx);
    });
    return id;
  };
  return { ingestion, visit, send, rowsOf, inLedger, linksOf, identifiersOf, newCustomer };
}
