import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import { isOutdated, type PreparedNames } from './prepared.ts';

/** The part of pg's internal connection that this module uses. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { text: string; name: string; types: readonly never[] }): void;
  bind(portal: { portal: string; statement: string; values: readonly never[] }): void;
  execute(portal: { portal: string; rows: number }): void;
}

interface InternalQuery {
  name: string | undefined;
  submit(wire: Wire): Error | null;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleError(error: Error, wire: Wire): void;
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
  readonly name: string | undefined;
  readonly queryMode: 'extended';
}

type Settle = (error: Error | undefined, result: pg.QueryResult) => void;

const PgQuery = pg.Query as unknown as new (statement: Statement, settle: Settle) => InternalQuery;

/**
 * A statement with preceding statements (BEGIN and the tenant scope) whose results are discarded. All are sent together: if one of them
 * fails, PostgreSQL skips the rest.
 */
class OpeningQuery extends PgQuery {
  readonly #before: readonly string[];
  readonly #name: string | undefined;
  #open: number;

  constructor(before: readonly string[], statement: Statement, settle: Settle) {
    super(statement, settle);
    this.#before = before;
    this.#open = before.length;
    this.#name = statement.name;
  }

  override submit(wire: Wire): Error | null {
    wire.stream.cork();
    for (const text of this.#before) {
      wire.parse({ text, name: '', types: [] });
      wire.bind({ portal: '', statement: '', values: [] });
      wire.execute({ portal: '', rows: 0 });
    }
    const error = super.submit(wire);
    wire.stream.uncork();
    // pg attributes every parse answer to the named statement, so the name is hidden until the preceding statements are complete.
    this.name = undefined;
    return error;
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#open === 0) {
      super.handleCommandComplete(message, wire);
      return;
    }
    this.#open -= 1;
    if (this.#open === 0) this.name = this.#name;
  }

  override handleError(error: Error, wire: Wire): void {
    if (this.#name !== undefined) delete wire.submittedNamedStatements[this.#name];
    super.handleError(error, wire);
  }
}

/** SQLSTATE of a statement in a transaction that has already failed. */
const aborted = '25P02';

const corked = new WeakSet<object>();

/**
 * Sends everything that is written during this iteration of the event loop in one packet, including statements of other users of the
 * connection.
 */
function cork(client: pg.Client): void {
  const { stream } = client.connection as unknown as Wire;
  if (corked.has(stream)) return;
  corked.add(stream);
  stream.cork();
  setImmediate(() => {
    corked.delete(stream);
    stream.uncork();
  });
}

/**
 * A connection while one caller has it. A statement is sent at once, without waiting for the previous answer; PostgreSQL runs statements in
 * order.
 */
export class PipelinedConnection implements DatabaseConnection {
  readonly #client: pg.Client;
  readonly #names: PreparedNames;
  #before: readonly string[];
  #isOver = false;
  /** The first failure. Later statements fail because of it, and their errors may reach the caller earlier. */
  #fault: Error | undefined;

  /** `before` is sent with the first statement, or never if there is none. */
  constructor(client: pg.Client, names: PreparedNames, before: readonly string[] = []) {
    this.#client = client;
    this.#names = names;
    this.#before = before;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.send(text, parameters).catch((error) => {
      // The stack of the query, instead of the stack of the code that read the answer.
      Error.captureStackTrace(error);
      throw error;
    });
    const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return { ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }), rows: (rows ?? []) as R[] };
  }

  // biome-ignore lint/correctness/useYield: streaming is not supported; snapshots use COPY.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed over a connection that others share.');
  }

  /** Sends the last statement, and nothing more after it. Without an earlier statement it is not needed and is skipped. */
  async end(text: string): Promise<pg.QueryResult | undefined> {
    const sent = this.#before.length === 0 ? this.send(text, []) : undefined;
    this.#isOver = true;
    return sent;
  }

  send(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#isOver) return Promise.reject(new Error('This transaction is over.'));
    const before = this.#before;
    this.#before = [];
    cork(this.#client);
    if (values.length === 0 && (before.length === 0 || text.includes(';'))) return this.#sendText(before, text);
    const name = this.#names.nameOf(text, values);
    const statement: Statement = { text, values: values as unknown[], name, queryMode: 'extended' };
    return new Promise((resolve, reject) => {
      const settle = (error: Error | undefined | null, result: pg.QueryResult) => {
        if (!error) return resolve(result);
        if (isOutdated(error)) this.#names.forget(text);
        reject(this.#causeOf(error));
      };
      const query = before.length > 0 ? new OpeningQuery(before, statement, settle) : new PgQuery(statement, settle);
      this.#client.query(query as unknown as pg.Submittable);
    });
  }

  #causeOf(error: Error): Error {
    this.#fault ??= error;
    return (error as pg.DatabaseError).code === aborted ? this.#fault : error;
  }

  /** Sends several statements as one text, or one without values. PostgreSQL runs none of them after the first that fails. */
  async #sendText(before: readonly string[], text: string): Promise<pg.QueryResult> {
    const results: pg.QueryResult | pg.QueryResult[] = await this.#client
      .query([...before, text].join('; '))
      .catch((error) => Promise.reject(this.#causeOf(error)));
    return (
      Array.isArray(results) && results.length === before.length + 1 ? results.at(-1) : results
    ) as pg.QueryResult;
  }
}
