import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import {
  createOutbound,
  type HostResolver,
  type OpenSocket,
  type Outbound,
  type OutboundOptions,
  type TargetPolicy,
} from '../index.ts';
import { createResolver } from '../vetted-addresses.ts';
import { startLoopbackDns } from './loopback-dns.ts';

/** All sockets of the tests connect to loopback, through this policy or a replaced `connect`. */
export const loopbackTargets: TargetPolicy = {
  schemes: ['https:', 'http:'],
  ports: 'any',
  admits: (address) => address.startsWith('127.') || address === '::1',
};

/** What the current test opened; each test file closes it after each test. */
const opened: (() => unknown)[] = [];

export function closeAfterTest(close: () => unknown): void {
  opened.push(close);
}

export async function closeOpened(): Promise<void> {
  for (const close of opened.splice(0)) await close();
}

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  closeAfterTest(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A resolver that returns the same addresses for every name, and counts its queries. */
export function fixedResolver(...addresses: string[]): HostResolver & { queries: number } {
  return {
    queries: 0,
    async resolve4() {
      this.queries += 1;
      return addresses.filter((address) => !address.includes(':'));
    },
    async resolve6() {
      return addresses.filter((address) => address.includes(':'));
    },
  };
}

/** Records where a request would connect, and rejects. */
export function recorder(): { attempts: string[]; connect: OpenSocket } {
  const attempts: string[] = [];
  return {
    attempts,
    connect: async (address, port) => {
      attempts.push(`${address} ${port}`);
      throw new Error('recorded only');
    },
  };
}

export function local(options: Partial<OutboundOptions> = {}): Outbound {
  return createOutbound({
    timeoutMs: 2_000,
    policy: loopbackTargets,
    resolver: fixedResolver('127.0.0.1'),
    ...options,
  });
}

export async function serve(listener: RequestListener): Promise<string> {
  return `http://hooks.test:${await listen(createServer(listener))}`;
}

export async function closed(socket: { destroyed: boolean; once(event: 'close', listener: () => void): unknown }) {
  if (!socket.destroyed) await new Promise<void>((resolve) => socket.once('close', resolve));
}

/** The production resolver with a real DNS server that returns these answers. */
export async function dnsResolver(answer: Parameters<typeof startLoopbackDns>[0]): Promise<HostResolver> {
  const dns = await startLoopbackDns(answer);
  closeAfterTest(dns.close);
  const resolver = createResolver();
  resolver.setServers([dns.server]);
  return resolver;
}
