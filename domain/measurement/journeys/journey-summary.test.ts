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

/** A request to the model endpoint. */
interface ModelRequest {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { model: string; messages: { role: string; content: unknown }[] };
}
let requests: ModelRequest[] = [];
let respond: (requests: ModelRequest) => { status: number; text: string };
const usual = () => ({ status: 200, text: `They came from an ad. (${requests.length})` });

const perDay = 3;
const endpoint = createServer(async (request, response) => {
  const one = {
    path: request.url,
    authorization: request.headers.authorization,
    body: JSON.parse(await read(request)),
  };
  requests.push(one);
  const { status, text } = respond(one);
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
  requests = [];
  respond = usual;
});

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

const shop = (traits = {}, at: TestApi = api) => scene({ kit, api: at, clickhouse }, traits);
/** Headers of a signed-in member, as the console sends them. */
const memberOf = async ({ workspaceId, profileId }: { workspaceId: string; profileId: string }) => ({
  ...(await buildMember(kit.app, workspaceId)).headers({ profileId }),
  'content-type': 'application/json',
});
const summaryOf = (id: string) => `/api/v1/customers/${id}/journey-summary`;

describe('GET', () => {
  test('[jour-047] [jour-050] [jour-051] returns null, not cached, and calls no model when no summary exists', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    const { status, body } = await profile.ask(summaryOf(customerId));
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { summary: null, cached: false, model: null, generated_at: null, events_used: 0, truncated: false },
      meta: { profile_id: profile.profileId },
    });
    expect(requests).toEqual([]);
  });

  test('returns the same for another profile’s customer as for an unknown id', async () => {
    const [profile, other] = [await shop(), await shop()];
    const { customerId } = await other.send({});
    await other.ask(summaryOf(customerId), other.full, 'POST');
    const answers = await Promise.all([customerId, anyUuid()].map((id) => profile.ask(summaryOf(id))));
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

  test('[jour-048] [jour-049] generates a summary, also for a visitor by id', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
    const { status, body } = await profile.ask(summaryOf(visitorId), profile.full, 'POST');
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...stored(), cached: false });
    expect(requests).toMatchObject([
      {
        path: '/v1/chat/completions',
        authorization: 'Bearer sk-test',
        body: { model: 'small', messages: [{ role: 'system' }, { role: 'user' }] },
      },
    ]);
  });

  test('[jour-019] [jour-050] [jour-053] stores it: a later GET returns it as cached, without calling the model', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    await profile.visit({ visitor_id: visitorId, occurred_at: at(1) });
    await profile.ask(summaryOf(visitorId), profile.full, 'POST');
    requests = [];
    expect((await profile.ask(summaryOf(visitorId))).body.data).toEqual({ ...stored(), cached: true });
    expect(requests).toEqual([]);
  });

  test('[jour-054] replaces an earlier summary', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    for (let count = 0; count < 2; count += 1) await profile.ask(summaryOf(customerId), profile.full, 'POST');
    const { body } = await profile.ask(summaryOf(customerId));
    expect(body.data.summary).toBe('They came from an ad. (2)');
  });

  test('[jour-052] [lim-007] uses only the first 100 events', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    const row = await profile.visit({ visitor_id: visitorId, occurred_at: at(0), path: '/page-0' });
    await clickhouse.insert(
      'visits',
      Array.from({ length: 104 }, (_, index) => ({
        ...row,
        visit_id: uuid(),
        occurred_at: at(index + 1),
        path: `/page-${index + 1}`,
      })),
    );
    const { body } = await profile.ask(summaryOf(visitorId), profile.full, 'POST');
    expect(body.data).toMatchObject({ events_used: 100, truncated: true });
    const sent = JSON.stringify(requests[0]?.body);
    expect([sent.includes('/page-99'), sent.includes('/page-100')]).toEqual([true, false]);
  });

  test('sends no name, identifier, full URL, location or browser to the model', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({
      user_traits: {
        email: 'eva@example.test',
        phone: '+56912345678',
        external_id: 'eva-1',
        first_name: 'Eva',
        last_name: 'Soto',
      },
    });
    const visitorId = anyUuid();
    await profile.link(visitorId, customerId);
    await profile.visit({ visitor_id: visitorId });
    await profile.ask(summaryOf(customerId), profile.full, 'POST');
    const sent = JSON.stringify(requests[0]?.body);
    expect(sent).toContain('/shoes');
    expect(sent).not.toMatch(/eva|Soto|569|https:|size=42|Santiago|"CL|Firefox|Android/i);
    for (const id of [customerId, visitorId, profile.profileId]) expect(sent).not.toContain(id);
  });

  test('masks personal data in free text and URLs before it reaches the model', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({
      event_name: 'Call with Canaryson',
      event_type: 'call +56 9 8765 4321',
      page_url:
        'https://shop.example/account/erase.me@canary.example/erasename%20x/12.345.678-5/thanks?email=erase.me@canary.example',
      properties: { value: '1', currency: 'USD', provider: 'Erásename Canaryson' },
      user_traits: { external_id: 'patient-x-77', first_name: 'Erasename', last_name: 'Canaryson-Pérez' },
    });
    await profile.send({
      event_name: 'renewal of patient-x-77',
      page_url: 'https://shop.example/of/PEREZ/erase.me%2540canary.example',
      properties: { value: '1', currency: 'USD', provider: 'sold by erase.me@canary.example' },
      user_traits: { external_id: 'patient-x-77' },
    });
    await profile.ask(summaryOf(customerId), profile.full, 'POST');
    const sent = JSON.stringify(requests[0]?.body);
    expect(sent).toContain('/thanks');
    expect(sent).not.toMatch(/erase|er.sename|canary|p.rez|8765|345|patient|example/i);
    const lines = String(requests[0]?.body.messages[1]?.content).split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: '~phone', name: '~name', path: '/account/~email/~name/~national_id/thanks', source: '~name' },
      { name: '~name', path: '/of/~name/~email', source: '~email' },
    ]);
  });

  test('stores the text encrypted', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    await profile.ask(summaryOf(customerId), profile.full, 'POST');
    const rows = await profile.ledger.transaction((tx) => tx.selectFrom('journey_summaries').selectAll().execute());
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed.toString('latin1')).not.toContain('They came');
  });

  test('a merge or a new link deletes outdated summaries', async () => {
    const profile = await shop();
    const visitorId = anyUuid();
    await profile.visit({ visitor_id: visitorId });
    await profile.ask(summaryOf(visitorId), profile.full, 'POST');
    const { customerId } = await profile.send({ user_traits: { phone: '+56912345678' } });
    await profile.link(visitorId, customerId);
    expect((await profile.ask(summaryOf(visitorId))).body.data.summary).toBeNull();
    const other = await profile.send({ user_traits: { external_id: 'b' } });
    for (const id of [customerId, other.customerId]) await profile.ask(summaryOf(id), profile.full, 'POST');
    await profile.send({ user_traits: { external_id: 'b', phone: '+56912345678' } });
    const left = await profile.ledger.transaction((tx) =>
      tx.selectFrom('journey_summaries').select('person_id').execute(),
    );
    expect(left).toHaveLength(1);
  });
});

