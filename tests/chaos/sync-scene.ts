import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { saveConnection } from '@tributary/domain/advertising/connections';
import { type Postgres, pgDump } from '@tributary/postgres';
import type { Provider, Providers } from '@tributary/providers';
import { callTo, completeConsent, type Sandbox } from '@tributary/sandbox';
import { type BuilderKit, buildMarkedProfile, testVault } from '@tributary/testkit';
import type { Vault } from '@tributary/vault';
import type { Channel } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** A shop that connected its accounts at the sandbox. */
export interface Shop {
  readonly id: string;
  readonly workspaceId: string;
}

const redirectUri = 'http://127.0.0.1:4000/connect/callback';

/** Connects what a person agrees to, as a hand-off would. */
export async function connect(
  app: Postgres,
  sandbox: Sandbox,
  providers: Providers,
  shop: Shop,
  channel: Channel,
  vault: Vault = testVault,
) {
  const { connect: way } = providers.of(channel) as Provider;
  if (!way) throw new Error(`${channel} cannot be connected.`);
  const call = callTo(sandbox, new Date());
  const back = way.readCallback(await completeConsent(way.authorizeUrl({ redirectUri, state: 's' })));
  if (!('code' in back)) throw new Error(`The sandbox said ${back.reason}.`);
  const credentials = await way.exchange({ code: back.code, redirectUri }, call);
  const [candidate] = await way.candidates(credentials, call);
  if (!candidate) throw new Error('The sandbox has no account.');
  const made = { profileId: shop.id, workspaceId: shop.workspaceId, appId: undefined, channel, candidate };
  await app
    .forProfile(shop.id)
    .transaction((tx) => saveConnection(tx, { vault, providers }, { ...made, credentials, now: new Date() }));
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

/** One pattern for all of them: a dump is long. */
const patternOf = (texts: readonly string[]): RegExp =>
  new RegExp(
    texts
      .flatMap(asShown)
      .map((text) => RegExp.escape(text))
      .join('|'),
  );

/**
 * How many lines of a dump of all tables, of whatever schema, hold one of these texts in the clear, and how many there are. It is made
 * as the superuser: whoever owns the tables sees only a part of their rows.
 */
export async function searchDump(ownerUrl: string, texts: readonly string[]) {
  const { host, pathname, password } = new URL(ownerUrl);
  const dump = spawn(pgDump(), ['--data-only', `postgres://postgres:${password}@${host}${pathname}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(dump, 'close');
  const pattern = patternOf(texts);
  let [leaks, searched] = [0, 0];
  for await (const line of createInterface({ input: dump.stdout })) {
    searched += 1;
    if (pattern.test(line)) leaks += 1;
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`pg_dump ended with ${code}.`);
  return { leaks, searched };
}

export async function searchColumns(clickhouse: ClickHouse, texts: readonly string[]) {
  const tables = (await clickhouse.query(
    raw("SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"),
    {},
  )) as { name: string }[];
  const pattern = patternOf(texts);
  let [leaks, searched] = [0, 0];
  for (const { name } of tables) {
    for (const row of await clickhouse.query(raw(`SELECT * FROM ${name}`), {})) {
      searched += 1;
      if (pattern.test(JSON.stringify(row))) leaks += 1;
    }
  }
  return { leaks, searched };
}
