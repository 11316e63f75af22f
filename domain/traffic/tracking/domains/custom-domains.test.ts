import { dnsOpener } from '@tributary/domain/traffic/tracking/module.ts';
import { buildApiKey, buildProfile, openTest, startDns } from '@tributary/testkit';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const dns = await startDns();
afterAll(() => dns.close());
const { kit, api } = await openTest({
  openDns: dnsOpener([dns.server], 200),
  collectorUrl: 'https://collect.tributary.cl/',
});
let profileId: string;
let headers: Record<string, string>;
beforeEach(async () => {
  dns.records = {};
  profileId = (await buildProfile(kit.app)).id;
  headers = {
    ...(await buildApiKey(kit.app, profileId, { scopes: ['attribution:write', 'analytics:read'] })).headers,
    'content-type': 'application/json',
  };
});

const url = '/api/v1/tracking/custom-domains';
const register = (domain: unknown) =>
  api.fastify.inject({ method: 'POST', url, headers, payload: JSON.stringify({ domain }) });
const list = async () => (await api.fastify.inject({ url, headers })).json().data;
const verify = async (id: string) => {
  const answer = await api.fastify.inject({ method: 'POST', url: `${url}/${id}/verify`, headers });
  return { status: answer.statusCode, ...answer.json() };
};
const origin = async () => (await api.fastify.inject({ url: '/api/v1/tracking/origin', headers })).json().data;

describe('a domain', () => {
  test('[track-011] [track-012] is registered in lower case, with the DNS records to set, and listed as pending', async () => {
    const answer = await register(' Track.Shop.CL. ');
    expect(answer.statusCode).toBe(201);
    const { id } = answer.json().data;
    expect(answer.json().data).toEqual({
      id,
      domain: 'track.shop.cl',
      status: 'pending',
      verdict: null,
      checked_at: null,
      created_at: kit.clock.now().toISOString(),
      records: [
        { type: 'CNAME', name: 'track.shop.cl', value: 'collect.tributary.cl' },
        { type: 'TXT', name: '_tributary.track.shop.cl', value: `tributary-verification=${id}` },
      ],
    });
    expect(await list()).toEqual([answer.json().data]);
    const again = await register('TRACK.shop.cl');
    expect([again.statusCode, again.json()]).toEqual([200, answer.json()]);
  });

  test.each(['localhost', '10.0.0.1', 'shop', 'https://shop.cl', 'a b.cl', 'collect.tributary.cl', 'x.internal'])(
    'refuses %s',
    async (domain) => {
      const { error } = (await register(domain)).json();
      expect(error).toMatchObject({ code: 'validation_error', field: 'domain' });
    },
  );

  test('a profile has at most twenty domains, even when thirty are registered concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => register(`t${index}.shop.cl`)));
    expect(answers.filter((answer) => answer.statusCode === 201)).toHaveLength(20);
    const refused = answers.filter((answer) => answer.statusCode === 409);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.json().error).toMatchObject({ code: 'invalid_state', reason: 'too_many_domains' });
    expect(await list()).toHaveLength(20);
  });

  test('[track-013] is removed, and a second removal is 404', async () => {
    const { id } = (await register('track.shop.cl')).json().data;
    const remove = () => api.fastify.inject({ method: 'DELETE', url: `${url}/${id}`, headers });
    expect((await remove()).json().data).toEqual({ id, deleted: true });
    expect(await list()).toEqual([]);
    expect((await remove()).statusCode).toBe(404);
    expect((await verify(id)).status).toBe(404);
  });
});

describe('DNS verification', () => {
  test('[track-014] [track-015] verifies an alias of the collector over several steps, and lists the verdict', async () => {
    dns.records = { 'track.shop.cl': { cname: 'Tracker.CDN.cl' }, 'tracker.cdn.cl': { cname: 'Collect.Tributary.cl' } };
    const { id } = (await register('track.shop.cl')).json().data;
    kit.clock.advance(1_000);
    const { status, data } = await verify(id);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      status: 'verified',
      verdict: 'track.shop.cl is an alias (CNAME) of collect.tributary.cl.',
      checked_at: kit.clock.now().toISOString(),
    });
    expect(await list()).toEqual([data]);
  });

  test('[track-014] verifies the domain’s own token in a TXT record, and no other token', async () => {
    const { id } = (await register('track.shop.cl')).json().data;
    dns.records = { '_tributary.track.shop.cl': { txt: ['v=spf1', 'tributary-verification=other'] } };
    expect((await verify(id)).data.status).toBe('failed');
    dns.records = { '_tributary.track.shop.cl': { txt: ['v=spf1', `tributary-verification=${id}`] } };
    expect((await verify(id)).data.status).toBe('verified');
  });

  test('[track-015] fails for an unknown name, another alias and an alias loop, and replaces the previous verdict', async () => {
    const { id } = (await register('track.shop.cl')).json().data;
    expect((await verify(id)).data).toMatchObject({
      status: 'failed',
      verdict: expect.stringMatching(/^DNS knows no track/),
    });
    dns.records = { 'track.shop.cl': { cname: 'other.cl' } };
    expect((await verify(id)).data.verdict).toMatch(/^track.shop.cl is an alias of other.cl, not of collect/);
    dns.records = { 'track.shop.cl': { cname: 'a.cl' }, 'a.cl': { cname: 'track.shop.cl' } };
    expect((await verify(id)).data.status).toBe('failed');
    dns.records = { 'track.shop.cl': { cname: 'collect.tributary.cl' } };
    expect((await verify(id)).data.status).toBe('verified');
    dns.records = {};
    expect((await verify(id)).data.status).toBe('failed');
    expect((await list())[0]).toMatchObject({ status: 'failed' });
  });

  test('no answer fails a pending domain and keeps a verified one', async () => {
    const { id } = (await register('track.shop.cl')).json().data;
    const silent = { 'track.shop.cl': 'silent', '_tributary.track.shop.cl': 'silent' } as const;
    dns.records = silent;
    expect(await verify(id)).toMatchObject({
      status: 200,
      data: { status: 'failed', verdict: expect.stringMatching(/no answer/) },
    });
    dns.records = { 'track.shop.cl': { cname: 'collect.tributary.cl' } };
    await verify(id);
    dns.records = silent;
    expect((await verify(id)).data).toMatchObject({ status: 'verified', verdict: expect.stringMatching(/stays so/) });
  });
});

describe('the origin', () => {
  test('[track-018] is the collector until a domain is verified, then the first verified domain', async () => {
    const collector = {
      kind: 'collector',
      origin: 'https://collect.tributary.cl',
      domain_id: null,
      script_url: 'https://collect.tributary.cl/t.js',
      visits_url: 'https://collect.tributary.cl/v1/visits',
    };
    expect(await origin()).toEqual(collector);
    const ids: string[] = [];
    for (const name of ['a.shop.cl', 'b.shop.cl', 'c.shop.cl']) {
      ids.push((await register(name)).json().data.id);
      kit.clock.advance(1);
    }
    expect(await origin()).toEqual(collector);
    const [, second = '', third = ''] = ids;
    dns.records = { 'b.shop.cl': { cname: 'collect.tributary.cl' }, 'c.shop.cl': { cname: 'collect.tributary.cl' } };
    await verify(third);
    await verify(second);
    expect(await origin()).toEqual({
      kind: 'custom_domain',
      origin: 'https://b.shop.cl',
      domain_id: second,
      script_url: 'https://b.shop.cl/t.js',
      visits_url: 'https://b.shop.cl/v1/visits',
    });
  });
});
