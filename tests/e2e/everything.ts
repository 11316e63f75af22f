import { type ClickHouse, raw } from '@tributary/clickhouse';
import { scanTexts } from '@tributary/redis';
import pg from 'pg';
import type { ShopScene } from './shop-scene.ts';

/** The text of everything that any store contains, by its location. */
export type Everything = ReadonlyMap<string, string>;

export async function dumpEverything({ kit, clickhouse, log, redis, api }: ShopScene): Promise<Everything> {
  const texts = await Array.fromAsync(scanTexts(redis));
  const messages = [...(await log.texts())];
  return new Map([
    ...(await tablesOfPostgres(kit.database.ownerUrl)),
    ...(await tablesOfClickHouse(clickhouse)),
    ...messages.map(([stream, lines]): [string, string] => [`stream ${stream}`, lines.join('\n')]),
    ['redis', texts.join('\n')],
    ['log of the api', api.logLines.join('\n')],
  ]);
}

/**
 * Row-level security applies to the owner too, who may disable it; the rollback restores it. One table at a time, because other sessions use them.
 */
async function tablesOfPostgres(ownerUrl: string): Promise<[string, string][]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(`
      SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY name`);
    const dumped: [string, string][] = [];
    for (const { name } of tables) {
      await client.query('BEGIN');
      await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`);
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      await client.query('ROLLBACK');
      dumped.push([`postgres ${name.replace('public.', '')}`, rows.map(({ text }) => text).join('\n')]);
    }
    return dumped;
  } finally {
    await client.end();
  }
}

/** Without FINAL, so that replaced rows are included. */
async function tablesOfClickHouse(clickhouse: ClickHouse): Promise<[string, string][]> {
  const dumped: [string, string][] = [];
  for (const { name, engine } of await clickhouse.query('table_list', {})) {
    if (engine.endsWith('View')) continue;
    const rows = await clickhouse.query(raw(`SELECT * FROM ${name}`), {});
    dumped.push([`clickhouse ${name}`, rows.map((row) => JSON.stringify(row)).join('\n')]);
  }
  return dumped;
}

/** The locations of a word: in any case, percent-encoded, or as hexadecimal or base64 bytes. */
export function placesOf(word: string, everything: Everything): string[] {
  const bytes = Buffer.from(word);
  const readable = [word, encodeURIComponent(word), bytes.toString('hex')].map((form) => form.toLowerCase());
  const packed = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Without the letters whose bits include neighbouring bytes.
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [...everything].flatMap(([place, text]) => {
    const lower = text.toLowerCase();
    return readable.some((form) => lower.includes(form)) || packed.some((form) => text.includes(form)) ? [place] : [];
  });
}
