import { type ClickHouse, raw } from '@tributary/clickhouse';
import { saveConnection } from '@tributary/domain/connections';
import type { Postgres } from '@tributary/postgres';
import type { Provider, Providers } from '@tributary/providers';
import { agree, callTo, type Sandbox } from '@tributary/sandbox';
import { type BuilderKit, buildMarkedProfile, testVault } from '@tributary/testkit';
import type { Channel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A shop that connected its accounts at the sandbox. */
export interface Shop {
  readonly id: string;
  readonly workspaceId: string;
}

const redirectUri = 'http://127.0.0.1:4000/connect/callback';

/** Connects what a person agrees to, as a hand-off would. */
export async function connect(app: Postgres, sandbox: Sandbox, providers: Providers, shop: Shop, channel: Channel) {
  const { connect: way } = providers.of(channel) as Provider;
  if (!way) throw new Error(`${channel} cannot be connected.`);
  const call = callTo(sandbox, new Date());
  const back = way.readCallback(await agree(way.authorizeUrl({ redirectUri, state: 's' })));
  if (!('code' in back)) throw new Error(`The sandbox said ${back.reason}.`);
  const credentials = await way.exchange({ code: back.code, redirectUri }, call);
  const [candidate] = await way.candidates(credentials, call);
  if (!candidate) throw new Error('The sandbox has no account.');
  const made = { profileId: shop.id, workspaceId: shop.workspaceId, appId: undefined, channel, candidate };
  await app
    .forProfile(shop.id)
    .transaction((tx) =>
      saveConnection(tx, { vault: testVault, providers }, { ...made, credentials, now: new Date() }),
    );
  return candidate;
}

export const buildShop = async (kit: BuilderKit): Promise<Shop> => buildMarkedProfile(kit);

const places = (profileId: string, row: string) => ({ table: 'connections', column: 'credentials', row, profileId });

interface Kept {
  readonly id: string;
  readonly profile_id: string;
  readonly status: string;
  readonly credentials: Buffer;
}

/** The connections of a shop, with what is kept of their way in. */
export async function connectionsOf(app: Postgres, { id }: Shop) {
  const { rows } = await app
    .forProfile(id)
    .transaction((tx) => sql<Kept>`SELECT id, profile_id, status, credentials FROM connections`.execute(tx));
  return rows.map((row) => ({
    ...row,
    opened: JSON.parse(testVault.open(row.credentials, places(row.profile_id, row.id))) as Record<string, unknown>,
  }));
}

/** As if the access token had run out: whoever reads next needs a new pair. */
export async function runOut(app: Postgres, shop: Shop, channel: Channel): Promise<void> {
  const { rows } = await app
    .forProfile(shop.id)
    .transaction((tx) =>
      sql<Kept>`SELECT id, profile_id, status, credentials FROM connections WHERE channel = ${channel}`.execute(tx),
    );
  for (const { id, credentials } of rows) {
    const opened = JSON.parse(testVault.open(credentials, places(shop.id, id)));
    const sealed = testVault.seal(
      JSON.stringify({ ...opened, expiresAt: new Date(0).toISOString() }),
      places(shop.id, id),
    );
    await app
      .forProfile(shop.id)
      .transaction((tx) =>
        sql`UPDATE connections SET credentials = ${sealed} WHERE id = ${id} AND credentials = ${credentials}`.execute(
          tx,
        ),
      );
  }
}

/** As a text stands in a column of text, and in one of bytes as PostgreSQL shows it. */
const asShown = (text: string): string[] => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64'),
];

/** How many rows of any table of an engine hold one of these texts in the clear, and how many rows were looked at. */
export async function searchTables(owner: Postgres, texts: readonly string[]) {
  const { rows: tables } = await owner.unbound.query(sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`);
  const patterns = texts.flatMap(asShown).map((text) => `%${text}%`);
  let [leaks, searched] = [0, 0];
  for (const { name } of tables) {
    const { rows } = await owner.unbound.query(sql<{ all: number; n: number }>`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE t::text LIKE ANY (${patterns}::text[]))::int AS n FROM ${sql.table(name)} t`);
    leaks += rows[0]?.n ?? 0;
    searched += rows[0]?.all ?? 0;
  }
  return { leaks, searched };
}

export async function searchColumns(clickhouse: ClickHouse, texts: readonly string[]) {
  const tables = (await clickhouse.query(
    raw("SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"),
    {},
  )) as { name: string }[];
  const encoded = texts.flatMap(asShown);
  let [leaks, searched] = [0, 0];
  for (const { name } of tables) {
    for (const row of await clickhouse.query(raw(`SELECT * FROM ${name}`), {})) {
      const text = JSON.stringify(row);
      searched += 1;
      if (encoded.some((one) => text.includes(one))) leaks += 1;
    }
  }
  return { leaks, searched };
}
