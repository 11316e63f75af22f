import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouse, QueryName, RawQuery } from '@tributary/clickhouse';

type Query = QueryName | RawQuery<unknown>;

/** Two stores at once: writes go into both, and every query must return the same rows from both. */
export interface Twin {
  readonly client: ClickHouse;
  /** The names of the executed queries. */
  readonly asked: ReadonlySet<string>;
  readonly differences: readonly string[];
}

/** Returns the first store's rows. `ignore` lists columns that describe the store rather than its data. */
export function createTwin(first: ClickHouse, second: ClickHouse, ignore: ReadonlySet<string>): Twin {
  const queryNames = new Set<string>();
  const differences: string[] = [];
  const nameOf = (query: Query) => (typeof query === 'string' ? query : query.sql);
  const compare = (query: Query, parameters: object, ...answers: readonly [unknown[], unknown[]]) => {
    queryNames.add(nameOf(query));
    const [one, other] = answers.map((rows) => rows.map((row) => shown(row, ignore)).sort());
    const at = (one ?? []).findIndex((row, index) => row !== other?.[index]);
    if (at >= 0 || one?.length !== other?.length)
      differences.push(
        `${nameOf(query)} ${JSON.stringify(parameters)}: ${one?.length} rows and ${other?.length}, ${one?.[at]} is ${other?.[at]}`,
      );
  };
  const both = async (act: (client: ClickHouse) => Promise<void>) => {
    await Promise.all([act(first), act(second)]);
  };
  const client: ClickHouse = {
    settings: first.settings,
    async query(query, parameters, options) {
      const [one, other] = await Promise.all([first, second].map((each) => each.query(query, parameters, options)));
      compare(query, parameters, one ?? [], other ?? []);
      return one ?? [];
    },
    async *stream(query, parameters, options) {
      const [one = [], other = []] = await Promise.all(
        [first, second].map((each) => Array.fromAsync(each.stream(query, parameters, options))),
      );
      compare(query, parameters, one, other);
      yield* one;
    },
    parquet: (query, parameters, options) => first.parquet(query, parameters, options),
    command: (query, parameters, options) => {
      queryNames.add(nameOf(query));
      return both((each) => each.command(query, parameters, options));
    },
    insert: (table, rows, options) => both((each) => each.insert(table, rows, options)),
    insertLines: (table, lines, options) => both((each) => each.insertLines(table, lines, options)),
    insertArrays: (table, columns, lines, options) => both((each) => each.insertArrays(table, columns, lines, options)),
    async insertText(table, columns, from, options) {
      const whole = await text(from);
      await both((each) => each.insertText(table, columns, Readable.from([whole], { objectMode: false }), options));
    },
    ping: () => both((each) => each.ping()),
    close: () => both((each) => each.close()),
  };
  return { client, asked: queryNames, differences };
}

/** Rounds the last digits of floats off, because engines add in different orders. */
const shown = (row: unknown, ignore: ReadonlySet<string>) =>
  JSON.stringify(row, (key, value: unknown) => {
    if (ignore.has(key)) return undefined;
    return typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(9) : value;
  });