describe('the daily allowance', () => {
  test('[jour-055] [jour-056] [jour-057] [lim-008] is shared by the workspace, returns 429 when spent, and resets at the next UTC midnight', async () => {
    const profile = await shop();
    const sister = await shop({ workspaceId: profile.workspaceId });
    const { customerId } = await profile.send({});
    const theirs = await sister.send({});
    kit.clock.set(new Date('2026-06-15T22:30:00.500Z'));
    for (let count = 0; count < perDay; count += 1) {
      const { status } = await (count % 2
        ? sister.ask(summaryOf(theirs.customerId), sister.full, 'POST')
        : profile.ask(summaryOf(customerId), profile.full, 'POST'));
      expect(status).toBe(200);
    }
    const spent = await sister.ask(summaryOf(theirs.customerId), sister.full, 'POST');
    expect([spent.status, spent.body.error.code, spent.body.error.reason]).toEqual([
      429,
      'rate_limit_exceeded',
      'daily_allowance',
    ]);
    expect(Number(spent.headers['retry-after'])).toBe(90 * 60);
    expect(requests).toHaveLength(perDay);
    kit.clock.set(new Date('2026-06-16T00:00:00.000Z'));
    expect((await sister.ask(summaryOf(theirs.customerId), sister.full, 'POST')).status).toBe(200);
  });

  test('is never exceeded by concurrent requests', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => profile.ask(summaryOf(customerId), profile.full, 'POST')),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(perDay);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12 - perDay);
  });

  test('[jour-058] [jour-059] a customer without events has a null summary, which costs nothing', async () => {
    const profile = await shop();
    for (let count = 0; count < perDay + 1; count += 1) {
      const { status, body } = await profile.ask(summaryOf(anyUuid()), profile.full, 'POST');
      expect([status, body.data.summary, body.data.cached]).toEqual([200, null, false]);
    }
    const { customerId } = await profile.send({});
    expect((await profile.ask(summaryOf(customerId), profile.full, 'POST')).status).toBe(200);
    expect(requests).toHaveLength(1);
  });

  test('a model error or an empty response costs nothing', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    for (const answer of [
      { status: 500, text: 'broken: sk-test' },
      { status: 200, text: ' ' },
    ]) {
      respond = () => answer;
      for (let count = 0; count < perDay; count += 1) {
        const { status, body } = await profile.ask(summaryOf(customerId), profile.full, 'POST');
        expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
        expect(JSON.stringify(body)).not.toContain('sk-test');
      }
    }
    respond = usual;
    expect((await profile.ask(summaryOf(customerId), profile.full, 'POST')).status).toBe(200);
  });

  test('a repeated request with the same Idempotency-Key generates one summary', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    const headers = { ...profile.full, 'idempotency-key': uuid() };
    const first = await profile.ask(summaryOf(customerId), headers, 'POST');
    const second = await profile.ask(summaryOf(customerId), headers, 'POST');
    expect(second.body).toEqual(first.body);
    expect(requests).toHaveLength(1);
  });
});

