import { createHash } from 'node:crypto';
import type { Ledger, Tx } from '@tributary/postgres';
import type { RateLimiter } from '@tributary/redis';
import { type SealedColumn, tryOpen, type Vault } from '@tributary/vault';
import { hourMs, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { Caller } from './handler.ts';
import { Refusal } from './refusal.ts';

/** An answer as it was sent, to be sent again. */
export interface StoredAnswer {
  readonly status: number;
  readonly bytes: string;
  /** The customers that it names. */
  readonly people: readonly string[];
}

/** Is kept instead of an answer for which there was no room: no answer says this. */
const notKept = 'null';

/** One request under an Idempotency-Key: whose it is, and what it asked for. */
export interface IdempotentRequest {
  /** Behind whose wall its answer is kept. */
  readonly ownerId: string;
  /** Of the caller and its key: nobody finds what somebody else was answered. */
  readonly keyHash: Buffer;
  /** Of method, address, body and the caller's rights: the same key with another request is a mistake of the caller's. */
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
  const fingerprint = createHash('sha256').update(`${rightsOf(caller)}\n${method} ${url}\n`);
  if (body) fingerprint.update(body);
  const keyHash = createHash('sha256')
    .update(`${principalOf(caller)}\n${key}`)
    .digest();
  return { ownerId, keyHash, fingerprint: fingerprint.digest() };
}

/** Whose request it is: an app has a new token each hour, a person a new session each time they sign in. */
const principalOf = ({ kind, credentialId, appId, userId }: Caller): string =>
  `${kind} ${(kind === 'app' && appId) || (kind === 'session' && userId) || credentialId}`;

/** What an answer was made for: it is not shown again to whoever may do less by now, nor carried out twice for who may more. */
const rightsOf = ({ role, scopes, isHealthcare, isEntitled }: Caller): string =>
  JSON.stringify([role ?? null, [...scopes].sort(), isHealthcare, isEntitled]);

/** The answer of an earlier request with this key, or undefined for the first. */
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
  const bytes = vault.open(row.body, place(request));
  if (bytes === notKept) {
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

/** About what a name in the index of people takes. */
const bytesPerPerson = 128;

/** Whether there is room for the answer: a caller who sends large batches all day must not fill the ledger with what it was told. */
async function isKept(limiter: RateLimiter, caller: Caller, { bytes, people }: StoredAnswer): Promise<boolean> {
  const { smallAnswerBytes, largeKibibytesPerHour } = limits.idempotency;
  const size = bytes.length + people.length * bytesPerPerson;
  if (size <= smallAnswerBytes) return true;
  const terms = { windowMs: hourMs, cost: Math.ceil(size / 1_024) };
  return (await limiter.take(`kept:${principalOf(caller)}`, largeKibibytesPerHour, terms)).allowed;
}

/** Holds the key until the transaction ends; somebody else holding it means that the first request is still at work. */
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

/** Keeps the answer in the transaction of its effect: both exist, or neither. */
export async function storeAnswer(
  tx: Tx,
  request: IdempotentRequest,
  caller: Caller,
  answer: StoredAnswer,
  now: Date,
  { vault, limiter }: { readonly vault: Vault; readonly limiter: RateLimiter },
): Promise<void> {
  const isWhole = await isKept(limiter, caller, answer);
  const values = {
    owner_id: request.ownerId,
    key_hash: request.keyHash,
    fingerprint: request.fingerprint,
    status: answer.status,
    body: vault.seal(isWhole ? answer.bytes : notKept, place(request)),
    expires_at: new Date(now.getTime() + lifeMs),
  };
  await tx
    .insertInto('idempotent_answers')
    .values(values)
    // What is there has expired, or the look before would have found it.
    .onConflict((conflict) => conflict.columns(['owner_id', 'key_hash']).doUpdateSet(values))
    .execute();
  const mentioned = (isWhole ? answer.people : []).map((customerId) => ({
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
 * Empties the answers that are kept and name people, and keeps that there was one: deleted, a repeated request would be carried out again
 * and make them known anew. Whatever else such an answer said goes with them, for a text tells of people in more ways than one.
 * Resolves to how many there were.
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
      .set({ body: vault.seal(JSON.stringify(emptiedAnswer(ownerId)), place({ ownerId, keyHash })) })
      .where('owner_id', '=', ownerId)
      .where('key_hash', '=', keyHash)
      .execute();
  return keys.length;
}

/** What is given again, with its status, instead of an answer that named somebody who was erased since. */
const emptiedAnswer = (profileId: string) => ({ data: null, meta: { profile_id: profileId, is_erased: true } });

/** Empties the answers that name, anywhere in what they say, somebody who was erased after they were kept. Resolves to how many. */
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

/** Stored answers belong to whoever asked, a profile or workspace among others, and have no reference that would cascade. */
export async function forgetAnswers(tx: Tx, ownerId: string): Promise<void> {
  await tx.deleteFrom('idempotent_answers').where('owner_id', '=', ownerId).execute();
}

interface OpenedAnswer {
  readonly keyHash: Buffer;
  readonly content: unknown;
  /** When it was kept. */
  readonly at: Date;
}

/** Every answer that is kept for an owner and that a key opens, a page after the other. */
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
      const text = tryOpen(() => vault.open(body, place({ ownerId, keyHash })));
      const at = new Date(expires_at.getTime() - lifeMs);
      return text === undefined ? [] : [{ keyHash, content: parsed(text), at }];
    });
    after = last.key_hash;
  }
}

/** An answer that is no JSON is one text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const place = ({ ownerId, keyHash }: Pick<IdempotentRequest, 'ownerId' | 'keyHash'>) => ({
  table: 'idempotent_answers',
  column: 'body',
  row: keyHash.toString('hex'),
  profileId: ownerId,
});

export const sealedAnswers: SealedColumn = {
  table: 'idempotent_answers',
  column: 'body',
  key: ['owner_id', 'key_hash'],
  place: (ownerId, keyHash) => place({ ownerId, keyHash: Buffer.from(keyHash) }),
};
