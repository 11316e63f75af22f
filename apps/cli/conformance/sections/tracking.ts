import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { eventually } from '../context.ts';
import { dataOf, refusal, unknownId } from '../expect.ts';
import { appProfile } from './authentication.ts';
import { days } from './fixtures.ts';
import { visit } from './market.ts';

export const tracking = checksOf('tracking', (check) => {
  check('track-001 track-002 track-003', 'gives a profile one active tracking key', async ({ api }) => {
    const first = await api.post('tracking/keys');
    const second = await api.post('tracking/keys');
    assert.ok([200, 201].includes(first.status));
    assert.deepEqual(dataOf(second, 200).key, first.body.data.key);
    const keys: Json[] = dataOf(await api.get('tracking/keys'));
    assert.deepEqual(
      keys.map(({ key }) => key),
      [first.body.data.key],
    );
  });

  check(
    'track-004 track-005',
    'revokes a tracking key and removes it from the list',
    async (context) => {
      const { app, as } = context;
      const { id } = await appProfile(context);
      const api = as(await app.createKey(id));
      const answer = await api.post('tracking/keys');
      dataOf(await api.delete(`tracking/keys/${answer.body.data.id}`));
      assert.deepEqual(dataOf(await api.get('tracking/keys')), []);
      assert.notEqual(dataOf(await api.post('tracking/keys'), 201).key, answer.body.data.key);
    },
    'app',
  );

  check(
    'track-006 track-008 track-009 track-010',
    'returns the snippet and the installer data, which contain the key',
    async ({ api }) => {
      const { key } = (await api.post('tracking/keys')).body.data;
      for (const path of [
        'tracking/snippet',
        'tracking/installers/gtm',
        'tracking/installers/shopify-pixel',
        'tracking/installers/store-pixel',
      ]) {
        const answer = await api.get(path);
        assert.equal(answer.status, 200, path);
        assert.ok(answer.text.includes(key), `GET ${path} does not name the key`);
      }
    },
  );

  check('track-018', 'returns the URL to which the tracker sends, and serves it there', async ({ api }) => {
    const { script_url } = dataOf(await api.get('tracking/origin'));
    const response = await fetch(script_url);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /javascript/);
  });

  check('track-016', 'shows visits as they were received', async (context) => {
    const mark = context.unique('seen');
    await visit(context, [{ daysAgo: 0, query: `utm_source=${mark}` }]);
    await eventually(async () => {
      const answer = await context.api.get('tracking/events?limit=100');
      dataOf(answer);
      assert.ok(answer.text.includes(mark), 'The visit is not in the feed.');
    });
  });

  check(
    'track-017 track-019 track-020 track-021 track-023',
    'reads diagnostics, quality, replay, settings and verification',
    async (context) => {
      for (const path of [
        'tracking/ops',
        `tracking/quality?${days(context)}`,
        'tracking/replay-status',
        'tracking/settings',
        'tracking/verification',
      ])
        assert.notEqual(dataOf(await context.api.get(path)), undefined, path);
    },
  );

  check('track-022', 'changes one setting and leaves the others', async ({ api }) => {
    const before = dataOf(await api.get('tracking/settings'));
    const changed = dataOf(await api.patch('tracking/settings', { keeps_city: !before.keeps_city }));
    assert.deepEqual(
      { ...changed, updated_at: null, keeps_city: null },
      { ...before, updated_at: null, keeps_city: null },
    );
    assert.equal(changed.keeps_city, !before.keeps_city);
    dataOf(await api.patch('tracking/settings', { keeps_city: before.keeps_city }));
    refusal(await api.patch('tracking/settings', { keeps_city: 'maybe' }), 422, 'validation_error');
  });

  check(
    'track-011 track-012 track-013 track-015',
    'adds, lists and removes a tracking domain',
    async ({ api, unique }) => {
      const answer = await api.post('tracking/custom-domains', { hostname: `${unique('t')}.example.com` });
      const made =
        answer.status === 422
          ? await api.post('tracking/custom-domains', { domain: `${unique('t')}.example.com` })
          : answer;
      const { id } = dataOf(made, 201);
      const listed: Json[] = dataOf(await api.get('tracking/custom-domains'));
      assert.ok(listed.some((one) => one.id === id));
      dataOf(await api.delete(`tracking/custom-domains/${id}`));
      refusal(await api.delete(`tracking/custom-domains/${unknownId}`), 404, 'not_found');
    },
  );

  check(
    '',
    'refuses visits of an unknown key, and rejects malformed visits without affecting others',
    async ({ api }) => {
      const { visits_url } = dataOf(await api.get('tracking/origin'));
      const body = JSON.stringify({ key: `trk_${'a'.repeat(22)}`, client_id: unknownId, visits: [{}] });
      const response = await fetch(visits_url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.equal(response.status, 401);
    },
  );
});
