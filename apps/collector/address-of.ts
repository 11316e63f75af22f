import type { IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';

/** Returns the client address: the connection's, or the one that a trusted proxy reports. */
export function addressFinder(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return (request) => request.socket.remoteAddress ?? '';
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted) ?? '';
}
