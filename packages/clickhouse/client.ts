import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { systemClock } from '@tributary/clock';
import { ClickHouseFailure } from './failure.ts';
import { lookUp, type Parameters, type Query, type Row } from './queries.ts';
import { type ClickHouseSettings, defaultRequestTimeoutMs, engineSettings } from './settings.ts';
import type { TableName, Tables } from './tables.ts';
import { expand } from './template.ts';

export interface ClickHouse {
  readonly settings: ClickHouseSettings;

  /** All rows at once; for an answer that is known to be small. */
  query<Asked extends Query>(query: Asked, parameters: Parameters<Asked>, options?: CallOptions): Promise<Row<Asked>[]>;

  /** Row by row, however many there are. What goes wrong on the way is thrown there. */
  stream<Asked extends Query>(
    query: Asked,
    parameters: Parameters<Asked>,
    options?: CallOptions,
  ): AsyncIterable<Row<Asked>>;

  /** The answer as a Parquet file. It begins when all of it is worked out, so what goes wrong is thrown here and no file ends in the middle. */
  parquet<Asked extends Query>(query: Asked, parameters: Parameters<Asked>, options?: CallOptions): Promise<Readable>;

  /** A statement without an answer: DDL, a mutation, INSERT ... SELECT. */
  command<Asked extends Query>(query: Asked, parameters: Parameters<Asked>, options?: CallOptions): Promise<void>;

  /** Resolves when the engine has the rows. */
  insert<Table extends TableName>(table: Table, rows: readonly Tables[Table][], options?: InsertOptions): Promise<void>;

  /** The same for rows that are JSON already, one a line. */
  insertLines(table: TableName, lines: string, options?: InsertOptions): Promise<void>;

  /** Rows as JSON arrays, one a line, with a value for each of `columns`; null where the column's default holds. */
  insertArrays(table: TableName, columns: readonly string[], lines: string, options?: InsertOptions): Promise<void>;

  /** Rows as text, in the order of `columns`, straight from wherever they come: separated by tabs, if nothing else is said. */
  insertText(table: TableName, columns: readonly string[], text: Readable, options?: TextOptions): Promise<void>;

  /** Rejects with the reason when the engine, the credentials or the database are not as the settings say. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface InsertOptions extends CallOptions {
  /** The engine drops an insert whose token it has seen lately, so that a retry of the very same rows adds nothing. */
  readonly token?: string;
}

export interface TextOptions extends InsertOptions {
  readonly format?: 'TabSeparated' | 'JSONCompactEachRow';
}

