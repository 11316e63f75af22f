import { type ClickHouse, connectEveryNode, raw } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import { createOpener, type KeyRing } from '@tributary/vault';
import { uuidPattern } from '@tributary/vocabulary';
import { sql } from 'kysely';

/**
 * A search for canaries that shares no code with what erases: it asks the engines themselves which tables there are, opens what is
 * sealed with the keys alone, and looks for the word in whatever it makes plain.
 */
export interface Searched {
  readonly postgres: Postgres;
  readonly clickhouse: ClickHouse;
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly ring: KeyRing;
}

/** Where PostgreSQL keeps sealed texts, and what names a row: the names of its columns in a row's seal are its own affair. */
const sealed = [
  { table: 'bad_visits', column: 'sealed', row: sql`id::text`, owner: 'profile_id' },
  { table: 'journey_summaries', column: 'sealed', row: sql`person_id::text`, owner: 'profile_id' },
  { table: 'idempotent_answers', column: 'body', row: sql`encode(key_hash, 'hex')`, owner: 'owner_id' },
] as const;

/** In how many rows of each store a canary stands, or the id of a customer who was one. */
export async function findCanaries(
  { postgres, clickhouse, stream, ring }: Searched,
  profileId: string,
  customerIds: ReadonlySet<string>,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const look = (store: string, text: string) => {
    const isTheirs = hasCanary(text) || (text.match(uuids) ?? []).some((id) => customerIds.has(id));
    if (isTheirs) found[store] = (found[store] ?? 0) + 1;
  };
  /** On every server, wherever the profile is said to be. */
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
    for (const { text } of rows) look(`postgres ${name}`, text);
  }
  const vault = ring.envelope();
  for (const { table, column, row: named, owner } of sealed) {
    const rows = await inLedger(sql<{ row: string; bytes: Buffer }>`
      SELECT ${named} AS row, ${sql.ref(column)} AS bytes FROM ${sql.table(table)}
      WHERE ${sql.ref(owner)} = ${profileId} AND ${sql.ref(column)} IS NOT NULL`);
    for (const { row, bytes } of rows) look(`${table}, opened`, vault.open(bytes, { table, column, row, profileId }));
  }
  const opener = createOpener(() => ring.keys('stream'));
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof stream.deadLetters.list>> = await stream.deadLetters.list({ after });
    for (const { payload } of page.letters)
      for (const line of Buffer.from(payload).toString('utf8').split('\n'))
        if (line.includes(profileId)) look('dead letters, opened', line + openedParts(line, profileId, opener));
    after = page.next;
  }
  for (const node of connectEveryNode(clickhouse.settings)) {
    for (const { name } of await node.query('profile_table_list', {}))
      for await (const row of node.stream(raw(`SELECT * FROM ${name} WHERE profile_id = {profileId:UUID}`), {
        profileId,
      }))
        look(`clickhouse ${name}`, JSON.stringify(row));
    await node.close();
  }
  return found;
}

function openedParts(line: string, profileId: string, opener: ReturnType<typeof createOpener>): string {
  const message = JSON.parse(line) as { client_id: string; sealed?: string; broken?: { sealed: string }[] };
  const place = { table: 'stream', column: 'visits', row: message.client_id, profileId };
  const parts = [message.sealed, ...(message.broken ?? []).map((one) => one.sealed)];
  return parts
    .flatMap((part) => {
      try {
        return part ? [opener.open(Buffer.from(part, 'base64'), place)] : [];
      } catch {
        // One that was made up does not open for anybody.
        return [];
      }
    })
    .join('\n');
}

const uuids = new RegExp(uuidPattern, 'g');

/** As it is, behind percent signs, or in base64. */
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
