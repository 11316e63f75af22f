import { isIP, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { OutboundFailed, OutboundRefused } from './errors.ts';
import { canonicalAddress } from './public-address.ts';
import type { Target, TargetPolicy } from './target.ts';

/** Opens a TCP connection to an IP address, and destroys it when the signal aborts. */
export type OpenSocket = (
  address: string,
  port: number,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<Socket>;

export interface ConnectOptions {
  readonly policy: TargetPolicy;
  readonly open: OpenSocket;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly ca: string | undefined;
}

export interface Connected {
  readonly address: string;
  readonly socket: Socket;
}

/** A host may list hundreds of addresses; trying all of them would turn the service into a port scanner. */
const maxAddressesTried = 4;

/**
 * Connects to the first vetted address that accepts. The host name is used only for TLS, not for the connection. So no second DNS answer
 * can redirect it, and it does not depend on whether a library resolves names (undici does not for literals).
 */
export async function connectToTarget(
  target: Target,
  vetted: readonly string[],
  options: ConnectOptions,
): Promise<Connected> {
  const candidates = vetted.slice(0, maxAddressesTried);
  // One share is reserved for the exchange itself, so that a dead first address does not use up the whole request.
  const timeoutMs = options.timeoutMs / (candidates.length + 1);
  let lastError: unknown;
  for (const address of candidates) {
    options.signal.throwIfAborted();
    try {
      const socket = await options.open(address, target.port, { timeoutMs, signal: options.signal });
      if (options.signal.aborted) socket.destroy();
      assertPeer(socket, address, options.policy);
      return { address, socket: target.secure ? await secure(socket, target, options) : socket };
    } catch (error) {
      // A wrong peer or certificate is a property of the target, not a reason to try its next address.
      if (error instanceof OutboundRefused || error instanceof OutboundFailed) throw error;
      lastError = error;
    }
  }
  throw new OutboundFailed('unreachable', lastError);
}

/** The last check, on the connection itself: whatever went wrong before, no byte is sent to a peer that was not vetted. */
function assertPeer(socket: Socket, address: string, policy: TargetPolicy): void {
  // Without a listener an error before undici listens would end the process.
  socket.on('error', () => {});
  const peer = socket.remoteAddress;
  if (peer === undefined || socket.destroyed) {
    socket.destroy();
    throw new Error('The connection was closed as soon as it was open');
  }
  if (canonicalAddress(peer) !== address || !policy.admits(peer)) {
    socket.destroy();
    throw new OutboundRefused('address_not_public');
  }
}

/** TLS for the name in the URL, although the connection was made to an address. */
function secure(socket: Socket, target: Target, { ca }: ConnectOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => {
      socket.destroy();
      reject(new OutboundFailed('tls_failed', cause));
    };
    const secured = tlsConnect({
      socket,
      host: target.hostname,
      // Without the final dot, which certificates and SNI do not use. An address is not a server name.
      servername: isIP(target.hostname) === 0 ? target.hostname.replace(/\.$/, '') : '',
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would otherwise disable it.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    });
    secured.on('error', fail);
    secured.once('close', () => fail(new Error('The connection was closed during the handshake')));
    secured.once('secureConnect', () => resolve(secured));
  });
}

export const openTcp: OpenSocket = (address, port, { timeoutMs, signal }) =>
  new Promise((resolve, reject) => {
    const socket = netConnect({ host: address, port, signal, autoSelectFamily: false });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('The connection did not open in time')));
    socket.on('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
