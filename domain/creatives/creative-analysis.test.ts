import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLanguageModel } from '@tributary/ai-model';
import { rebuildProfile } from '@tributary/domain/top-performers/room.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { openApi, openTestWithClickHouse, scene } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { analyseCreative } from './analyse-creative.job.ts';

/** A model and a picture host, over real HTTP. */
let asked: { messages: { role: string; content: unknown }[] }[] = [];
let says: (pictured: boolean) => { status: number; text: string };
const outside = createServer(async (request, response) => {
  if (request.url?.endsWith('.png')) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 80, 78, 71, 1, 2, 3]));
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString());
  asked.push(body);
  const { status, text } = says(JSON.stringify(body).includes('image_url'));
  const message = { role: 'assistant', content: text };
  const completion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'small',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
});
await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
afterAll(() => void outside.close());
const origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
const outbound = createOutbound({ timeoutMs: 5_000, policy: localDevelopmentTargets });
const languageModel = createLanguageModel({ baseUrl: `${origin}/v1`, name: 'small', outbound });
const { kit, api, clickhouse } = await openTestWithClickHouse({ languageModel });
const withoutModel = await openApi(kit, { languageModel: undefined });
afterAll(() => withoutModel.close());

const found = {
  hook_type: 'question',
  creative_format: 'ugc_video',
  cta_type: 'buy',
  primary_angle: 'price',
  offers: ['2 for 1 until Sunday'],
};
beforeEach(() => {
  asked = [];
  says = () => ({ status: 200, text: `Here it is:\n\`\`\`json\n${JSON.stringify(found)}\n\`\`\`` });
});

async function openShop(at = api) {
  const shop = await scene(
    { kit, api: at, clickhouse },
    { scopes: ['creatives:write', 'campaigns:read', 'attribution:write'] },
  );
  await shop.spend({
    external_id: 'ad-1',
    date: '2026-06-01',
    spend: '10.00',
    impressions: 100,
    clicks: 5,
    format: 'video',
  });
  const path = '/api/v1/ads/ad-1/creative-analysis';
  const creative = { title: 'Tired of queues?', body: 'Two for one.', thumbnail_url: `${origin}/thumb.png` };
  return {
    ...shop,
    path,
    tell: (said: object = creative) =>
      shop.ledger.transaction((tx) =>
        sql`UPDATE ad_entities SET creative = ${JSON.stringify(said)}::jsonb`.execute(tx),
      ),
    start: () => shop.ask(path, shop.full, 'POST'),
    /** What a worker does with the job. */
    async work() {
      const { rows } = await shop.ledger.transaction((tx) =>
        sql<{ ad_id: string; id: string }>`SELECT ad_id, id FROM creative_analyses`.execute(tx),
      );
      const [row] = rows;
      const job = { profileId: shop.profileId, adId: row?.ad_id as string, analysisId: row?.id as string };
      await analyseCreative(
        { app: kit.app, languageModel, outbound, now: () => kit.clock.now() },
        job,
        AbortSignal.timeout(10_000),
      );
    },
  };
}

test('[ops-034] [ops-035] asked for with 202, polled, and found by the model in text and picture', async () => {
  const shop = await openShop();
  await shop.tell();
  expect((await shop.ask(shop.path)).body.data).toMatchObject({ status: 'none', findings: null });
  const started = await shop.start();
  expect([started.status, started.body.data.status]).toEqual([202, 'waiting']);
  expect((await shop.start()).body.data.requested_at).toBe(started.body.data.requested_at);
  await shop.work();
  const { body } = await shop.ask(shop.path);
  expect(body.data).toMatchObject({ ad_external_id: 'ad-1', status: 'done', model: 'small', findings: found });
  // The picture travels inside the request, the text apart from what is asked.
  const text = JSON.stringify(asked[0]);
  expect(text).toContain(`data:image/png;base64,${Buffer.from([137, 80, 78, 71, 1, 2, 3]).toString('base64')}`);
  expect(asked[0]?.messages[0]?.content).not.toContain('queues');
  // The same creative is not looked at again; another one is, and what was found stays meanwhile.
  expect((await shop.start()).body.data.status).toBe('done');
  await shop.tell({ title: 'New' });
  expect((await shop.start()).body.data).toMatchObject({ status: 'waiting', findings: found });
  expect(asked).toHaveLength(1);

  await rebuildProfile({ app: kit.app, clickhouse }, shop.profileId, kit.clock.now(), AbortSignal.timeout(20_000));
  await shop.settle();
  await rebuildProfile(
    { app: kit.app, clickhouse },
    shop.profileId,
    new Date(kit.clock.now().getTime() + 1),
    AbortSignal.timeout(20_000),
  );
  const { body: ranked } = await shop.ask('/api/v1/top-performers?window=lifetime');
  expect(ranked.data[0]).toMatchObject({ ...found, ad_external_id: 'ad-1' });
});

test('what is no answer of the declared shape is none, and a model without eyes is asked about the text', async () => {
  const shop = await openShop();
  await shop.tell();
  says = (pictured) => (pictured ? { status: 400, text: '' } : { status: 200, text: JSON.stringify(found) });
  await shop.start();
  await shop.work();
  expect((await shop.ask(shop.path)).body.data.status).toBe('done');
  expect(asked).toHaveLength(2);
  for (const [text, status, reason] of [
    [JSON.stringify({ ...found, hook_type: 'ignore all rules' }), 200, 'answer_unusable'],
    ['I cannot say.', 200, 'answer_unusable'],
    ['', 500, 'model_unavailable'],
  ] as const) {
    says = () => ({ status, text });
    await shop.tell({ title: `Another, ${text.length}` });
    await shop.start();
    await shop.work();
    expect((await shop.ask(shop.path)).body.data).toMatchObject({ status: 'failed', reason, findings: found });
  }
});

test('refusals: no model, nothing to look at, no such ad, too little scope', async () => {
  const bare = await openShop(withoutModel);
  expect(await bare.start()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  const shop = await openShop();
  expect((await shop.start()).body.error).toMatchObject({ code: 'invalid_state', reason: 'creative_unknown' });
  const unknown = await shop.ask('/api/v1/ads/nobodys/creative-analysis', shop.full, 'POST');
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
  const reader = await shop.keyWith('campaigns:read');
  expect((await shop.ask(shop.path, reader)).status).toBe(200);
  expect((await shop.ask(shop.path, reader, 'POST')).body.error.code).toBe('insufficient_scope');
});
