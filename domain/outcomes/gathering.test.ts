import { openTest, paymentEvent, type Scene, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';
import { Gathering } from './gathering.ts';

describe('a gathering', () => {
  /** Notes what went together, and lets it go on when told to. */
  function openWork() {
    const together: string[][] = [];
    const gates: (() => void)[] = [];
    const fails = new Map<string, Error>();
    const work = async (items: readonly string[]) => {
      together.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      const failing = items.find((item) => fails.has(item));
      if (failing) throw fails.get(failing);
      return items.map((item) => `done ${item}`);
    };
    const letGo = async () => {
      for (const go of gates.splice(0)) go();
      await new Promise(setImmediate);
    };
    return { together, fails, work, letGo };
  }
  const turn = () => new Promise(setImmediate);

  test('lets those go together who come meanwhile, up to a limit, and profiles by themselves', async () => {
    const { together, work, letGo } = openWork();
    const gathering = new Gathering<string, string>({ lanes: 2, mostTogether: 3, mostWaiting: 10 });
    const ours = ['a', 'b', 'c', 'd'].map((item) => gathering.take('ours', item, work));
    const theirs = gathering.take('theirs', 'x', work);
    await turn();
    expect(together).toEqual([['a', 'b', 'c'], ['d'], ['x']]);
    const late = ['e', 'f'].map((item) => gathering.take('ours', item, work));
    await turn();
    expect(together).toHaveLength(3);
    await letGo();
    expect(together[3]).toEqual(['e', 'f']);
    await letGo();
    expect(await Promise.all([...ours, ...late, theirs])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f', 'x'].map((item) => `done ${item}`),
    );
    await turn();
    expect(gathering.size).toBe(0);
  });

  test('takes what fails one by one, so that only whose fault it is fails', async () => {
    const { together, work, fails, letGo } = openWork();
    fails.set('bad', new Error('a value out of range'));
    const gathering = new Gathering<string, string>();
    const all = Promise.allSettled(['a', 'bad', 'b'].map((item) => gathering.take('p', item, work)));
    for (let step = 0; step < 5; step += 1) {
      await turn();
      await letGo();
    }
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(together).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  test('tells all at once where nobody can be asked, and refuses whom it has no room for', async () => {
    const { together, work, fails, letGo } = openWork();
    fails.set('a', Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    const gathering = new Gathering<string, string>({ lanes: 1, mostTogether: 2, mostWaiting: 2 });
    const all = Promise.allSettled(['a', 'b'].map((item) => gathering.take('p', item, work)));
    expect(() => gathering.take('p', 'c', work)).toThrow('Send it again');
    await turn();
    await letGo();
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(together).toEqual([['a', 'b']]);
  });
});

const { kit, api } = await openTest();

describe('single events of a profile at once', () => {
  let shop: Scene;
  let other: Scene;
  beforeEach(async () => {
    shop = await scene({ kit, api }, { reportingCurrency: 'CLP' });
    other = await scene({ kit, api }, { reportingCurrency: 'CLP' });
    for (const { post } of [shop, other])
      await post('/api/v1/events', paymentEvent({ key: 'first', customer: 'first' }));
  });

  /** Sends them while the profile's first two transactions are held up, so that the others have to wait. */
  async function whileHeld<A>(send: () => Promise<A>[]): Promise<A[]> {
    const admin = new pg.Client({ connectionString: kit.database.ownerUrl });
    await admin.connect();
    try {
      await admin.query('BEGIN');
      await admin.query(`SET LOCAL app.profile_id = '${shop.profileId}'`);
      await admin.query('SELECT FROM profiles WHERE id = $1 FOR UPDATE', [shop.profileId]);
      const answers = send();
      // Somebody else is not held up, and whoever came before them is there by then.
      for (let after = 0; after < 3; after += 1) await other.post('/api/v1/events', paymentEvent());
      await admin.query('ROLLBACK');
      return await Promise.all(answers);
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

  test('[inge-009] share a transaction, and each has its own answer and evidence', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => `k-${index}`);
    const answers = await whileHeld(() =>
      [...keys, 'k-0', 'k-0'].map((key) => record(paymentEvent({ key, customer: key }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(answers.map(({ data }) => data.customer_key)).toEqual([...keys, 'k-0', 'k-0']);
    expect(answers.filter(({ data }) => data.status === 'recorded')).toHaveLength(keys.length);
    expect(new Set(answers.map(({ data }) => data.outcome_event_id)).size).toBe(keys.length);
    expect(await transactions()).toBeLessThan(6);
    const said = await shop.ledger.transaction((tx) =>
      tx.selectFrom('identifiers').select(['value', 'request_id']).where('value', 'like', 'k-%').execute(),
    );
    const requests = new Map(answers.map(({ requestId }, index) => [`${requestId}`.replace('req_', ''), index]));
    for (const { value, request_id } of said)
      expect([...keys, 'k-0', 'k-0'][requests.get(request_id ?? '') ?? -1]).toBe(value);
    expect(said).toHaveLength(keys.length);
  });

  test('one that cannot be written costs the others nothing', async () => {
    const admin = new pg.Client({ connectionString: kit.database.ownerUrl });
    await admin.connect();
    await admin.query("ALTER TABLE outcomes ADD CONSTRAINT no_poison CHECK (idempotency_key <> 'poison') NOT VALID");
    const keys = ['a', 'b', 'poison', 'c', 'd'];
    const answers = await whileHeld(() => keys.map((key) => record(paymentEvent({ key, customer: key }))));
    await admin.query('ALTER TABLE outcomes DROP CONSTRAINT no_poison');
    await admin.end();
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 500, 202, 202]);
    const kept = await shop.ledger.transaction((tx) => tx.selectFrom('outcomes').select('idempotency_key').execute());
    expect(kept.map((row) => row.idempotency_key).sort()).toEqual(['a', 'b', 'c', 'd', 'first']);
  });

  test('do not share one under an Idempotency-Key, whose answer is kept with its own effect', async () => {
    const header = { 'idempotency-key': uuid() };
    const bodies = Array.from({ length: 6 }, (_, index) => paymentEvent({ key: `k-${index}`, customer: `k-${index}` }));
    await whileHeld(() => bodies.map((body) => record(body, { 'idempotency-key': uuid() })));
    expect(await transactions()).toBe(bodies.length);
    const body = paymentEvent({ key: 'again', customer: 'again' });
    expect((await record(body, header)).data).toEqual((await record(body, header)).data);
  });
});
