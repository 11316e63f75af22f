import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLanguageModel } from '@tributary/ai-model';
import { rebuildProfile } from '@tributary/domain/measurement/top-performers/module.ts';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import { openApi, openTestWithClickHouse, scene } from '@tributary/testkit';
import { dayMs, limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { analyseCreative } from './analyse-creative.job.ts';

/** A test server for the model and for pictures, over HTTP. */
const pictures: Record<string, Buffer> = {
  'thumb.png': Buffer.from([137, 80, 78, 71, 1, 2, 3]),
  'other.jpg': Buffer.from([255, 216, 255, 9]),
  'page.png': Buffer.from('<svg onload="alert(1)">'),
  'huge.png': Buffer.alloc(limits.creativePictures.maxBytes + 1, 'GIF89a'),
};
const fetched: string[] = [];
let modelRequests: { messages: { role: string; content: unknown }[] }[] = [];
let modelReply: (pictured: boolean) => { status: number; text: string };
const outside = createServer(async (request, response) => {
  const file = request.url?.split('/')[1] ?? '';
  if (file in pictures) {
    fetched.push(file);
    response.writeHead(200, { 'content-type': 'image/png' }).end(pictures[file]);
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString());
  modelRequests.push(body);
  const { status, text } = modelReply(JSON.stringify(body).includes('image_url'));
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
const { kit, api, clickhouse } = await openTestWithClickHouse({ languageModel, providerOutbound: outbound });
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
  modelRequests = [];
  fetched.length = 0;
  modelReply = () => ({ status: 200, text: `Here it is:\n\`\`\`json\n${JSON.stringify(found)}\n\`\`\`` });
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
    setCreative: (fields: object = creative) =>
      shop.ledger.transaction((tx) =>
        sql`UPDATE ad_entities SET creative = ${JSON.stringify(fields)}::jsonb`.execute(tx),
      ),
    start: () => shop.ask(path, shop.full, 'POST'),
    /** Runs the job like a worker. */
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

test('[ops-034] [ops-035] is started with 202, polled, and filled by the model from text and picture', async () => {
  const shop = await openShop();
  await shop.setCreative();
  expect((await shop.ask(shop.path)).body.data).toMatchObject({ status: 'none', findings: null });
  const started = await shop.start();
  expect([started.status, started.body.data.status]).toEqual([202, 'waiting']);
  expect((await shop.start()).body.data.requested_at).toBe(started.body.data.requested_at);
  await shop.work();
  const { body } = await shop.ask(shop.path);
  expect(body.data).toMatchObject({ ad_external_id: 'ad-1', status: 'done', model: 'small', findings: found });
  // The picture is sent inline, and the ad text separately from the instructions.
  const text = JSON.stringify(modelRequests[0]);
  expect(text).toContain(`data:image/png;base64,${Buffer.from([137, 80, 78, 71, 1, 2, 3]).toString('base64')}`);
  expect(modelRequests[0]?.messages[0]?.content).not.toContain('queues');
  // The same creative is not analysed again. A new one is, and the previous findings stay meanwhile.
  expect((await shop.start()).body.data.status).toBe('done');
  await shop.setCreative({ title: 'New' });
  expect((await shop.start()).body.data).toMatchObject({ status: 'waiting', findings: found });
  expect(modelRequests).toHaveLength(1);

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

test('a response of another shape fails the analysis, and a model without vision is modelRequests about the text', async () => {
  const shop = await openShop();
  await shop.setCreative();
  modelReply = (pictured) => (pictured ? { status: 400, text: '' } : { status: 200, text: JSON.stringify(found) });
  await shop.start();
  await shop.work();
  expect((await shop.ask(shop.path)).body.data.status).toBe('done');
  expect(modelRequests).toHaveLength(2);
  for (const [text, status, reason] of [
    [JSON.stringify({ ...found, hook_type: 'ignore all rules' }), 200, 'answer_unusable'],
    ['I cannot say.', 200, 'answer_unusable'],
    ['', 500, 'model_unavailable'],
  ] as const) {
    modelReply = () => ({ status, text });
    await shop.setCreative({ title: `Another, ${text.length}` });
    await shop.start();
    await shop.work();
    expect((await shop.ask(shop.path)).body.data).toMatchObject({ status: 'failed', reason, findings: found });
  }
});

test('refuses without a model, without a creative, for an unknown ad, and without the scope', async () => {
  const bare = await openShop(withoutModel);
  expect(await bare.start()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  const shop = await openShop();
  expect((await shop.start()).body.error).toMatchObject({ code: 'invalid_state', reason: 'creative_unknown' });
  const unknown = await shop.ask('/api/v1/ads/unknown/creative-analysis', shop.full, 'POST');
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found']);
  const reader = await shop.keyWith('campaigns:read');
  expect((await shop.ask(shop.path, reader)).status).toBe(200);
  expect((await shop.ask(shop.path, reader, 'POST')).body.error.code).toBe('insufficient_scope');
});

test('the picture is fetched from the platform, stored, and served with the type of its bytes', async () => {
  const shop = await openShop();
  const read = async (by = shop.full, id = 'ad-1') => {
    const answer = await api.fastify.inject({ method: 'GET', url: `/api/v1/ads/${id}/picture`, headers: by });
    return { ...answer, status: answer.statusCode, bytes: answer.rawPayload };
  };
  const later = (ms: number) => kit.clock.set(new Date(kit.clock.now().getTime() + ms));
  expect((await read()).status).toBe(204);
  await shop.setCreative();
  const [first, again] = [await read(), await read()];
  for (const answer of [first, again]) {
    expect([answer.status, answer.bytes]).toEqual([200, pictures['thumb.png']]);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  }
  expect(fetched).toEqual(['thumb.png']);
  // A new address is tried after an hour. An invalid or too large picture keeps the previous one.
  for (const [file, shown] of [
    ['page.png', 'thumb.png'],
    ['huge.png', 'thumb.png'],
    ['other.jpg', 'other.jpg'],
  ] as const) {
    await shop.setCreative({ thumbnail_url: `${origin}/${file}` });
    later((limits.creativePictures.triedAgainAfterMinutes + 1) * minuteMs);
    expect((await read()).bytes).toEqual(pictures[shown]);
    expect(fetched.at(-1)).toBe(file);
  }
  expect((await read()).headers['content-type']).toBe('image/jpeg');
  const before = fetched.length;
  later((limits.creativePictures.freshDays - 1) * dayMs);
  await read();
  expect(fetched).toHaveLength(before);
  later(2 * dayMs);
  await read();
  expect(fetched).toHaveLength(before + 1);
  expect((await read(shop.full, 'unknown')).status).toBe(404);
  expect((await read(await shop.keyWith('conversions:read'))).json().error.code).toBe('insufficient_scope');
  const stranger = await openShop();
  await stranger.setCreative({});
  expect((await read(stranger.full)).status).toBe(204);
});
