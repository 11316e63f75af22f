import { type ClickHouse, connectEveryNode, raw } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import { createOpener, type KeyRing } from '@tributary/vault';
import { uuidPattern } from '@tributary/vocabulary';
import { sql } from 'kysely';

/**
 * The stores that are searched for canaries. The search shares no code with erasures: it reads the list of tables from the engines and decrypts with
 * the keys directly. It looks for the canary word in every decoded text.
 */
export interface SearchedStores {
  readonly postgres: Postgres;
  readonly clickhouse: ClickHouse;
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly ring: KeyRing;
}

/** Encrypted PostgreSQL columns, with the row name that the encryption is bound to. */
const sealed = [
  { table: 'bad_visits', column: 'sealed', row: sql`id::text`, owner: 'profile_id' },
  { table: 'journey_summaries', column: 'sealed', row: sql`person_id::text`, owner: 'profile_id' },
  { table: 'idempotent_answers', column: 'body', row: sql`encode(key_hash, 'hex')`, owner: 'owner_id' },
] as const;

/** Counts the rows of each store that contain a canary or the id of one of the given customers. */
export async function findCanaries(
  { postgres, clickhouse, stream, ring }: SearchedStores,
  profileId: string,
  customerIds: ReadonlySet<string>,
): Promise<Record<string, number>> {
  const hits: Record<string, number> = {};
  const scan = (store: string, text: string) => {
    const isHit = hasCanary(text) || (text.match(uuids) ?? []).some((id) => customerIds.has(id));
    if (isHit) hits[store] = (hits[store] ?? 0) + 1;
  };
  /** Queries every PostgreSQL server, regardless of where the profile is registered. */
  const inLedger = async <Row>(statement: ReturnType<typeof sql<Row>>) => {
    let rows: Row[] = [];
    for (const server of postgres.shards.values())
      rows = rows.concat((await server.forProfile(profileId).transaction((tx) => statement.execute(tx))).rows);
    return rows;
  };
  const { rows: tables } = await postgres.unbound.query(sql<{ name: string; owner: string }>`
    SELECT table_name AS name, column_name AS owner FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name IN ('profile_id', 'owner_id')`);
  for (const { name, owner } of tables) {
    const rows = await inLedger(sql<{ text: string }>`
      SELECT t::text AS text FROM ${sql.table(name)} t WHERE ${sql.ref(owner)} = ${profileId}`);
    for (const { text } of rows) scan(`postgres ${name}`, text);
  }
  const vault = ring.envelope();
  for (const { table, column, row: rowName, owner } of sealed) {
    const rows = await inLedger(sql<{ row: string; bytes: Buffer }>`
      SELECT ${rowName} AS row, ${sql.ref(column)} AS bytes FROM ${sql.table(table)}
      WHERE ${sql.ref(owner)} = ${profileId} AND ${sql.ref(column)} IS NOT NULL`);
    for (const { row, bytes } of rows) scan(`${table}, opened`, vault.open(bytes, { table, column, row, profileId }));
  }
  const opener = createOpener(() => ring.keys('stream'));
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof stream.deadLetters.list>> = await stream.deadLetters.list({ after });
    for (const { payload } of page.letters)
      for (const line of Buffer.from(payload).toString('utf8').split('\n'))
        if (line.includes(profileId)) scan('dead letters, opened', line + decryptParts(line, profileId, opener));
    after = page.next;
  }
  for (const node of connectEveryNode(clickhouse.settings)) {
    for (const { name } of await node.query('profile_table_list', {}))
      for await (const row of node.stream(raw(`SELECT * FROM ${name} WHERE profile_id = {profileId:UUID}`), {
        profileId,
      }))
        scan(`clickhouse ${name}`, JSON.stringify(row));
    await node.close();
  }
  return hits;
}

function decryptParts(line: string, profileId: string, opener: ReturnType<typeof createOpener>): string {
  const message = JSON.parse(line) as { client_id: string; sealed?: string; broken?: { sealed: string }[] };
  const context = { table: 'stream', column: 'visits', row: message.client_id, profileId };
  const parts = [message.sealed, ...(message.broken ?? []).map((one) => one.sealed)];
  return parts
    .flatMap((part) => {
      try {
        return part ? [opener.open(Buffer.from(part, 'base64'), context)] : [];
      } catch {
        // Fabricated ciphertext cannot be decrypted.
        return [];
      }
    })
    .join('\n');
}

const uuids = new RegExp(uuidPattern, 'g');

/** Whether the text contains a canary, in plain form, percent-encoded or in base64. */
function hasCanary(text: string): boolean {
  if (/canary/i.test(text)) return true;
  const decoded = text.replace(/(?:%(?:25)*[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll(/%(?:25)*/gi, ''), 'hex').toString('latin1'),
  );
  if (/canary/i.test(decoded)) return true;
  return (text.match(/[\w+/-]{16,}/g) ?? []).some((run) =>
    /canary/i.test(Buffer.from(run, 'base64').toString('latin1')),
  );
}
