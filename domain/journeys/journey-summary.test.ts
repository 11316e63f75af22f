import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLanguageModel } from '@tributary/ai-model';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { createPostgres } from '@tributary/postgres';
import {
  at,
  buildMember,
  buildProfile,
  openApi,
  openTestWithClickHouse,
  scene,
  type TestApi,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { v4 as anyUuid, v7 as uuid } from 'uuid';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { eraseJourneys } from './store.ts';

/** What the model was asked, and what it says. */
interface Asked {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: unknown }[] };
}
let asked: Asked[] = [];
let says: (asked: Asked) => { status: number; text: string };
const usual = () => ({ status: 200, text: `They came from an ad. (${asked.length})` });

const perDay = 3;
const endpoint = createServer(async (request, response) => {
  const one = {
    path: request.url,
    authorization: request.headers.authorization,
    body: JSON.parse(await read(request)),
  };
  asked.push(one);
  const { status, text } = says(one);
  const message = { role: 'assistant', content: text };
  const completion = {
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'small',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
});
await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
afterAll(() => void endpoint.close());
const languageModel = createLanguageModel({
  baseUrl: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`,
  name: 'small',
  apiKey: 'sk-test',
  outbound: createOutbound({ timeoutMs: 5_000, policy: localDevelopmentTargets }),
});
const { kit, api, clickhouse } = await openTestWithClickHouse({ languageModel, summariesPerDay: perDay });
const withoutModel = await openApi(kit, { languageModel: undefined });
afterAll(() => withoutModel.close());
beforeEach(() => {
  asked = [];
  says = usual;
});

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

const shop = (traits = {}, at: TestApi = api) => scene({ kit, api: at, clickhouse }, traits);
/** Somebody who is signed in; what a page of ours sends with the cookie. */
const memberOf = async ({ workspaceId, profileId }: { workspaceId: string; profileId: string }) => ({
  ...(await buildMember(kit.app, workspaceId)).headers({ profileId }),
  'content-type': 'application/json',
});
const summaryOf = (id: string) => `/api/v1/customers/${id}/journey-summary`;

describe('GET', () => {
  test('[jour-047] [jour-050] [jour-051] with none generated: null, not cached, and no model is asked', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    const { status, body } = await place.ask(summaryOf(customerId));
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { summary: null, cached: false, model: null, generated_at: null, events_used: 0, truncated: false },
      meta: { profile_id: place.profileId },
    });
    expect(asked).toEqual([]);
  });

  test('of somebody else’s customer, the same as of nobody', async () => {
    const [place, other] = [await shop(), await shop()];
    const { customerId } = await other.send({});
    await other.ask(summaryOf(customerId), other.full, 'POST');
    const answers = await Promise.all([customerId, anyUuid()].map((id) => place.ask(summaryOf(id))));
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(answers[0]?.body.data.summary).toBeNull();
  });
});

describe('POST', () => {
  const stored = () => ({
    summary: 'They came from an ad. (1)',
    model: 'small',
    generated_at: kit.clock.now().toISOString(),
    events_used: 1,
    truncated: false,
  });

  test('[jour-048] [jour-049] has a model write one, of a visitor by the id that the list shows', async () => {
    const place = await shop();
    const visitorId = anyUuid();
    await place.visit({ visitor_id: visitorId, occurred_at: at(1) });
    const { status, body } = await place.ask(summaryOf(visitorId), place.full, 'POST');
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...stored(), cached: false });
    expect(asked).toMatchObject([
      {
        path: '/v1/chat/completions',
        authorization: 'Bearer sk-test',
        body: { model: 'small', messages: [{ role: 'system' }, { role: 'user' }] },
      },
    ]);
  });

  test('[jour-019] [jour-050] [jour-053] stores it: a later GET returns it as cached, without a model', async () => {
    const place = await shop();
    const visitorId = anyUuid();
    await place.visit({ visitor_id: visitorId, occurred_at: at(1) });
    await place.ask(summaryOf(visitorId), place.full, 'POST');
    asked = [];
    expect((await place.ask(summaryOf(visitorId))).body.data).toEqual({ ...stored(), cached: true });
    expect(asked).toEqual([]);
  });

  test('[jour-054] replaces an earlier one', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    for (let count = 0; count < 2; count += 1) await place.ask(summaryOf(customerId), place.full, 'POST');
    const { body } = await place.ask(summaryOf(customerId));
    expect(body.data.summary).toBe('They came from an ad. (2)');
  });

  test('[jour-052] [lim-007] is made from the first 100 events only', async () => {
    const place = await shop();
    const visitorId = anyUuid();
    const row = await place.visit({ visitor_id: visitorId, occurred_at: at(0), path: '/page-0' });
    await clickhouse.insert(
      'visits',
      Array.from({ length: 104 }, (_, index) => ({
        ...row,
        visit_id: uuid(),
        occurred_at: at(index + 1),
        path: `/page-${index + 1}`,
      })),
    );
    const { body } = await place.ask(summaryOf(visitorId), place.full, 'POST');
    expect(body.data).toMatchObject({ events_used: 100, truncated: true });
    const told = JSON.stringify(asked[0]?.body);
    expect([told.includes('/page-99'), told.includes('/page-100')]).toEqual([true, false]);
  });

  test('no name, identifier, full address, place or browser is sent to the model', async () => {
    const place = await shop();
    const { customerId } = await place.send({
      user_traits: {
        email: 'eva@example.test',
        phone: '+56912345678',
        external_id: 'eva-1',
        first_name: 'Eva',
        last_name: 'Soto',
      },
    });
    const visitorId = anyUuid();
    await place.link(visitorId, customerId);
    await place.visit({ visitor_id: visitorId });
    await place.ask(summaryOf(customerId), place.full, 'POST');
    const told = JSON.stringify(asked[0]?.body);
    expect(told).toContain('/shoes');
    expect(told).not.toMatch(/eva|Soto|569|https:|size=42|Santiago|"CL|Firefox|Android/i);
    for (const id of [customerId, visitorId, place.profileId]) expect(told).not.toContain(id);
  });

  test('what somebody wrote of the person into free texts and addresses does not reach the model', async () => {
    const place = await shop();
    const { customerId } = await place.send({
      event_name: 'Call with Canaryson',
      event_type: 'call +56 9 8765 4321',
      page_url:
        'https://shop.example/account/erase.me@canary.example/erasename%20x/12.345.678-5/thanks?email=erase.me@canary.example',
      properties: { value: '1', currency: 'USD', provider: 'Erásename Canaryson' },
      user_traits: { external_id: 'patient-x-77', first_name: 'Erasename', last_name: 'Canaryson-Pérez' },
    });
    await place.send({
      event_name: 'renewal of patient-x-77',
      page_url: 'https://shop.example/of/PEREZ/erase.me%2540canary.example',
      properties: { value: '1', currency: 'USD', provider: 'sold by erase.me@canary.example' },
      user_traits: { external_id: 'patient-x-77' },
    });
    await place.ask(summaryOf(customerId), place.full, 'POST');
    const told = JSON.stringify(asked[0]?.body);
    expect(told).toContain('/thanks');
    expect(told).not.toMatch(/erase|er.sename|canary|p.rez|8765|345|patient|example/i);
    const lines = String(asked[0]?.body.messages[1]?.content).split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: '~phone', name: '~name', path: '/account/~email/~name/~national_id/thanks', source: '~name' },
      { name: '~name', path: '/of/~name/~email', source: '~email' },
    ]);
  });

  test('the text is kept sealed', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    await place.ask(summaryOf(customerId), place.full, 'POST');
    const rows = await place.ledger.transaction((tx) => tx.selectFrom('journey_summaries').selectAll().execute());
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed.toString('latin1')).not.toContain('They came');
  });

  test('what a merge or a link makes out of date is gone', async () => {
    const place = await shop();
    const visitorId = anyUuid();
    await place.visit({ visitor_id: visitorId });
    await place.ask(summaryOf(visitorId), place.full, 'POST');
    const { customerId } = await place.send({ user_traits: { phone: '+56912345678' } });
    await place.link(visitorId, customerId);
    expect((await place.ask(summaryOf(visitorId))).body.data.summary).toBeNull();
    const other = await place.send({ user_traits: { external_id: 'b' } });
    for (const id of [customerId, other.customerId]) await place.ask(summaryOf(id), place.full, 'POST');
    await place.send({ user_traits: { external_id: 'b', phone: '+56912345678' } });
    const left = await place.ledger.transaction((tx) =>
      tx.selectFrom('journey_summaries').select('person_id').execute(),
    );
    expect(left).toHaveLength(1);
  });
});

describe('the allowance', () => {
  test('[jour-055] [jour-056] [jour-057] [lim-008] is drawn one by one and shared by the workspace; spent, it is back at the next UTC midnight', async () => {
    const place = await shop();
    const sister = await shop({ workspaceId: place.workspaceId });
    const { customerId } = await place.send({});
    const theirs = await sister.send({});
    kit.clock.set(new Date('2026-06-15T22:30:00.500Z'));
    for (let count = 0; count < perDay; count += 1) {
      const { status } = await (count % 2
        ? sister.ask(summaryOf(theirs.customerId), sister.full, 'POST')
        : place.ask(summaryOf(customerId), place.full, 'POST'));
      expect(status).toBe(200);
    }
    const spent = await sister.ask(summaryOf(theirs.customerId), sister.full, 'POST');
    expect([spent.status, spent.body.error.code, spent.body.error.reason]).toEqual([
      429,
      'rate_limit_exceeded',
      'daily_allowance',
    ]);
    expect(Number(spent.headers['retry-after'])).toBe(90 * 60);
    expect(asked).toHaveLength(perDay);
    kit.clock.set(new Date('2026-06-16T00:00:00.000Z'));
    expect((await sister.ask(summaryOf(theirs.customerId), sister.full, 'POST')).status).toBe(200);
  });

  test('is never overdrawn, however many ask at once', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => place.ask(summaryOf(customerId), place.full, 'POST')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(perDay);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12 - perDay);
  });

  test('[jour-058] [jour-059] a customer without events has a null summary and costs nothing', async () => {
    const place = await shop();
    for (let count = 0; count < perDay + 1; count += 1) {
      const { status, body } = await place.ask(summaryOf(anyUuid()), place.full, 'POST');
      expect([status, body.data.summary, body.data.cached]).toEqual([200, null, false]);
    }
    const { customerId } = await place.send({});
    expect((await place.ask(summaryOf(customerId), place.full, 'POST')).status).toBe(200);
    expect(asked).toHaveLength(1);
  });

  test('a model that fails, or says nothing, costs nothing', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    for (const answer of [
      { status: 500, text: 'broken: sk-test' },
      { status: 200, text: ' ' },
    ]) {
      says = () => answer;
      for (let count = 0; count < perDay; count += 1) {
        const { status, body } = await place.ask(summaryOf(customerId), place.full, 'POST');
        expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
        expect(JSON.stringify(body)).not.toContain('sk-test');
      }
    }
    says = usual;
    expect((await place.ask(summaryOf(customerId), place.full, 'POST')).status).toBe(200);
  });

  test('a repeated request with an Idempotency-Key is one summary', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    const headers = { ...place.full, 'idempotency-key': uuid() };
    const first = await place.ask(summaryOf(customerId), headers, 'POST');
    const second = await place.ask(summaryOf(customerId), headers, 'POST');
    expect(second.body).toEqual(first.body);
    expect(asked).toHaveLength(1);
  });
});

describe('403 forbidden', () => {
  test.each([{ privacyMode: 'hipaa' }, { privacyMode: 'platform_safe' }, { isHealthcareAgency: true }] as const)(
    '[jour-060] on a healthcare-family profile (%o), for keys and members alike',
    async (traits) => {
      const place = await shop(traits);
      const { customerId } = await place.send({});
      const member = await memberOf(place);
      for (const headers of [place.full, member]) {
        const { status, body } = await place.ask(summaryOf(customerId), headers, 'POST');
        expect([status, body.error.code, body.error.reason]).toEqual([403, 'forbidden', 'healthcare']);
      }
      expect(asked).toEqual([]);
    },
  );

  test('[jour-061] on a profile whose status cannot be read', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
    await owner.unbound.query(sql`ALTER TABLE profiles ALTER COLUMN privacy_mode DROP NOT NULL`);
    await owner.close();
    await place.ledger.transaction((tx) =>
      sql`UPDATE profiles SET privacy_mode = NULL WHERE id = ${place.profileId}`.execute(tx),
    );
    const member = await memberOf(place);
    for (const headers of [place.full, member]) {
      const { status, body } = await place.ask(summaryOf(customerId), headers, 'POST');
      expect([status, body.error.code, body.error.reason]).toEqual([403, 'forbidden', 'healthcare']);
    }
    expect(asked).toEqual([]);
  });

  test('and nothing leaves when the profile becomes one while the model writes', async () => {
    const place = await shop();
    const { customerId } = await place.send({});
    let isSwitched = false;
    const slow = await openApi(kit, {
      languageModel: {
        name: 'slow',
        write: async () => {
          await kit.app
            .forWorkspace(place.workspaceId)
            .transaction((tx) =>
              tx.updateTable('profiles').set({ privacy_mode: 'hipaa' }).where('id', '=', place.profileId).execute(),
            );
          isSwitched = true;
          return 'They came.';
        },
      },
    });
    const member = await memberOf(place);
    const response = await slow.fastify.inject({ method: 'POST', url: summaryOf(customerId), headers: member });
    expect([isSwitched, response.statusCode, response.json().error.code]).toEqual([true, 403, 'forbidden']);
    expect(response.body).not.toContain('They came');
    await slow.close();
  });
});

test('[err-038] 503 where no model is set up', async () => {
  const place = await shop({}, withoutModel);
  const { customerId } = await place.send({});
  const { status, body } = await place.ask(summaryOf(customerId), place.full, 'POST');
  expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
});

test('an erasure takes them away, by customer and by browser', async () => {
  const place = await shop();
  const { customerId } = await place.send({});
  const visitorId = anyUuid();
  await place.visit({ visitor_id: visitorId });
  for (const id of [customerId, visitorId]) await place.ask(summaryOf(id), place.full, 'POST');
  const erase = (ids: string[]) => place.ledger.transaction((tx) => eraseJourneys(tx, place.profileId, ids));
  expect(await erase([anyUuid()])).toBe(0);
  expect(await erase([customerId, visitorId])).toBe(2);
  for (const id of [customerId, visitorId]) expect((await place.ask(summaryOf(id))).body.data.summary).toBeNull();
});

test('the summaries of one profile are behind its wall', async () => {
  const place = await shop();
  const { customerId } = await place.send({});
  await place.ask(summaryOf(customerId), place.full, 'POST');
  const { id } = await buildProfile(kit.app);
  const seen = await kit.app
    .forProfile(id)
    .transaction((tx) => tx.selectFrom('journey_summaries').select('person_id').execute());
  expect(seen).toEqual([]);
});
