import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { openTcp } from './connector.ts';
import { createOutbound, localDevelopmentTargets, type OpenSocket } from './index.ts';
import { closeOpened, dnsResolver, listen, recorder } from './testing/harness.ts';
import type { DnsAnswer } from './testing/loopback-dns.ts';

afterEach(closeOpened);

const publicAddress = '8.8.8.8';
const internalAddresses = [
  '127.0.0.1',
  '10.0.0.7',
  '169.254.169.254',
  '100.100.100.200',
  '0.0.0.0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00:ec2::254',
  'fe80::1',
] as const;

/** A DNS server that returns these answers in order, each to both queries of a look-up, and then repeats the last. */
async function rebindingTo(...answers: readonly DnsAnswer[]) {
  const queries = { A: 0, AAAA: 0 };
  const resolver = await dnsResolver((_name, type) => {
    const answer = answers[Math.min(queries[type], answers.length - 1)];
    queries[type] += 1;
    return answer;
  });
  const { attempts, connect } = recorder();
  return { attempts, outbound: createOutbound({ timeoutMs: 5_000, resolver, connect }) };
}

const refused = { name: 'OutboundRefused', reason: 'address_not_public' };
const first: DnsAnswer = { addresses: [publicAddress] };

describe.each(internalAddresses)('a name that was public and now resolves to %s', (address) => {
  test.each<readonly [string, DnsAnswer]>([
    ['alone', { addresses: [address] }],
    ['beside a public address', { addresses: [publicAddress, address] }],
    ['through a chain of aliases', { aliases: ['a.test', 'b.test', 'c.test'], addresses: [address] }],
  ])('%s is refused', async (_, then) => {
    const { attempts, outbound } = await rebindingTo(first, then);
    expect(await outbound.checkTarget('https://rebind.test/')).toEqual({ allowed: true });
    await expect(outbound.request('https://rebind.test/', { method: 'POST', body: '{}' })).rejects.toMatchObject(
      refused,
    );
    await expect(outbound.openLine('https://rebind.test/')).rejects.toMatchObject(refused);
    expect(await outbound.checkTarget('https://rebind.test/')).toMatchObject({ allowed: false });
    expect(attempts).toEqual([]);
  });

  test('after the check is reached at the vetted address', async () => {
    const { attempts, outbound } = await rebindingTo(first, { addresses: [address] });
    const line = await outbound.openLine('https://rebind.test/');
    await expect(line.openLane()).rejects.toMatchObject({ reason: 'unreachable' });
    await expect(line.openLane()).rejects.toMatchObject({ reason: 'unreachable' });
    expect(attempts).toEqual([`${publicAddress} 443`, `${publicAddress} 443`]);
  });
});

test('does not reuse a kept connection once its name resolves to an internal address', async () => {
  let requests = 0;
  const port = await listen(
    createServer((_request, response) => {
      requests += 1;
      response.end('ok');
    }),
  );
  const answers = [{ addresses: ['127.0.0.1'] }, { addresses: ['127.0.0.1'] }, { addresses: ['169.254.169.254'] }];
  let queries = -1;
  const resolver = await dnsResolver((_name, type) => {
    if (type === 'AAAA') return { addresses: [] };
    queries += 1;
    return answers[Math.min(queries, answers.length - 1)];
  });
  const attempts: string[] = [];
  const connect: OpenSocket = (address, to, limits) => {
    attempts.push(address);
    return openTcp(address, to, limits);
  };
  // Loopback stands for the public address; link-local addresses are still refused.
  const outbound = createOutbound({ timeoutMs: 5_000, resolver, connect, policy: localDevelopmentTargets });
  const sendOnce = async () => {
    const lane = await (await outbound.openLine(`http://rebind.test:${port}/`)).openLane();
    await lane.send({ method: 'POST', body: '{}' }).answer;
    lane.end();
  };
  await sendOnce();
  await sendOnce();
  await expect(sendOnce()).rejects.toMatchObject(refused);
  expect([attempts, requests]).toEqual([['127.0.0.1'], 2]);
  outbound.close();
});

test('returns a redirect to an internal address without following it', async () => {
  const paths: (string | undefined)[] = [];
  const port = await listen(
    createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end();
    }),
  );
  const resolver = await dnsResolver((_name, type) => ({ addresses: type === 'A' ? ['127.0.0.1'] : [] }));
  const outbound = createOutbound({ timeoutMs: 5_000, resolver, policy: localDevelopmentTargets });
  expect(await outbound.request(`http://redirects.test:${port}/start`)).toMatchObject({ status: 302 });
  const lane = await (await outbound.openLine(`http://redirects.test:${port}/start`)).openLane();
  expect(await lane.send({ method: 'POST', body: '{}' }).answer).toMatchObject({ status: 302 });
  expect(paths).toEqual(['/start', '/start']);
  lane.cut();
});
