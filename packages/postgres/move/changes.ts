import { createHash } from 'node:crypto';
import type pg from 'pg';

/** Rows by table, each as the values of its key. */
export type Keys = ReadonlyMap<string, readonly (readonly string[])[]>;

/** `ids`: the tenants whose rows are tracked. `keys`: the key columns by table. `atOnce`: how many changes are read per query. */
export interface TrackedRows {
  readonly ids: readonly string[];
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly atOnce: number;
}

/**
 * Tracks by key which rows of some tables were written since the replication slot was created. The kind of change does not matter: the
 * caller reads the row again and finds its current state, or that it was deleted.
 */
export class Changes {
  readonly #client: pg.Client;
  readonly #slot: string;
  readonly #ids: readonly string[];
  readonly #keys: ReadonlyMap<string, readonly string[]>;
  readonly #atOnce: number;
  /** Reported keys whose rows may not be copied yet: reported again until `acknowledge` is called. */
  readonly #pending = new Map<string, Map<string, readonly string[]>>();

  private constructor(client: pg.Client, slot: string, { ids, keys, atOnce }: TrackedRows) {
    this.#client = client;
    this.#slot = slot;
    this.#ids = ids;
    this.#keys = keys;
    this.#atOnce = atOnce;
  }

  /** Needs an administrator, because other roles may not read the changes of other sessions. From here on no change is missed. */
  static async open(client: pg.Client, name: string, tracked: TrackedRows): Promise<Changes> {
    const slot = `tributary_move_${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
    await dropSlot(client, slot);
    await client.query(`SELECT pg_create_logical_replication_slot($1, 'test_decoding')`, [slot]);
    return new Changes(client, slot, tracked);
  }

  /** All rows that were written and not acknowledged yet. */
  async readPending(): Promise<Keys> {
    // Changes of other tenants are read and skipped, so a batch without changes of these tenants does not mean the end.
    while (await this.#readBatch());
    return new Map([...this.#pending].map(([table, keys]) => [table, [...keys.values()]]));
  }

  /** Marks all reported rows as copied. */
  acknowledge(): void {
    this.#pending.clear();
  }

  /** Returns false when there are no more changes. */
  async #readBatch(): Promise<boolean> {
    const { rows } = await this.#client.query<{ data: string | null; n: number }>(
      `WITH batch AS MATERIALIZED (
        SELECT data FROM pg_logical_slot_get_changes($1, NULL, ${this.#atOnce}, 'include-xids', '0', 'skip-empty-xacts', '1')
      )
      SELECT data, 0 AS n FROM batch WHERE data ~ $2 UNION ALL SELECT NULL, count(*)::int FROM batch`,
      [this.#slot, this.#ids.join('|')],
    );
    let batchSize = 0;
    for (const { data, n } of rows) {
      if (data === null) batchSize = n;
      else this.#add(readChange(data));
    }
    return batchSize > 0;
  }

  #add(change: Change | undefined): void {
    const key = change && this.#keys.get(change.table);
    if (!key) return;
    const keys = this.#pending.get(change.table) ?? new Map<string, readonly string[]>();
    this.#pending.set(change.table, keys);
    for (const row of change.rows) {
      const values = key.map((column) => row.get(column));
      if (values.every((value) => typeof value === 'string')) keys.set(JSON.stringify(values), values as string[]);
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
  /** The row before, if its key changed, and the row after: values by column, as far as the change contains them. */
  readonly rows: readonly ReadonlyMap<string, string | null>[];
}

/** Parses a line of PostgreSQL's test_decoding: `table public.outcomes: UPDATE: profile_id[uuid]:'…' note[text]:null n[integer]:3`. */
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

/** Reads a quoted value with doubled quotes, or a bare value up to the next space. */
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
