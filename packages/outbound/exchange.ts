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
  /** As it came: a redirect is an answer like any other, and is not followed. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first `maxResponseBytes` bytes, as sent (not decompressed). Never to be shown to the tenant who chose the URL. */
  readonly body: Uint8Array;
  /** The body was longer. That is no error: a webhook's receiver has spoken with its status, whatever it adds. */
  readonly truncated: boolean;
}

/**
 * One request over one open connection, which is closed afterwards. No connection is kept: a kept one would carry later
 * requests past the DNS question and the vetting. That costs a handshake per request, which a webhook every now and then to
 * each of many hosts would pay anyway.
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
    // Answered in a microtask, because undici forgets to go on when its connector answers at once.
    connect: (_options, callback) =>
      queueMicrotask(() => {
        // undici asks a second time if it wants to reconnect; a connection that this request did not vet does not exist.
        if (handedOver || socket.destroyed) return callback(new Error('The connection was lost'), null);
        handedOver = true;
        callback(null, socket);
      }),
    allowH2: false,
    // The caller's deadline covers the whole request; undici's own timers count whole seconds.
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
    // Such as a line break in a header: ours to mend, so it must not count against the receiver.
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
