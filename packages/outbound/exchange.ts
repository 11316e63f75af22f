import type { Socket } from 'node:net';
import { Client, errors } from 'undici';
import { OutboundFailed } from './errors.ts';
import type { Target } from './target.ts';

export interface OutboundRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface OutboundResponse {
  /** Unchanged: a redirect is a response like any other and is not followed. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first `maxResponseBytes` bytes as sent (not decompressed). It must never be shown to the tenant who chose the URL. */
  readonly body: Uint8Array;
  /** The body was longer. That is no error, because the status is enough for a webhook. */
  readonly truncated: boolean;
}

/**
 * Sends one request over an open connection and closes it. Connections are not kept: later requests would bypass DNS and vetting. The cost
 * is a handshake per request, which occasional webhooks to many hosts would pay anyway.
 */
export async function exchange(
  target: Target,
  socket: Socket,
  request: OutboundRequest,
  maxResponseBytes: number,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  let handedOver = false;
  const client = new Client(target.url.origin, {
    // In a microtask, because undici stalls if its connector answers synchronously.
    connect: (_options, callback) =>
      queueMicrotask(() => {
        // undici calls this again to reconnect, which is refused because a new connection would not be vetted.
        if (handedOver || socket.destroyed) return callback(new Error('The connection was lost'), null);
        handedOver = true;
        callback(null, socket);
      }),
    allowH2: false,
    // The caller's deadline covers the whole request; undici's own timers count in whole seconds.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const { statusCode, headers, body } = await client.request({
      path: target.url.pathname + target.url.search,
      method: request.method ?? 'GET',
      headers: request.headers ?? {},
      body: request.body ?? null,
      reset: true,
      signal,
    });
    return { status: statusCode, headers, ...(await readAtMost(maxResponseBytes, body)) };
  } catch (error) {
    // A mistake of the caller, such as a line break in a header, which must not count against the receiver.
    if (error instanceof errors.InvalidArgumentError) throw error;
    throw new OutboundFailed('no_valid_response', error);
  } finally {
    socket.destroy();
    await client.destroy();
  }
}

async function readAtMost(
  maxBytes: number,
  stream: AsyncIterable<Uint8Array>,
): Promise<{ body: Uint8Array; truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: length > maxBytes };
}
