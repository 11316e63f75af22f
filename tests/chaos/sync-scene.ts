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

/** A shop whose accounts at the sandbox are connected. */
export interface Shop {
  readonly id: string;
  readonly workspaceId: string;
}

const redirectUri = 'http://127.0.0.1:4000/connect/callback';

/** Connects the account that a merchant consents to, as a hand-off does. */
export async function connect(
  app: Postgres,
  sandbox: Sandbox,
  providers: Providers,
  shop: Shop,
  channel: Channel,
  vault: Vault = testVault,
) {
  const { connect: flow } = providers.of(channel) as Provider;
  if (!flow) throw new Error(`${channel} cannot be connected.`);
  const call = callTo(sandbox, new Date());
  const back = flow.readCallback(await completeConsent(flow.authorizeUrl({ redirectUri, state: 's' })));
  if (!('code' in back)) throw new Error(`The sandbox said ${back.reason}.`);
  const credentials = await flow.exchange({ code: back.code, redirectUri }, call);
  const [candidate] = await flow.candidates(credentials, call);
  if (!candidate) throw new Error('The sandbox has no account.');
  const made = { profileId: shop.id, workspaceId: shop.workspaceId, appId: undefined, channel, candidate };
  await app
    .forProfile(shop.id)
    .transaction((tx) => saveConnection(tx, { vault, providers }, { ...made, credentials, now: new Date() }));
  return candidate;
}

export const buildShop = async (kit: BuilderKit): Promise<Shop> => buildMarkedProfile(kit);

const credentialsLocation = (profileId: string, row: string) => ({
  table: 'connections',
  column: 'credentials',
  row,
  profileId,
});

interface StoredConnection {
  readonly id: string;
  readonly profile_id: string;
  readonly status: string;
  readonly credentials: Buffer;
}

/** Reads the connections of a shop, with their decrypted credentials. */
export async function connectionsOf(app: Postgres, { id }: Shop) {
  const { rows } = await app
    .forProfile(id)
    .transaction((tx) =>
      sql<StoredConnection>`SELECT id, profile_id, status, credentials FROM connections`.execute(tx),
    );
  return rows.map((row) => ({
    ...row,
    opened: JSON.parse(testVault.open(row.credentials, credentialsLocation(row.profile_id, row.id))) as Record<
      string,
      unknown
    >,
  }));
}

/** Marks the access token as expired, so that the next sync needs a new token pair. */
export async function expireAccessToken(app: Postgres, shop: Shop, channel: Channel): Promise<void> {
  const { rows } = await app
    .forProfile(shop.id)
    .transaction((tx) =>
      sql<StoredConnection>`SELECT id, profile_id, status, credentials FROM connections WHERE channel = ${channel}`.execute(
        tx,
      ),
    );
  for (const { id, credentials } of rows) {
    const opened = JSON.parse(testVault.open(credentials, credentialsLocation(shop.id, id)));
    const sealed = testVault.seal(
      JSON.stringify({ ...opened, expiresAt: new Date(0).toISOString() }),
      credentialsLocation(shop.id, id),
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

/** The forms that a text can have in a dump: plain in text columns, hexadecimal in binary columns, or base64. */
const dumpFormsOf = (text: string): string[] => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64'),
];

/** Combines all texts into one pattern, because a dump is long. */
const patternOf = (texts: readonly string[]): RegExp =>
  new RegExp(
    texts
      .flatMap(dumpFormsOf)
      .map((text) => RegExp.escape(text))
      .join('|'),
  );

/**
 * Counts the lines of a dump of all tables in all schemas, and the lines that hold one of the texts in the clear. The superuser makes the dump,
 * because row-level security hides rows from the owner of the tables.
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
