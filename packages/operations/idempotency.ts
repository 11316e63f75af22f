import { createHash } from 'node:crypto';
import type { Ledger, Tx } from '@tributary/postgres';
import type { RateLimiter } from '@tributary/redis';
import { type SealedColumn, tryOpen, type Vault } from '@tributary/vault';
import { hourMs, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { Caller } from './handler.ts';
import { Refusal } from './refusal.ts';

/** An answer as sent, stored for repeated requests. */
export interface StoredAnswer {
  readonly status: number;
  readonly bytes: string;
  /** The customers that it contains. */
  readonly people: readonly string[];
}

/** Stored instead of an answer that exceeded the allowance; no answer has this content. */
const notStored = 'null';

/** One request under an Idempotency-Key. */
export interface IdempotentRequest {
  /** The tenant in whose scope the answer is stored. */
  readonly ownerId: string;
  /** A hash of the caller and its key, so that callers cannot find each other's answers. */
  readonly keyHash: Buffer;
  /** A hash of method, target, body and the caller's permissions: the same key with another request is an error of the caller. */
  readonly fingerprint: Buffer;
}

const lifeMs = limits.idempotency.replayHours * hourMs;

export function readIdempotentRequest(
  ownerId: string,
  caller: Caller,
  key: string,
  method: string,
  url: string,
  body: Buffer | undefined,
): IdempotentRequest {
  const fingerprint = createHash('sha256').update(`${describePermissions(caller)}\n${method} ${url}\n`);
  if (body) fingerprint.update(body);
  const keyHash = createHash('sha256')
    .update(`${getPrincipal(caller)}\n${key}`)
    .digest();
  return { ownerId, keyHash, fingerprint: fingerprint.digest() };
}

/** The owner of a request: apps get a new token each hour, members a new session with each sign-in. */
const getPrincipal = ({ kind, credentialId, appId, userId }: Caller): string =>
  `${kind} ${(kind === 'app' && appId) || (kind === 'session' && userId) || credentialId}`;

/**
 * The permissions that an answer was built for. It is not replayed to a caller with fewer, nor is the request repeated for one
 * with more.
 */
const describePermissions = ({ role, scopes, isHealthcare, isEntitled }: Caller): string =>
  JSON.stringify([role ?? null, [...scopes].sort(), isHealthcare, isEntitled]);

/** The stored answer of an earlier request with this key; undefined for the first. */
export async function findStoredAnswer(
  tx: Tx,
  request: IdempotentRequest,
  now: Date,
  vault: Vault,
): Promise<StoredAnswer | undefined> {
  const row = await tx
    .selectFrom('idempotent_answers')
    .select(['fingerprint', 'status', 'body'])
    .where('owner_id', '=', request.ownerId)
    .where('key_hash', '=', request.keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (!row) return undefined;
  if (!row.fingerprint.equals(request.fingerprint)) {
    throw new Refusal(
      'idempotency_key_conflict',
      'This Idempotency-Key was used for another request, or with other rights. Use a new key for a new request.',
    );
  }
  const bytes = vault.open(row.body, getSealContext(request));
  if (bytes === notStored) {
    throw new Refusal(
      'idempotency_key_conflict',
      'This request was carried out before, and its answer was too large to keep. Read what it made.',
    );
  }
  const people = await tx
    .selectFrom('idempotent_answer_people')
    .select('customer_id')
    .where('owner_id', '=', request.ownerId)
    .where('key_hash', '=', request.keyHash)
    .execute();
  return { status: row.status, bytes, people: people.map(({ customer_id }) => customer_id) };
}

/** The approximate size of a row in the index of customers. */
const bytesPerPerson = 128;

/** Whether the answer fits the caller's hourly allowance: repeated large batches must not fill the ledger with stored answers. */
async function takeAllowance(limiter: RateLimiter, caller: Caller, { bytes, people }: StoredAnswer): Promise<boolean> {
  const { smallAnswerBytes, largeKibibytesPerHour } = limits.idempotency;
  const size = bytes.length + people.length * bytesPerPerson;
  if (size <= smallAnswerBytes) return true;
  const terms = { windowMs: hourMs, cost: Math.ceil(size / 1_024) };
  return (await limiter.take(`kept:${getPrincipal(caller)}`, largeKibibytesPerHour, terms)).allowed;
}

/** Locks the key until the transaction ends. If it is already locked, the first request is still running. */
export async function claimKey(tx: Tx, { ownerId, keyHash }: IdempotentRequest): Promise<void> {
  const lock = keyHash.readBigInt64BE(0) ^ Buffer.from(ownerId.replaceAll('-', ''), 'hex').readBigInt64BE(8);
  const { rows } = await sql<{ held: boolean }>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`.execute(tx);
  if (!rows[0]?.held) {
    throw new Refusal(
      'idempotency_key_in_flight',
      'The first request with this Idempotency-Key is still at work. Send it again in a moment.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  }
}

/** Stores the answer in the transaction of its effect: both are committed, or neither. */
export async function storeAnswer(
  tx: Tx,
  request: IdempotentRequest,
  caller: Caller,
  answer: StoredAnswer,
  now: Date,
  { vault, limiter }: { readonly vault: Vault; readonly limiter: RateLimiter },
): Promise<void> {
  const isStored = await takeAllowance(limiter, caller, answer);
  const values = {
    owner_id: request.ownerId,
    key_hash: request.keyHash,
    fingerprint: request.fingerprint,
    status: answer.status,
    body: vault.seal(isStored ? answer.bytes : notStored, getSealContext(request)),
    expires_at: new Date(now.getTime() + lifeMs),
  };
  await tx
    .insertInto('idempotent_answers')
    .values(values)
    // An existing row has expired; otherwise the earlier lookup would have found it.
    .onConflict((conflict) => conflict.columns(['owner_id', 'key_hash']).doUpdateSet(values))
    .execute();
  const mentioned = (isStored ? answer.people : []).map((customerId) => ({
    owner_id: request.ownerId,
    customer_id: customerId,
    key_hash: request.keyHash,
  }));
  if (mentioned.length > 0) {
    await tx
      .insertInto('idempotent_answer_people')
      .values(mentioned)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/**
 * Clears stored answers that contain the customers, but keeps the rows: without them a repeated request would run again and
 * create the customers again. The whole answer is cleared, because its text may identify customers in several ways. Resolves to
 * the number of answers.
 */
export async function eraseAnswers(
  tx: Tx,
  ownerId: string,
  customerIds: readonly string[],
  vault: Vault,
): Promise<number> {
  const people = await tx
    .deleteFrom('idempotent_answer_people')
    .where('owner_id', '=', ownerId)
    .where('customer_id', 'in', [...customerIds])
    .returning('key_hash')
    .execute();
  const keys = new Map(people.map(({ key_hash }) => [key_hash.toString('hex'), key_hash]));
  return emptyAnswers(tx, ownerId, [...keys.values()], vault);
}

async function emptyAnswers(tx: Tx, ownerId: string, keys: readonly Buffer[], vault: Vault): Promise<number> {
  for (const keyHash of keys)
    await tx
      .updateTable('idempotent_answers')
      .set({ body: vault.seal(JSON.stringify(emptiedAnswer(ownerId)), getSealContext({ ownerId, keyHash })) })
      .where('owner_id', '=', ownerId)
      .where('key_hash', '=', keyHash)
      .execute();
  return keys.length;
}

/** Replayed, with the original status, instead of an answer that contained a customer who has since been erased. */
const emptiedAnswer = (profileId: string) => ({ data: null, meta: { profile_id: profileId, is_erased: true } });

/** Clears the stored answers whose content names a customer who was erased after they were stored. Resolves to their number. */
export async function forgetAnswersNaming(
  ledger: Ledger,
  ownerId: string,
  vault: Vault,
  findNaming: <Row extends { readonly content: unknown; readonly at: Date }>(
    profileId: string,
    rows: readonly Row[],
  ) => Promise<Row[]>,
  signal: AbortSignal,
): Promise<number> {
  let emptied = 0;
  for await (const page of openAnswers(ledger, ownerId, vault)) {
    signal.throwIfAborted();
    const naming = await findNaming(ownerId, page);
    if (naming.length === 0) continue;
    const keys = naming.map(({ keyHash }) => keyHash);
    emptied += await ledger.transaction((tx) => emptyAnswers(tx, ownerId, keys, vault));
  }
  return emptied;
}

/** Stored answers belong to a profile, workspace or app, without a foreign key that would cascade. */
export async function forgetAnswers(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('idempotent_answers').where('owner_id', '=', ownerId).execute();
}

interface OpenedAnswer {
  readonly keyHash: Buffer;
  readonly content: unknown;
  /** When it was stored. */
  readonly at: Date;
}

/** Yields the stored answers of an owner that can be decrypted, page by page. */
export async function* openAnswers(ledger: Ledger, ownerId: string, vault: Vault): AsyncIterable<OpenedAnswer[]> {
  for (let after: Buffer = Buffer.alloc(0); ; ) {
    const rows = await ledger.transaction((tx) =>
      tx
        .selectFrom('idempotent_answers')
        .select(['key_hash', 'body', 'expires_at'])
        .where('owner_id', '=', ownerId)
        .where('key_hash', '>', after)
        .orderBy('key_hash')
        .limit(200)
        .execute(),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.flatMap(({ key_hash: keyHash, body, expires_at }) => {
      const text = tryOpen(() => vault.open(body, getSealContext({ ownerId, keyHash })));
      const at = new Date(expires_at.getTime() - lifeMs);
      return text === undefined ? [] : [{ keyHash, content: parseOrText(text), at }];
    });
    after = last.key_hash;
  }
}

/** An answer that is not JSON is returned as text. */
function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const getSealContext = ({ ownerId, keyHash }: Pick<IdempotentRequest, 'ownerId' | 'keyHash'>) => ({
  table: 'idempotent_answers',
  column: 'body',
  row: keyHash.toString('hex'),
  profileId: ownerId,
});

export const sealedAnswers: SealedColumn = {
  table: 'idempotent_answers',
  column: 'body',
  key: ['owner_id', 'key_hash'],
  place: (ownerId, keyHash) => getSealContext({ ownerId, keyHash: Buffer.from(keyHash) }),
};
