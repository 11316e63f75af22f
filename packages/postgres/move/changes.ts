import { createHash } from 'node:crypto';
import type pg from 'pg';

/** Rows by their tables, each by the values of its key. */
export type Keys = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Whose rows are told of, by what their keys are called; `atOnce` is how many changes are read at a time. */
export interface Watched {
  readonly ids: readonly string[];
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly atOnce: number;
}

/**
 * Which rows of some tables were written since the slot was made, by their keys. What a change was need not be known: whoever follows reads
 * the row anew, and finds it as it is by then, or gone.
 */
export class Changes {
  readonly #client: pg.Client;
  readonly #slot: string;
  readonly #ids: readonly string[];
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  readonly #atOnce: number;
  /** Told of, and perhaps not followed: told again until somebody says that they are. */
  readonly #open = new Map<string, Map<string, readonly string[]>>();

  private constructor(client: pg.Client, slot: string, { ids, keys, atOnce }: Watched) {
    this.#client = client;
    this.#slot = slot;
    this.#ids = ids;
    this.#keys = keys;
    this.#atOnce = atOnce;
  }

  /** As an administrator: nobody else may read what others write. From now on nothing is missed. */
  static async open(client: pg.Client, name: string, watched: Watched): Promise<Changes> {
    const slot = `tributary_move_${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
    await dropSlot(client, slot);
    await client.query(`SELECT pg_create_logical_replication_slot($1, 'test_decoding')`, [slot]);
    return new Changes(client, slot, watched);
  }

  /** All that was written and has not been followed yet. */
  async told(): Promise<Keys> {
    // What others wrote is read and left out; that none of some is ours says nothing of the next.
    while (await this.#takeSome());
    return new Map([...this.#open].map(([table, some]) => [table, [...some.values()]]));
  }

  /** What was told is as it should be, for good. */
  followed(): void {
    this.#open.clear();
  }

  /** Whether there may be more. */
  async #takeSome(): Promise<boolean> {
    const { rows } = await this.#client.query<{ data: string | null; n: number }>(
      `WITH taken AS MATERIALIZED (
        SELECT data FROM pg_logical_slot_get_changes($1, NULL, ${this.#atOnce}, 'include-xids', '0', 'skip-empty-xacts', '1')
      )
      SELECT data, 0 AS n FROM taken WHERE data ~ $2 UNION ALL SELECT NULL, count(*)::int FROM taken`,
      [this.#slot, this.#ids.join('|')],
    );
    let taken = 0;
    for (const { data, n } of rows) {
      if (data === null) taken = n;
      else this.#keep(readChange(data));
    }
    return taken > 0;
  }

  #keep(change: Change | undefined): void {
    const key = change && this.#keys.get(change.table);
    if (!key) return;
    const some = this.#open.get(change.table) ?? new Map<string, readonly string[]>();
    this.#open.set(change.table, some);
    for (const row of change.rows) {
      const values = key.map((column) => row.get(column));
      if (values.every((value) => typeof value === 'string')) some.set(JSON.stringify(values), values as string[]);
    }
  }

  close(): Promise<void> {
    return dropSlot(this.#client, this.#slot);
  }
}

async function dropSlot(client: pg.Client, slot: string): Promise<void> {
  await client.query(
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active',
    [slot],
  );
}

interface Change {
  readonly table: string;
  /** The row before, where its key was another, and the row after: each by column, as far as the change tells. */
  readonly rows: readonly ReadonlyMap<string, string | null>[];
}

/** One line of PostgreSQL's test_decoding: `table public.outcomes: UPDATE: profile_id[uuid]:'…' note[text]:null n[integer]:3`. */
export function readChange(line: string): Change | undefined {
  const [head, table] = /^table public\.(\w+): (?:INSERT|UPDATE|DELETE): /.exec(line) ?? [];
  if (head === undefined || table === undefined) return undefined;
  const rows: Map<string, string | null>[] = [];
  let row = new Map<string, string | null>();
  for (let at = head.length; at < line.length; ) {
    const part = /^(?:old-key: | ?new-tuple: )/.exec(line.slice(at, at + 12))?.[0];
    if (part) {
      if (row.size > 0) rows.push(row);
      row = new Map();
      at += part.length;
      continue;
    }
    const column = /^ ?("?)(\w+)\1\[(?:[^[\]]|\[\])*\]:/.exec(line.slice(at, at + 200));
    if (!column) break;
    at += column[0].length;
    const [value, end] = readValue(line, at);
    row.set(column[2] as string, value);
    at = end;
  }
  rows.push(row);
  return { table, rows };
}

/** Quoted with each quote doubled; or bare, up to the next space. */
function readValue(line: string, at: number): [value: string | null, end: number] {
  if (line[at] !== "'") {
    const space = line.indexOf(' ', at);
    const end = space === -1 ? line.length : space;
    const bare = line.slice(at, end);
    return [bare === 'null' || bare === 'unchanged-toast-datum' ? null : bare, end];
  }
  for (let end = at + 1; ; ) {
    const quote = line.indexOf("'", end);
    if (quote === -1) return [null, line.length];
    if (line[quote + 1] !== "'") return [line.slice(at + 1, quote).replaceAll("''", "'"), quote + 1];
    end = quote + 2;
  }
}
