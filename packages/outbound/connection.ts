import type { Socket } from 'node:net';
import { Client, errors } from 'undici';
import { OutboundFailed } from './errors.ts';
import type { OutboundRequest } from './exchange.ts';
import type { Target } from './target.ts';

/** The response. Its body is read and dropped, because senders over a line must not see it. */
export interface LineAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request in progress. Callers that must limit how long bytes are sent await `sent` first, then `answer`. */
export interface Sending {
  /** Resolves when the last byte was passed to the network. Rejects with the same error as `answer`. */
  readonly sent: Promise<void>;
  readonly answer: Promise<LineAnswer>;
}

export interface SendLimits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** An open connection to a vetted address, for sequential requests. Once it is lost it is never reopened. */
export class Connection {
  readonly address: string;
  /** The number of requests sent over it. */
  carried = 0;
  readonly #socket: Socket;
  readonly #client: Client;
  readonly #target: Target;
  #isUsable = true;

  constructor(target: Target, address: string, socket: Socket) {
    this.address = address;
    this.#target = target;
    this.#socket = socket;
    let handedOver = false;
    this.#client = new Client(target.url.origin, {
      // In a microtask, because undici stalls if its connector answers synchronously.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          // undici calls this again to reconnect, which is refused because a new connection would not be vetted.
          if (handedOver || socket.destroyed) return callback(new Error('The connection was lost'), null);
          handedOver = true;
          callback(null, socket);
        }),
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    socket.once('close', () => {
      this.#isUsable = false;
    });
  }

  get isOpen(): boolean {
    return this.#isUsable && !this.#socket.destroyed && this.#socket.readable && this.#socket.writable;
  }

  send(request: OutboundRequest & { readonly path: string }, { timeoutMs, maxResponseBytes }: SendLimits): Sending {
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<LineAnswer>();
    // Prevents an unhandled rejection when the caller awaits only `answer`.
    sent.promise.catch(() => {});
    this.carried += 1;
    let abort = (_reason: Error) => {};
    const fail = (error: unknown) => {
      clearTimeout(timer);
      this.close();
      sent.reject(error);
      answer.reject(error);
    };
    const timer = setTimeout(() => {
      const timeout = new OutboundFailed('timeout');
      abort(timeout);
      fail(timeout);
    }, timeoutMs);
    let head: LineAnswer | undefined;
    let length = 0;
    const finish = () => {
      clearTimeout(timer);
      if (head) answer.resolve(head);
    };
    const body = request.body ?? null;
    try {
      this.#client.dispatch(
        {
          path: request.path,
          method: request.method ?? 'GET',
          headers: request.headers ?? {},
          body: typeof body === 'string' ? Buffer.from(body) : body,
        },
        {
          onRequestStart: (controller) => {
            abort = (reason) => controller.abort(reason);
          },
          onRequestSent: () => {
            if (this.#socket.writableLength === 0) sent.resolve();
            else this.#socket.once('drain', () => sent.resolve());
          },
          onResponseStart: (_controller, status, headers) => {
            // The receiver answered before the whole request was sent.
            sent.resolve();
            head = { status, headers };
          },
          onResponseData: (_controller, chunk) => {
            length += chunk.length;
            // The status is enough; an endless body is cut off.
            if (length <= maxResponseBytes) return;
            finish();
            this.close();
          },
          onResponseEnd: finish,
          onResponseError: (_controller, error) => {
            if (length > maxResponseBytes) return;
            fail(error instanceof OutboundFailed ? error : new OutboundFailed('no_valid_response', error));
          },
        },
      );
    } catch (error) {
      clearTimeout(timer);
      // A mistake of the caller, such as a line break in a header, which must not count against the receiver.
      if (error instanceof errors.InvalidArgumentError) throw error;
      fail(new OutboundFailed('no_valid_response', error));
    }
    return { sent: sent.promise, answer: answer.promise };
  }

  get origin(): string {
    return this.#target.url.origin;
  }

  close(): void {
    this.#isUsable = false;
    this.#socket.destroy();
    this.#client.destroy().catch(() => {});
  }
}
