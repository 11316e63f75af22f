import { createHash } from 'node:crypto';
import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';

/** The stored hash of a session or assistant token. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

type Row = Record<string, unknown>;

/**
 * Wraps the database adapter of better-auth, which would store session tokens in plain text. Writes and queries use the hash, and returned rows
 * contain the token of the query.
 */
export function hashingSessions(adapter: DBAdapter): DBAdapter {
  return {
    ...wrap(adapter),
    transaction: (work) => adapter.transaction((inner) => work(wrap(inner) as DBTransactionAdapter)),
  } as DBAdapter;
}

function wrap<A extends DBTransactionAdapter>(adapter: A): A {
  return {
    ...adapter,
    async create(input: { model: string; data: Row }) {
      const { token } = input.data;
      if (input.model !== 'session' || typeof token !== 'string') return adapter.create(input);
      const row = await adapter.create<Row>({ ...input, data: { ...input.data, token: hashToken(token) } });
      return { ...row, token };
    },
    async findOne(input: SessionQuery) {
      const row = await adapter.findOne<Row>(hashQuery(input));
      const token = findToken(input);
      return row && token ? { ...row, token } : row;
    },
    findMany: (input: SessionQuery) => adapter.findMany(hashQuery(input)),
    update: (input: SessionQuery & { update: Row }) => adapter.update(hashQuery(input)),
    delete: (input: SessionQuery) => adapter.delete(hashQuery(input)),
    deleteMany: (input: SessionQuery) => adapter.deleteMany(hashQuery(input)),
  };
}

interface SessionQuery {
  model: string;
  where: Where[];
}

const isToken = ({ field, value }: Where) => field === 'token' && typeof value === 'string';

const findToken = ({ model, where }: SessionQuery): string | undefined =>
  model === 'session' ? (where.find(isToken)?.value as string | undefined) : undefined;

function hashQuery<I extends SessionQuery>(input: I): I {
  if (!findToken(input)) return input;
  const where = input.where.map((part) => (isToken(part) ? { ...part, value: hashToken(String(part.value)) } : part));
  return { ...input, where };
}
