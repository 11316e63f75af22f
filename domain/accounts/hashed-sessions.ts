import { createHash } from 'node:crypto';
import type { DBAdapter, DBTransactionAdapter, Where } from '@better-auth/core/db/adapter';

/** What is kept of a session's or an assistant's token. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

type Row = Record<string, unknown>;

/**
 * better-auth writes a session's token as it is; whoever read the table would hold every session. This stands between it and the
 * table: the hash goes in, and the row that comes back carries the token that was asked with.
 */
export function hashingSessions(adapter: DBAdapter): DBAdapter {
  return {
    ...hashing(adapter),
    transaction: (work) => adapter.transaction((inner) => work(hashing(inner) as DBTransactionAdapter)),
  } as DBAdapter;
}

function hashing<A extends DBTransactionAdapter>(adapter: A): A {
  return {
    ...adapter,
    async create(input: { model: string; data: Row }) {
      const { token } = input.data;
      if (input.model !== 'session' || typeof token !== 'string') return adapter.create(input);
      const row = await adapter.create<Row>({ ...input, data: { ...input.data, token: hashToken(token) } });
      return { ...row, token };
    },
    async findOne(input: Asked) {
      const row = await adapter.findOne<Row>(hashed(input));
      const asked = tokenIn(input);
      return row && asked ? { ...row, token: asked } : row;
    },
    findMany: (input: Asked) => adapter.findMany(hashed(input)),
    update: (input: Asked & { update: Row }) => adapter.update(hashed(input)),
    delete: (input: Asked) => adapter.delete(hashed(input)),
    deleteMany: (input: Asked) => adapter.deleteMany(hashed(input)),
  };
}

interface Asked {
  model: string;
  where: Where[];
}

const isToken = ({ field, value }: Where) => field === 'token' && typeof value === 'string';

const tokenIn = ({ model, where }: Asked): string | undefined =>
  model === 'session' ? (where.find(isToken)?.value as string | undefined) : undefined;

function hashed<I extends Asked>(input: I): I {
  if (!tokenIn(input)) return input;
  const where = input.where.map((part) => (isToken(part) ? { ...part, value: hashToken(String(part.value)) } : part));
  return { ...input, where };
}