describe('returns 403 forbidden', () => {
  test.each([{ privacyMode: 'hipaa' }, { privacyMode: 'platform_safe' }, { isHealthcareAgency: true }] as const)(
    '[jour-060] on a healthcare-family profile (%o), for keys and members alike',
    async (traits) => {
      const profile = await shop(traits);
      const { customerId } = await profile.send({});
      const member = await memberOf(profile);
      for (const headers of [profile.full, member]) {
        const { status, body } = await profile.ask(summaryOf(customerId), headers, 'POST');
        expect([status, body.error.code, body.error.reason]).toEqual([403, 'forbidden', 'healthcare']);
      }
      expect(requests).toEqual([]);
    },
  );

  test('[jour-061] on a profile whose privacy mode is unknown', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    const owner = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
    await owner.unbound.query(sql`ALTER TABLE profiles ALTER COLUMN privacy_mode DROP NOT NULL`);
    await owner.close();
    await profile.ledger.transaction((tx) =>
      sql`UPDATE profiles SET privacy_mode = NULL WHERE id = ${profile.profileId}`.execute(tx),
    );
    const member = await memberOf(profile);
    for (const headers of [profile.full, member]) {
      const { status, body } = await profile.ask(summaryOf(customerId), headers, 'POST');
      expect([status, body.error.code, body.error.reason]).toEqual([403, 'forbidden', 'healthcare']);
    }
    expect(requests).toEqual([]);
  });

  test('without the summary when the profile becomes hipaa while the model writes', async () => {
    const profile = await shop();
    const { customerId } = await profile.send({});
    let isSwitched = false;
    const slow = await openApi(kit, {
      languageModel: {
        name: 'slow',
        write: async () => {
          await kit.app
            .forWorkspace(profile.workspaceId)
            .transaction((tx) =>
              tx.updateTable('profiles').set({ privacy_mode: 'hipaa' }).where('id', '=', profile.profileId).execute(),
            );
          isSwitched = true;
          return 'They came.';
        },
      },
    });
    const member = await memberOf(profile);
    const response = await slow.fastify.inject({ method: 'POST', url: summaryOf(customerId), headers: member });
    expect([isSwitched, response.statusCode, response.json().error.code]).toEqual([true, 403, 'forbidden']);
    expect(response.body).not.toContain('They came');
    await slow.close();
  });
});

test('[err-038] returns 503 when no model is configured', async () => {
  const profile = await shop({}, withoutModel);
  const { customerId } = await profile.send({});
  const { status, body } = await profile.ask(summaryOf(customerId), profile.full, 'POST');
  expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
});

test('an erasure deletes summaries by customer and by visitor', async () => {
  const profile = await shop();
  const { customerId } = await profile.send({});
  const visitorId = anyUuid();
  await profile.visit({ visitor_id: visitorId });
  for (const id of [customerId, visitorId]) await profile.ask(summaryOf(id), profile.full, 'POST');
  const erase = (ids: string[]) => profile.ledger.transaction((tx) => eraseJourneys(tx, profile.profileId, ids));
  expect(await erase([anyUuid()])).toBe(0);
  expect(await erase([customerId, visitorId])).toBe(2);
  for (const id of [customerId, visitorId]) expect((await profile.ask(summaryOf(id))).body.data.summary).toBeNull();
});

test('a profile cannot read the summaries of another one', async () => {
  const profile = await shop();
  const { customerId } = await profile.send({});
  await profile.ask(summaryOf(customerId), profile.full, 'POST');
  const { id } = await buildProfile(kit.app);
  const seen = await kit.app
    .forProfile(id)
    .transaction((tx) => tx.selectFrom('journey_summaries').select('person_id').execute());
  expect(seen).toEqual([]);
});
