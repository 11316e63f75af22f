import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import pg from 'pg';
import { isOutdated, type PreparedNames } from './prepared.ts';

/** What pg hands its queries, as far as we use it. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { text: string; name: string; types: readonly never[] }): void;
  bind(portal: { portal: string; statement: string; values: readonly never[] }): void;
  execute(portal: { portal: string; rows: number }): void;
}

interface QueryInside {
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

const PgQuery = pg.Query as unknown as new (statement: Statement, settle: Settle) => QueryInside;

/**
 * A statement with others before it whose answers are known, BEGIN and the wall. They go out as one: where one of them fails,
 * PostgreSQL runs nothing of what follows.
 */
class Opening extends PgQuery {
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
    // pg takes every answer to a parse for that of the named statement; until the last of those before it, none is.
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

/** PostgreSQL's code for a statement of a transaction in which one has failed. */
const aborted = '25P02';

const corked = new WeakSet<object>();

/** What is written in this turn of the event loop leaves in one packet, that of others on the same connection included. */
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
 * A connection while somebody has it. A statement goes out when it is made and does not wait for the answer to the one before;
 * PostgreSQL runs them in their order.
 */
export class Line implements DatabaseConnection {
  readonly #client: pg.Client;
  readonly #names: PreparedNames;
  #before: readonly string[];
  #isOver = false;
  /** What failed first: all that was sent behind it fails with it, and may be heard of earlier. */
  #fault: Error | undefined;

  /** `before` goes out with the first statement, or never where there is none. */
  constructor(client: pg.Client, names: PreparedNames, before: readonly string[] = []) {
    this.#client = client;
    this.#names = names;
    this.#before = before;
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.send(text, parameters).catch((error) => {
      // Where it was made, instead of where its answer was read.
      Error.captureStackTrace(error);
      throw error;
    });
    const isChange = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE';
    return { ...(isChange && { numAffectedRows: BigInt(rowCount ?? 0) }), rows: (rows ?? []) as R[] };
  }

  // biome-ignore lint/correctness/useYield: nobody streams; a snapshot copies.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed over a connection that others share.');
  }

  /** The last statement, which is known not to be needed where there was none before: nothing more can be sent. */
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
      const query = before.length > 0 ? new Opening(before, statement, settle) : new PgQuery(statement, settle);
      this.#client.query(query as unknown as pg.Submittable);
    });
  }

  #causeOf(error: Error): Error {
    this.#fault ??= error;
    return (error as pg.DatabaseError).code === aborted ? this.#fault : error;
  }

  /** Several statements in one text, or one without values. Of several PostgreSQL runs none after the first that fails. */
  async #sendText(before: readonly string[], text: string): Promise<pg.QueryResult> {
    const answered: pg.QueryResult | pg.QueryResult[] = await this.#client
      .query([...before, text].join('; '))
      .catch((error) => Promise.reject(this.#causeOf(error)));
    return (
      Array.isArray(answered) && answered.length === before.length + 1 ? answered.at(-1) : answered
    ) as pg.QueryResult;
  }
}
