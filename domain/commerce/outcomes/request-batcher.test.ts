import { openTest, paymentEvent, type Scene, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { RequestBatcher } from './request-batcher.ts';

describe('request batching', () => {
  /** Records the batches, and blocks them until `release` is called. */
  function openWork() {
    const batches: string[][] = [];
    const resumes: (() => void)[] = [];
    const fails = new Map<string, Error>();
    const work = async (items: readonly string[]) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => resumes.push(resolve));
      const failing = items.find((item) => fails.has(item));
      if (failing) throw fails.get(failing);
      return items.map((item) => `done ${item}`);
    };
    const release = async () => {
      for (const go of resumes.splice(0)) go();
      await new Promise(setImmediate);
    };
    return { batches, fails, work, release };
  }
  const nextIteration = () => new Promise(setImmediate);

  test('batches requests that arrive while others run, up to a limit and per profile', async () => {
    const { batches, work, release } = openWork();
    const gathering = new RequestBatcher<string, string>({ lanes: 2, maxBatch: 3, maxWaiting: 10 });
    const own = ['a', 'b', 'c', 'd'].map((item) => gathering.take('p', item, work));
    const other = gathering.take('q', 'x', work);
    await nextIteration();
    expect(batches).toEqual([['a', 'b', 'c'], ['d'], ['x']]);
    const late = ['e', 'f'].map((item) => gathering.take('p', item, work));
    await nextIteration();
    expect(batches).toHaveLength(3);
    await release();
    expect(batches[3]).toEqual(['e', 'f']);
    await release();
    expect(await Promise.all([...own, ...late, other])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f', 'x'].map((item) => `done ${item}`),
    );
    await nextIteration();
    expect(gathering.size).toBe(0);
  });

  test('retries a failed batch one by one, so that only the faulty item fails', async () => {
    const { batches, work, fails, release } = openWork();
    fails.set('bad', new Error('a value out of range'));
    const gathering = new RequestBatcher<string, string>();
    const all = Promise.allSettled(['a', 'bad', 'b'].map((item) => gathering.take('p', item, work)));
    for (let step = 0; step < 5; step += 1) {
      await nextIteration();
      await release();
    }
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  test('rejects all items at once when the database is unavailable, and refuses items beyond the queue limit', async () => {
    const { batches, work, fails, release } = openWork();
    fails.set('a', Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    const gathering = new RequestBatcher<string, string>({ lanes: 1, maxBatch: 2, maxWaiting: 2 });
    const all = Promise.allSettled(['a', 'b'].map((item) => gathering.take('p', item, work)));
    expect(() => gathering.take('p', 'c', work)).toThrow('Send it again');
    await nextIteration();
    await release();
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toEqual([['a', 'b']]);
  });
});

const { kit, api } = await openTest();

describe('concurrent single events of a profile', () => {
  let shop: Scene;
  let other: Scene;
  beforeEach(async () => {
    shop = await scene({ kit, api }, { reportingCurrency: 'CLP' });
    other = await scene({ kit, api }, { reportingCurrency: 'CLP' });
    for (const { post } of [shop, other])
      await post('/api/v1/events', paymentEvent({ key: 'first', customer: 'first' }));
  });

  /** Sends requests while a lock blocks the profile's first two transactions, so that the others have to wait. */
  async function whileBlocked<A>(send: () => Promise<A>[]): Promise<A[]> {
    const admin = new pg.Client({ connectionString: kit.database.ownerUrl });
    await admin.connect();
    try {
      await admin.query('BEGIN');
      await admin.query(`SET LOCAL app.profile_id = '${shop.profileId}'`);
      await admin.query('SELECT FROM profiles WHERE id = $1 FOR UPDATE', [shop.profileId]);
      const responses = send();
      // Requests of another profile are not blocked. Once three are done, the blocked ones have arrived.
      for (let after = 0; after < 3; after += 1) await other.post('/api/v1/events', paymentEvent());
      await admin.query('ROLLBACK');
      return await Promise.all(responses);
    } finally {
      await admin.end();
    }
  }
  const record = async (body: object, headers = {}) => {
    const answer = await shop.call('POST', '/api/v1/events', body, headers);
    return { status: answer.statusCode, requestId: answer.headers['x-request-id'], data: answer.json().data };
  };
  const transactions = () =>
    shop.ledger.transaction(async (tx) => {
      const { rows } = await sql<{ xmin: string }>`
        SELECT DISTINCT xmin::text FROM outcomes WHERE idempotency_key <> 'first'`.execute(tx);
      return rows.length;
    });

  test('[inge-009] share a transaction, each with its own response and evidence', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `k-${index}`);
    const responses = await whileBlocked(() =>
      [...keys, 'k-0', 'k-0'].map((key) => record(paymentEvent({ key, customer: key }))),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(responses.map(({ data }) => data.customer_key)).toEqual([...keys, 'k-0', 'k-0']);
    expect(responses.filter(({ data }) => data.status === 'recorded')).toHaveLength(keys.length);
    expect(new Set(responses.map(({ data }) => data.outcome_event_id)).size).toBe(keys.length);
    expect(await transactions()).toBeLessThan(6);
    const identifiers = await shop.ledger.transaction((tx) =>
      tx.selectFrom('identifiers').select(['value', 'request_id']).where('value', 'like', 'k-%').execute(),
    );
    const requests = new Map(responses.map(({ requestId }, index) => [`${requestId}`.replace('req_', ''), index]));
    for (const { value, request_id } of identifiers)
      expect([...keys, 'k-0', 'k-0'][requests.get(request_id ?? '') ?? -1]).toBe(value);
    expect(identifiers).toHaveLength(keys.length);
  });

  test('are recorded even if one of them cannot be written', async () => {
    const admin = new pg.Client({ connectionString: kit.database.ownerUrl });
    await admin.connect();
    await admin.query("ALTER TABLE outcomes ADD CONSTRAINT no_poison CHECK (idempotency_key <> 'poison') NOT VALID");
    const keys = ['a', 'b', 'poison', 'c', 'd'];
    const responses = await whileBlocked(() => keys.map((key) => record(paymentEvent({ key, customer: key }))));
    await admin.query('ALTER TABLE outcomes DROP CONSTRAINT no_poison');
    await admin.end();
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 500, 202, 202]);
    const stored = await shop.ledger.transaction((tx) => tx.selectFrom('outcomes').select('idempotency_key').execute());
    expect(stored.map((row) => row.idempotency_key).sort()).toEqual(['a', 'b', 'c', 'd', 'first']);
  });

  test('with an Idempotency-Key run in their own transactions, because the response is stored with the effect', async () => {
    const header = { 'idempotency-key': uuid() };
    const bodies = Array.from({ length: 6 }, (_, index) => paymentEvent({ key: `k-${index}`, customer: `k-${index}` }));
    await whileBlocked(() => bodies.map((body) => record(body, { 'idempotency-key': uuid() })));
    expect(await transactions()).toBe(bodies.length);
    const body = paymentEvent({ key: 'again', customer: 'again' });
    expect((await record(body, header)).data).toEqual((await record(body, header)).data);
  });
});