export function createClickHouse(settings: ClickHouseSettings): ClickHouse {
  const { clock = systemClock, observe = () => {} } = settings;
  const driver = createClient({
    url: settings.url,
    database: settings.database,
    ...(settings.username !== undefined && { username: settings.username }),
    ...(settings.password !== undefined && { password: settings.password }),
    application: 'tributary',
    request_timeout: settings.requestTimeoutMs ?? defaultRequestTimeoutMs,
    clickhouse_settings: engineSettings(settings),
    compression: { request: { codec: 'zstd', level: 1 }, response: { codec: 'zstd' } },
    // Hundreds of ids do not fit into an address.
    use_multipart_params_auto: true,
    // After a stall of ours, better a new connection than one that the engine has closed meanwhile.
    keep_alive: { eagerly_destroy_stale_sockets: true },
    // Every error reaches the caller; the driver would print it besides.
    log: { level: ClickHouseLogLevel.OFF },
  });

  /** Gives a request its id; its end is told to the observer, and an error becomes one that can be found again. */
  function begin(statement: string, { signal, isQuestion = false }: CallOptions & { isQuestion?: boolean } = {}) {
    const queryId = `${statement.replaceAll(' ', '_')}-${randomUUID()}`;
    const startedAt = clock.now().getTime();
    return {
      request: { query_id: queryId, ...(signal && { abort_signal: signal }) },
      end(cause?: unknown): ClickHouseFailure | undefined {
        const error =
          cause === undefined ? undefined : new ClickHouseFailure(statement, queryId, cause, { isQuestion });
        observe({ statement, queryId, durationMs: clock.now().getTime() - startedAt, ...(error && { error }) });
        return error;
      },
    };
  }

  type Request = ReturnType<typeof begin>['request'];

  async function during<Result>(
    statement: string,
    options: (CallOptions & { isQuestion?: boolean }) | undefined,
    act: (request: Request) => Promise<Result>,
  ): Promise<Result> {
    const { request, end } = begin(statement, options);
    let result: Result;
    try {
      result = await act(request);
    } catch (cause) {
      throw end(cause);
    }
    end();
    return result;
  }

  /** A question changes nothing, and the engine sees to it. */
  const ask = (text: string, parameters: Readonly<Record<string, unknown>>, request: Request) =>
    driver.query({
      ...request,
      query: expand(text, settings),
      query_params: { ...parameters },
      format: 'JSONEachRow',
      clickhouse_settings: { readonly: '2' },
    });

  const write = (table: TableName, how: string, rows: string | Readable, options: InsertOptions | undefined) =>
    during(`insert ${table}`, options, async (request) => {
      // Not the driver's insert(): that one would make the JSON again at every retry.
      const { stream } = await driver.exec({
        ...request,
        query: `INSERT INTO ${table} ${how}`,
        values: typeof rows === 'string' ? Readable.from([rows], { objectMode: false }) : rows,
        ...(options?.token && { clickhouse_settings: { insert_deduplication_token: options.token } }),
      });
      // The connection is free for the next request when the empty answer has been read.
      await finished(stream.resume());
    });

  return {
    settings,

    query(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      const once = () =>
        during(name, { ...options, isQuestion: true }, async (request) =>
          (await ask(text, parameters, request)).json<never>(),
        );
      return once().catch((error: unknown) => {
        if (!isHangUp(error)) throw error;
        return once();
      });
    },

    async *stream(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      const { request, end } = begin(name, { ...options, isQuestion: true });
      let cause: unknown;
      let failure: ClickHouseFailure | undefined;
      try {
        const answer = await ask(text, parameters, request);
        for await (const rows of answer.stream<Row<typeof query>>()) {
          for (const row of rows) yield row.json();
        }
      } catch (error) {
        cause = error;
      } finally {
        // Also when the reader has seen enough and leaves.
        failure = end(cause);
      }
      if (failure) throw failure;
    },

    parquet(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      return during(name, { ...options, isQuestion: true }, async (request) => {
        const { stream } = await driver.exec({
          ...request,
          query: `${expand(text, settings)}\nFORMAT Parquet`,
          query_params: { ...parameters },
          decompress_response_stream: true,
          clickhouse_settings: {
            readonly: '2',
            wait_end_of_query: 1,
            output_format_parquet_compression_method: 'zstd',
          },
        });
        return stream;
      });
    },

    command(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      return during(name, options, async (request) => {
        await driver.command({ ...request, query: expand(text, settings), query_params: { ...parameters } });
      });
    },

    insert(table, rows, options) {
      return this.insertLines(table, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), options);
    },

    async insertLines(table, lines, options) {
      if (lines !== '') await write(table, 'FORMAT JSONEachRow', lines, options);
    },

    insertArrays: (table, columns, lines, options) =>
      write(table, `(${columns.join(', ')}) FORMAT JSONCompactEachRow`, lines, options),

    insertText: (table, columns, text, options) =>
      write(table, `(${columns.join(', ')}) FORMAT ${options?.format ?? 'TabSeparated'}`, text, options),

    // Not the driver's ping(): that one does not mind a database that is missing.
    ping: () => during('ping', undefined, async (request) => void (await (await ask('SELECT 1', {}, request)).json())),

    close: () => driver.close(),
  };
}

/**
 * The engine closes a connection that was idle, and a request may just be on its way into it. A question changes nothing, so it is
 * asked once more over a new one; whoever writes decides that for themselves.
 */
function isHangUp(error: unknown): boolean {
  const { code, message = '' } = (error as Error).cause as { code?: string; message?: string };
  return code === 'ECONNRESET' || code === 'EPIPE' || message.includes('socket hang up');
}
