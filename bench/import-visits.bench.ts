import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, createClickHouse, raw } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { type Bench, buildProfile, openDrillKit, openWarehouse } from '@tributary/testkit';
import { createVault, ensureKeys } from '@tributary/vault';
import { columns } from '../packages/clickhouse/tables.ts';

const sizes = { small: 200_000, full: 10_000_000 } as const;
const visitsPerBrowser = 8;
/** The batch size of the import. */
const batch = 10_000;
/** The number of rows that the bare side inserts: its pace does not change with more. */
const mostBare = 500_000;

/** Imports a file of visits with a kill -9 in between. Our side reads, validates, classifies and stores; the bare side inserts the resulting rows. */
export const bench: Bench = {
  name: 'import-visits',
  question: 'How many visits a second does the import of a CSV file store, to the bare insert of the same rows?',
  better: 'higher',

  async run({ progress, isSmall }) {
    const rows = isSmall ? sizes.small : sizes.full;
    const kit = await openDrillKit('bench-import-visits', ['postgres', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const bareKit = { clickhouse: kit.clickhouse, clickhouseDatabase: `${kit.clickhouseDatabase}_bare` };
    const bareWarehouse = await openWarehouse(bareKit);
    const patient = createClickHouse({
      url: kit.clickhouseUrl,
      database: kit.clickhouseDatabase,
      requestTimeoutMs: 600_000,
    });
    const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
    try {
      const operator = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
      await ensureKeys(operator.unbound, createVault([{ id: 'test', bytes: Buffer.alloc(32, 1) }]), new Date());
      await operator.close();
      const { id: profileId } = await buildProfile(kit.app);
      const file = join(folder, 'visits.csv');
      await writeVisits(file, rows);
      const importing = () =>
        spawn(process.execPath, ['apps/cli/main.ts', 'import', 'visits', file, '--profile', profileId, '--json'], {
          cwd: join(import.meta.dirname, '..'),
          env: {
            ...process.env,
            DATABASE_APP_URL: kit.database.appUrl,
            DATABASE_OWNER_URL: kit.database.ownerUrl,
            DATABASE_SYSTEM_URL: kit.database.systemUrl,
            CLICKHOUSE_URL: kit.clickhouseUrl,
            CLICKHOUSE_DATABASE: kit.clickhouseDatabase,
            BASE_URL: 'http://127.0.0.1',
            ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
      const megabytes: number[] = [];
      /** Rows and seconds between the first stored batch of a run and its end, which excludes the start of the process. */
      const paced = { rows: 0, seconds: 0 };
      const watch = async (child: ChildProcess, until: (done: number) => boolean) => {
        const before = doneOf(file);
        const ended = once(child, 'close');
        let begun: { readonly done: number; readonly at: number } | undefined;
        let seen = 0;
        while (child.exitCode === null && child.signalCode === null && !until(doneOf(file))) {
          megabytes.push(megabytesOf(child.pid ?? 0));
          seen = Math.max(seen, doneOf(file));
          if (seen > before) begun ??= { done: seen, at: performance.now() };
          progress(seen, rows, `${megabytes.at(-1)} MB`);
          await Promise.race([ended, sleep(250)]);
        }
        await ended;
        if (!begun) return;
        // A completed run deletes its progress file.
        paced.rows += (child.signalCode ? doneOf(file) : rows) - begun.done;
        paced.seconds += (performance.now() - begun.at) / 1_000;
      };
      const first = importing();
      const isKilled = (done: number) => done >= rows / 3 && first.kill('SIGKILL');
      await watch(first, isKilled);
      const second = importing();
      let output = '';
      second.stdout?.on('data', (text: Buffer) => {
        output += text;
      });
      await watch(second, () => false);
      const counts = JSON.parse(output) as { imported: number; rejected: number };
      const stored = await countStored(patient, profileId);
      const bare = await insertBare(patient, bareWarehouse.client, profileId, Math.min(rows, mostBare));
      const ours = paced.rows / paced.seconds;
      const [early = 0] = megabytes.slice(Math.floor(megabytes.length / 5));
      return {
        ratio: Math.round((ours / bare) * 1_000) / 1_000,
        visits_per_second: { ours: Math.round(ours), bare: Math.round(bare) },
        rows,
        stored,
        is_exact: stored.visits === rows && stored.different === rows && counts.imported === rows,
        memory_mb: { early, last: megabytes.at(-1), most: Math.max(...megabytes) },
        killed_after: Math.round(rows / 3),
      };
    } finally {
      rmSync(folder, { recursive: true });
      await patient.close();
      await bareWarehouse.drop();
      await warehouse.drop();
      await kit.close();
    }
  },
};

const pages = ['cart', 'checkout/step-2', 'blog/how-to-choose', 'search?q=red+shoes&page=2'];

/**
 * Browsers that arrive by an ad, each with its own click id, and then view pages. One of the pages varies among two thousand products, so that caches
 * of URLs are not always hit.
 */
async function writeVisits(file: string, rows: number): Promise<void> {
  const out = createWriteStream(file);
  out.write('client_id,session_id,is_session_start,occurred_at,url,referrer,country,user_agent\n');
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const begin = Date.UTC(2026, 0, 1);
  for (let from = 0; from < rows; from += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - from) }, (_, place) => {
      const index = from + place;
      const [browser, page] = [Math.floor(index / visitsPerBrowser), index % visitsPerBrowser];
      const at = new Date(begin + (index % 7_776_000) * 1_000).toISOString();
      const [url, referrer] =
        page === 0
          ? [
              `https://shop.example/shoes?utm_source=facebook&utm_medium=paid_social&utm_id=120200000000000001&fbclid=IwAR0aBcDeFgHiJkLmNoPqRs${browser.toString(36).padStart(7, 'T')}`,
              'https://l.facebook.com/',
            ]
          : [
              `https://shop.example/${pages[page] ?? `shoes/runner-${browser % 2_000}?size=42`}`,
              'https://shop.example/shoes',
            ];
      return `b-${browser},s-${browser},${page === 0},${at},${url},${referrer},CL,${agent}\n`;
    });
    if (!out.write(lines.join(''))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

function doneOf(file: string): number {
  try {
    return (JSON.parse(readFileSync(`${file}.progress.json`, 'utf8')) as { counts: { rows: number } }).counts.rows;
  } catch {
    return 0;
  }
}

function megabytesOf(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024);
  } catch {
    return 0;
  }
}

async function countStored(clickhouse: ClickHouse, profileId: string) {
  const [found] = await clickhouse.query(
    raw<{ visits: string; different: string; touches: string }>(`
      SELECT count() AS visits, uniqExact(visit_id) AS different,
        (SELECT count() FROM touches FINAL WHERE profile_id = {profileId:UUID}) AS touches
      FROM visits FINAL WHERE profile_id = {profileId:UUID}`),
    { profileId },
  );
  const { visits = 0, different = 0, touches = 0 } = found ?? {};
  return { visits: Number(visits), different: Number(different), touches: Number(touches) };
}

/** Inserts prepared copies of the stored rows into empty tables; returns visits per second. */
async function insertBare(from: ClickHouse, into: ClickHouse, profileId: string, rows: number): Promise<number> {
  const linesOf = async (table: 'visits' | 'touches', id: 'visit_id' | 'touch_id', last: string) => {
    const found = await from.query(
      raw<Record<string, unknown>>(
        `SELECT * FROM ${table} FINAL WHERE profile_id = {profileId:UUID} AND ${id} > {last:UUID} ORDER BY ${id} LIMIT ${batch}`,
      ),
      { profileId, last },
    );
    const lines = found.map((row) => JSON.stringify(columns[table].map((name) => row[name]))).join('\n');
    return { lines, count: found.length, last: String(found.at(-1)?.[id] ?? '') };
  };
  let [done, milliseconds] = [0, 0];
  let after = { visit: '00000000-0000-0000-0000-000000000000', touch: '00000000-0000-0000-0000-000000000000' };
  while (done < rows) {
    const visits = await linesOf('visits', 'visit_id', after.visit);
    // The same proportion of touches as in our import: a fixed share of visits begins with an ad.
    const touches =
      done % (batch * visitsPerBrowser) === 0 ? await linesOf('touches', 'touch_id', after.touch) : undefined;
    const startedAt = performance.now();
    await Promise.all([
      into.insertArrays('visits', columns.visits, visits.lines),
      ...(touches ? [into.insertArrays('touches', columns.touches, touches.lines)] : []),
    ]);
    milliseconds += performance.now() - startedAt;
    done += visits.count;
    after = { visit: visits.last, touch: touches?.last ?? after.touch };
    if (visits.count < batch) break;
  }
  return done / (milliseconds / 1_000);
}
