import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { dataOf, refusal } from '../expect.ts';
import { record } from './fixtures.ts';

const retirement = new Date('2026-12-04T00:00:00Z');

export const versioning = checksOf('versioning', (check) => {
  check('ver-002 ver-003', 'describes the API for machines', async ({ anonymous }) => {
    const { status, body } = await anonymous.get('openapi.json');
    assert.equal(status, 200);
    assert.match(body.openapi, /^3\.1/);
    for (const [path, item] of Object.entries<Json>(body.paths)) {
      const isElsewhere = [item, ...Object.values<Json>(item)].some(({ servers }) => servers !== undefined);
      assert.ok(path.startsWith('/api/v1/') || path === '/oauth/token' || isElsewhere, path);
    }
  });

  check('ver-005', 'describes scope, credentials, idempotency and grain of each operation', async ({ anonymous }) => {
    const { body } = await anonymous.get('openapi.json');
    const operations = Object.values<Json>(body.paths).flatMap((path) => Object.values<Json>(path));
    for (const operation of operations.filter((one) => one?.operationId)) {
      const extensions = Object.keys(operation).filter((name) => name.startsWith('x-'));
      assert.ok(extensions.length >= 3, `${operation.operationId} has ${extensions.join(' ')}`);
    }
  });

  check(
    'ver-006 ver-007 ver-008 ver-009',
    'serves POST /goals until 2026-12-04, with the days of its end and its successor',
    async ({ api, unique, clock }) => {
      if (clock.now() >= retirement) {
        refusal(await api.post('goals', { name: 'Old goal' }), 404, 'not_found');
        return;
      }
      const answer = await api.post('goals', { name: unique('Old goal') });
      dataOf(answer, 201);
      assert.equal(answer.headers.get('deprecation'), `@${Date.UTC(2026, 8, 5) / 1_000}`);
      assert.equal(new Date(answer.headers.get('sunset') ?? '').toISOString(), retirement.toISOString());
      assert.match(answer.headers.get('link') ?? '', /goals\/definitions>; rel="successor-version"/);
    },
  );

  check('ver-010 ver-011 ver-012 ver-013 ver-014', 'creates and updates a definition', async ({ api, unique }) => {
    const conversion_key = unique('goal').replaceAll('-', '_');
    const wanted = {
      name: 'A goal',
      conversion_key,
      event_names: [conversion_key],
      lookback_window_days: 14,
      is_default: false,
    };
    const made = dataOf(await api.post('goals/definitions', wanted), 201);
    assert.deepEqual([made.conversion_key, made.lookback_window_days, made.is_default], [conversion_key, 14, false]);
    const changed = dataOf(await api.post('goals/definitions', { ...wanted, lookback_window_days: 30 }), 200);
    assert.deepEqual([changed.id, changed.lookback_window_days], [made.id, 30]);
    assert.equal(
      (await record(api, { event_name: conversion_key, user_traits: { external_id: 'v' } })).warnings,
      undefined,
    );
  });

  check('ver-015 ver-016', 'lists changes by day, newest first, of five kinds', async ({ anonymous }) => {
    const { body, status } = await anonymous.get('changelog');
    assert.equal(status, 200);
    const text = JSON.stringify(body);
    const found = [...text.matchAll(/"date":"(\d{4}-\d\d-\d\d)"/g)].map(([, day]) => day ?? '');
    assert.ok(found.length > 0);
    assert.deepEqual(found, [...found].sort().reverse());
    for (const [, kind = ''] of text.matchAll(/"(?:kind|type)":"(\w+)"/g))
      assert.match(kind, /^(added|changed|fixed|breaking|deprecated)$/i);
  });

  check('ver-020', 'refuses a return address that is not allowed when the hand-off is made', async ({ api }) => {
    const return_url = 'https://nobody.example/';
    refusal(await api.post('connections/social_ads/handoff', { return_url }), 400, 'invalid_parameter');
  });
});

export const exportChecks = checksOf('exports', (check) => {
  check('', 'lists the runs of exports', async ({ api }) => {
    assert.ok(Array.isArray(dataOf(await api.get('exports'))));
  });

  check('', 'refuses a target of a connection that does not exist', async ({ api }) => {
    const { status } = await api.put('conversion-sync/catalog', {
      targets: [{ connection_id: '0195d3a0-0000-7000-8000-000000000000' }],
    });
    assert.ok([404, 409, 422].includes(status), String(status));
  });
});
