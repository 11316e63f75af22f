import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, connect as netConnect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { connectToTarget, openTcp } from './connector.ts';
import type { OpenSocket } from './index.ts';
import { publicTargets, readTarget } from './target.ts';
import { makeCertificate } from './testing/certificate.ts';
import { closeAfterTest, closed, closeOpened, fixedResolver, listen, local, serve } from './testing/harness.ts';

afterEach(closeOpened);

describe('the connection', () => {
  test('falls over to the next vetted address', async () => {
    const base = await serve((_request, response) => response.end('ok'));
    const tried: (string | number)[] = [];
    const outbound = local({
      resolver: fixedResolver('127.0.0.2', '127.0.0.1'),
      connect: (address, port, limits) => {
        tried.push(address, limits.timeoutMs);
        return openTcp(address, port, limits);
      },
    });
    expect(await outbound.request(base, { timeoutMs: 3_000 })).toMatchObject({ status: 200 });
    expect(tried).toEqual(['127.0.0.2', 1_000, '127.0.0.1', 1_000]);
  });

  /** A server that must receive no data, and an `open` that connects to it whatever address is requested. */
  async function openSilentServer() {
    const received: Buffer[] = [];
    const ends: Promise<void>[] = [];
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('data', (bytes) => received.push(bytes)).on('error', () => {});
        ends.push(closed(socket));
      }),
    );
    const open: OpenSocket = (_address, _port, limits) => openTcp('127.0.0.1', port, limits);
    const expectSilence = async () => {
      await expect.poll(() => ends).toHaveLength(1);
      await Promise.all(ends);
      expect(received).toEqual([]);
    };
    return { port, open, expectSilence };
  }

  test('is closed before a byte is sent if the peer is not the vetted address', async () => {
    const { open, expectSilence } = await openSilentServer();
    const outbound = local({ connect: open, resolver: fixedResolver('127.0.0.2') });
    await expect(outbound.request('http://hooks.test/')).rejects.toMatchObject({ reason: 'address_not_public' });
    await expectSilence();
  });

  test('is closed if the policy does not admit the peer, even if the address list was not vetted', async () => {
    const { open, expectSilence } = await openSilentServer();
    const { signal } = new AbortController();
    const target = readTarget('https://hooks.test/', publicTargets);
    await expect(
      connectToTarget(target, ['127.0.0.1'], { policy: publicTargets, open, timeoutMs: 1_000, signal, ca: undefined }),
    ).rejects.toMatchObject({ reason: 'address_not_public' });
    await expectSilence();
  });

  test('is closed before a byte is sent if it opens after the deadline', async () => {
    const { port, expectSilence } = await openSilentServer();
    const late = Promise.withResolvers<ReturnType<typeof netConnect>>();
    const pending = local({ connect: () => late.promise }).request('https://hooks.test/', { timeoutMs: 50 });
    await expect(pending).rejects.toMatchObject({ reason: 'timeout' });
    const socket = netConnect(port, '127.0.0.1');
    await once(socket, 'connect');
    late.resolve(socket);
    await closed(socket);
    await expectSilence();
  });
});

describe('TLS', () => {
  async function serveTls(...names: string[]) {
    const certificate = makeCertificate(...names);
    const serverNames: unknown[] = [];
    const server = createSecureServer(certificate, (request, response) => {
      serverNames.push((request.socket as TLSSocket).servername);
      response.end('ok');
    });
    return { port: await listen(server), ca: certificate.cert, serverNames };
  }

  test.each(['hooks.test', 'hooks.test.'])(
    'uses the URL’s name %s for SNI and verification, not the address',
    async (name) => {
      const { port, ca, serverNames } = await serveTls('DNS:hooks.test');
      expect(await local({ ca }).request(`https://${name}:${port}/`)).toMatchObject({ status: 200 });
      expect(serverNames).toEqual(['hooks.test']);
    },
  );

  test('verifies an address by the addresses of the certificate', async () => {
    const { port, ca } = await serveTls('IP:127.0.0.1');
    expect(await local({ ca }).request(`https://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    await expect(local({ ca }).request(`https://hooks.test:${port}/`)).rejects.toMatchObject({ reason: 'tls_failed' });
  });

  test('refuses a certificate of another name and an untrusted one', async () => {
    const { port, ca, serverNames } = await serveTls('DNS:hooks.test');
    await expect(local({ ca }).request(`https://other.test:${port}/`)).rejects.toMatchObject({ reason: 'tls_failed' });
    await expect(local().request(`https://hooks.test:${port}/`)).rejects.toMatchObject({ reason: 'tls_failed' });
    expect(serverNames).toEqual([]);
  });

  test('refuses an untrusted certificate even if the environment disables verification', async () => {
    const { port } = await serveTls('DNS:hooks.test');
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    closeAfterTest(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    await expect(local().request(`https://hooks.test:${port}/`)).rejects.toMatchObject({ reason: 'tls_failed' });
  });
});
