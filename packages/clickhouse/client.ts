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

  /** Returns all rows at once; for results that are known to be small. */
  query<Name extends Query>(query: Name, parameters: Parameters<Name>, options?: CallOptions): Promise<Row<Name>[]>;

  /** Yields row by row, whatever the result size. An error during the stream is thrown to the reader. */
  stream<Name extends Query>(
    query: Name,
    parameters: Parameters<Name>,
    options?: CallOptions,
  ): AsyncIterable<Row<Name>>;

  /**
   * Returns the result as a Parquet file. The response starts only when the query has finished, so an error is thrown
   * here and never truncates a file.
   */
  parquet<Name extends Query>(query: Name, parameters: Parameters<Name>, options?: CallOptions): Promise<Readable>;

  /** Runs a statement without a result: DDL, a mutation, INSERT ... SELECT. */
  command<Name extends Query>(query: Name, parameters: Parameters<Name>, options?: CallOptions): Promise<void>;

  /** Resolves when ClickHouse has stored the rows. */
  insert<Table extends TableName>(table: Table, rows: readonly Tables[Table][], options?: InsertOptions): Promise<void>;

  /** Like insert(), for rows that are already JSON, one per line. */
  insertLines(table: TableName, lines: string, options?: InsertOptions): Promise<void>;

  /**
   * Inserts rows given as JSON arrays, one per line, with a value for each of `columns`. A null becomes the column's
   * default.
   */
  insertArrays(table: TableName, columns: readonly string[], lines: string, options?: InsertOptions): Promise<void>;

  /** Inserts a stream of text rows in the order of `columns`, tab-separated unless options name another format. */
  insertText(table: TableName, columns: readonly string[], text: Readable, options?: TextOptions): Promise<void>;

  /** Rejects with the reason when the server, the credentials or the database do not match the settings. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface InsertOptions extends CallOptions {
  /** ClickHouse drops an insert whose token it has seen recently, so that retrying the same rows adds nothing. */
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
    // Hundreds of ids do not fit into a URL.
    use_multipart_params_auto: true,
    // After our process stalled, open a new connection instead of reusing one that ClickHouse has closed meanwhile.
    keep_alive: { eagerly_destroy_stale_sockets: true },
    // Every error reaches the caller; the driver would log it as well.
    log: { level: ClickHouseLogLevel.OFF },
  });

  /**
   * Assigns the request its id. end() notifies the observer and wraps an error with that id, so that it can be found
   * in the log.
   */
  function begin(statement: string, { signal, isReadOnly = false }: CallOptions & { isReadOnly?: boolean } = {}) {
    const queryId = `${statement.replaceAll(' ', '_')}-${randomUUID()}`;
    const startedAt = clock.now().getTime();
    return {
      request: { query_id: queryId, ...(signal && { abort_signal: signal }) },
      end(cause?: unknown): ClickHouseFailure | undefined {
        const error =
          cause === undefined ? undefined : new ClickHouseFailure(statement, queryId, cause, { isReadOnly });
        observe({ statement, queryId, durationMs: clock.now().getTime() - startedAt, ...(error && { error }) });
        return error;
      },
    };
  }

  type Request = ReturnType<typeof begin>['request'];

  async function observed<Result>(
    statement: string,
    options: (CallOptions & { isReadOnly?: boolean }) | undefined,
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

  /** Runs a read-only query; ClickHouse rejects any write in it. */
  const readOnlyQuery = (text: string, parameters: Readonly<Record<string, unknown>>, request: Request) =>
    driver.query({
      ...request,
      query: expand(text, settings),
      query_params: { ...parameters },
      format: 'JSONEachRow',
      clickhouse_settings: { readonly: '2' },
    });

  const write = (table: TableName, how: string, rows: string | Readable, options: InsertOptions | undefined) =>
    observed(`insert ${table}`, options, async (request) => {
      // Not the driver's insert(): it would serialise the JSON again at every retry.
      const { stream } = await driver.exec({
        ...request,
        query: `INSERT INTO ${table} ${how}`,
        values: typeof rows === 'string' ? Readable.from([rows], { objectMode: false }) : rows,
        ...(options?.token && { clickhouse_settings: { insert_deduplication_token: options.token } }),
      });
      // The connection is free for the next request only after the empty response has been read.
      await finished(stream.resume());
    });

  return {
    settings,

    query(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      const once = () =>
        observed(name, { ...options, isReadOnly: true }, async (request) =>
          (await readOnlyQuery(text, parameters, request)).json<never>(),
        );
      return once().catch((error: unknown) => {
        if (!isConnectionReset(error)) throw error;
        return once();
      });
    },

    async *stream(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      const { request, end } = begin(name, { ...options, isReadOnly: true });
      let cause: unknown;
      let failure: ClickHouseFailure | undefined;
      try {
        const answer = await readOnlyQuery(text, parameters, request);
        for await (const rows of answer.stream<Row<typeof query>>()) {
          for (const row of rows) yield row.json();
        }
      } catch (error) {
        cause = error;
      } finally {
        // Also runs when the reader stops early.
        failure = end(cause);
      }
      if (failure) throw failure;
    },

    parquet(query, parameters, options) {
      const { name, text } = lookUp(query, parameters);
      return observed(name, { ...options, isReadOnly: true }, async (request) => {
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
      return observed(name, options, async (request) => {
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

    // Not the driver's ping(): it succeeds even when the database is missing.
    ping: () =>
      observed(
        'ping',
        undefined,
        async (request) => void (await (await readOnlyQuery('SELECT 1', {}, request)).json()),
      ),

    close: () => driver.close(),
  };
}

/**
 * ClickHouse closes idle connections, and a request may be sent just then. A read is retried once on a new
 * connection; callers decide whether to retry a write.
 */
function isConnectionReset(error: unknown): boolean {
  const { code, message = '' } = (error as Error).cause as { code?: string; message?: string };
  return code === 'ECONNRESET' || code === 'EPIPE' || message.includes('socket hang up');
}
