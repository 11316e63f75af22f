import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutbound, type HostResolver } from './index.ts';
import { closeOpened, dnsResolver, fixedResolver, listen, local, recorder, serve } from './testing/harness.ts';
import type { DnsAnswer } from './testing/loopback-dns.ts';

afterEach(closeOpened);

describe('a request', () => {
  test('sends method, headers, body and path, and returns the response', async () => {
    const base = await serve(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('');
      response.writeHead(201, { 'x-seen': `${request.method} ${request.url} ${request.headers['webhook-id']}` });
      response.end(`${request.headers.host?.split(':')[0]} got ${body}`);
    });
    const answer = await local().request(`${base}/a%20b?c=d#e`, {
      method: 'POST',
      headers: { 'webhook-id': 'msg_1' },
      body: '{"x":1}',
    });
    expect(answer).toMatchObject({ status: 201, truncated: false, headers: { 'x-seen': 'POST /a%20b?c=d msg_1' } });
    expect(Buffer.from(answer.body).toString()).toBe('hooks.test got {"x":1}');
  });

  test.each([301, 302, 303, 307, 308])('returns a redirect (%i) as it is and does not follow it', async (status) => {
    const paths: (string | undefined)[] = [];
    const base = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { location: '/followed' }).end();
    });
    const answer = await local().request(`${base}/start`, { method: 'POST', body: 'x' });
    expect(answer).toMatchObject({ status, headers: { location: '/followed' } });
    expect(paths).toEqual(['/start']);
  });

  test('resolves DNS and opens a new connection each time', async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end('ok')).on('connection', () => (connections += 1));
    const resolver = fixedResolver('127.0.0.1');
    const outbound = local({ resolver });
    const url = `http://hooks.test:${await listen(server)}/`;
    for (let round = 1; round <= 3; round += 1) {
      await outbound.request(url);
      expect([resolver.queries, connections]).toEqual([round, round]);
    }
  });

  test('rejects a Host header', async () => {
    await expect(local().request('http://hooks.test/', { headers: { HOST: 'internal' } })).rejects.toThrow(TypeError);
  });
});

describe('the address', () => {
  test.each([
    ['https://127.0.0.1/'],
    ['https://[::1]/'],
    ['https://[::ffff:10.0.0.1]/'],
    ['https://0x7f.1/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://168.63.129.16/'],
    ['https://localhost/'],
    ['https://a.localhost./'],
  ])('refuses %s without a connection or a DNS query', async (url) => {
    const { attempts, connect } = recorder();
    const resolver = fixedResolver('8.8.8.8');
    const outbound = createOutbound({ timeoutMs: 1_000, connect, resolver });
    await expect(outbound.request(url)).rejects.toMatchObject({
      name: 'OutboundRefused',
      reason: 'address_not_public',
    });
    expect(await outbound.checkTarget(url)).toMatchObject({ allowed: false, reason: 'address_not_public' });
    expect([attempts, resolver.queries]).toEqual([[], 0]);
  });

  test.each([
    [['10.0.0.7']],
    [['8.8.8.8', '10.0.0.7']],
    [['8.8.8.8', '::ffff:10.0.0.7']],
    [['8.8.8.8', 'fd00::7']],
    [['8.8.8.8', 'not an address']],
  ])('refuses a host with the addresses %j without revealing them', async (addresses) => {
    const { attempts, connect } = recorder();
    const outbound = createOutbound({ timeoutMs: 1_000, connect, resolver: fixedResolver(...addresses) });
    const error: unknown = await outbound.request('https://hooks.test/').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'OutboundRefused', reason: 'address_not_public' });
    expect(JSON.stringify([error, String(error), await outbound.checkTarget('https://hooks.test/')])).not.toMatch(
      /10\.0\.0\.7|fd00/,
    );
    expect(attempts).toEqual([]);
  });

  test('tries at most four addresses of a public host, IPv4 first', async () => {
    const { attempts, connect } = recorder();
    const addresses = ['2606:4700::1', '8.8.8.1', '8.8.8.2', '::ffff:8.8.8.1', '8.8.8.3', '8.8.8.4', '8.8.8.5'];
    const outbound = createOutbound({ timeoutMs: 1_000, connect, resolver: fixedResolver(...addresses) });
    await expect(outbound.request('https://hooks.test/')).rejects.toMatchObject({ reason: 'unreachable' });
    expect(attempts).toEqual(['8.8.8.1 443', '8.8.8.2 443', '8.8.8.3 443', '8.8.8.4 443']);
  });

  test('refuses at delivery a name whose DNS changed after registration', async () => {
    const answers: DnsAnswer[] = [{ addresses: ['8.8.8.8'] }, { addresses: ['10.0.0.1'] }];
    let queries = 0;
    const resolver = await dnsResolver((_name, type) =>
      type === 'A' ? answers[Math.min(queries++, answers.length - 1)] : { addresses: [] },
    );
    const { attempts, connect } = recorder();
    const outbound = createOutbound({ timeoutMs: 2_000, resolver, connect });
    expect(await outbound.checkTarget('https://rebind.test/')).toEqual({ allowed: true });
    await expect(outbound.request('https://rebind.test/')).rejects.toMatchObject({ reason: 'address_not_public' });
    expect([attempts, queries]).toEqual([[], 2]);
  });

  test('connects to the vetted address if DNS changes after the check', async () => {
    let queries = 0;
    const resolver = await dnsResolver((_name, type) => ({
      aliases: ['cdn.test'],
      addresses: type === 'AAAA' ? [] : queries++ === 0 ? ['8.8.8.8'] : ['10.0.0.1'],
    }));
    const { attempts, connect } = recorder();
    const outbound = createOutbound({ timeoutMs: 2_000, resolver, connect });
    await expect(outbound.request('https://rebind.test/')).rejects.toMatchObject({ reason: 'unreachable' });
    expect([attempts, queries]).toEqual([['8.8.8.8 443'], 1]);
  });

  test('a name without addresses is refused with the same message as one with an internal address', async () => {
    const failing: HostResolver = { resolve4: () => Promise.reject(new Error('ENOTFOUND')), resolve6: async () => [] };
    const outbound = createOutbound({ timeoutMs: 1_000, resolver: failing, connect: recorder().connect });
    await expect(outbound.request('https://nowhere.test/')).rejects.toMatchObject({ reason: 'address_not_public' });
    const internal = createOutbound({
      timeoutMs: 1_000,
      resolver: fixedResolver('10.0.0.7'),
      connect: recorder().connect,
    });
    expect(await outbound.checkTarget('https://nowhere.test/')).toEqual(
      await internal.checkTarget('https://internal.test/'),
    );
  });

  test('waits for a slow name server even if earlier ones were fast', async () => {
    const resolver = await dnsResolver(async (name) => {
      if (name === 'slow.test') await setTimeout(1_200);
      return { addresses: ['8.8.8.8'] };
    });
    const outbound = createOutbound({ timeoutMs: 5_000, resolver, connect: recorder().connect });
    for (let round = 0; round < 10; round += 1) await outbound.checkTarget(`https://quick${round}.test/`);
    expect(await outbound.checkTarget('https://slow.test/')).toEqual({ allowed: true });
  });
});
