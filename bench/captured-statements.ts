import { uuidPattern } from '@tributary/vocabulary';
import pg from 'pg';
import { v7 as uuid } from 'uuid';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs `work` and notes every statement that this process sends to PostgreSQL meanwhile. */
export async function capture(work: () => Promise<void>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const query = pg.Client.prototype.query;
  pg.Client.prototype.query = function noted(this: pg.Client, ...args: unknown[]) {
    const [text, values] = args;
    if (typeof text === 'string') statements.push({ text, values: Array.isArray(values) ? values : [] });
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return statements;
}

const anyUuid = new RegExp(uuidPattern, 'g');

/**
 * The same statements about another event: every id but the `kept` ones and every name with the mark in it is replaced, the
 * same one by the same. So each replay writes rows of its own, as each request did.
 */
export function another(
  statements: readonly Statement[],
  kept: ReadonlySet<string>,
  mark: string,
  number: number,
): Statement[] {
  const ids = new Map<string, string>();
  const idFor = (id: string): string => {
    if (kept.has(id)) return id;
    const known = ids.get(id) ?? uuid();
    ids.set(id, known);
    return known;
  };
  const fresh = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(mark, `${mark}${number}-`).replace(anyUuid, idFor);
    return Array.isArray(value) ? value.map(fresh) : value;
  };
  return statements.map(({ text, values }) => ({
    text,
    // One event locks the stripe of its own customer; were it always the same, the replays would wait for one another.
    values: text.includes('AS stripe') ? [values[0], stripesLike(values[1] as number[])] : values.map(fresh),
  }));
}

const stripesLike = (stripes: readonly number[]): readonly number[] =>
  stripes.length > 1 ? stripes : [Math.floor(Math.random() * 64)];
