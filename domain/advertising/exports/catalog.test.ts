import { expect, test } from 'vitest';
import { openExports } from './exports.fixture.ts';

const { shop: open } = await openExports();

test('PUT /conversion-sync/catalog sets privacy_mode and the exports; the privacy mode can be tightened but not loosened [auth-038]', async () => {
  const shop = await open();
  expect(shop.catalog).toMatchObject({
    status: 200,
    data: {
      privacy_mode: 'standard',
      exports: [{ dataset: '1001', every_minutes: 1, is_enabled: true, target: 'existing' }],
    },
  });
  const put = (body: object) => shop.answerOf('PUT', '/conversion-sync/catalog', body);
  expect(await put({ privacy_mode: 'platform_safe' })).toMatchObject({
    status: 200,
    data: { privacy_mode: 'platform_safe', exports: [{}] },
  });
  expect(await put({ privacy_mode: 'standard' })).toMatchObject({
    status: 403,
    error: { code: 'forbidden', reason: 'privacy_loosened' },
  });
  expect(await put({})).toMatchObject({ status: 422 });
  const foreign = await open();
  expect(await put({ exports: [foreign.target] })).toMatchObject({ status: 404, error: { code: 'not_found' } });
  const read = () => shop.answerOf('GET', '/conversion-sync/catalog');
  expect(await read()).toMatchObject({
    status: 200,
    data: { privacy_mode: 'platform_safe', exports: [{ connection_id: shop.connectionId, dataset: '1001' }] },
  });
  expect((await put({ exports: [] })).data.exports).toEqual([]);
  expect((await read()).data.exports).toEqual([]);
});
