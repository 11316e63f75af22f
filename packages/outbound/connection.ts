import type { Socket } from 'node:net';
import { Client, errors } from 'undici';
import { OutboundFailed } from './errors.ts';
import type { OutboundRequest } from './exchange.ts';
import type { Target } from './target.ts';

/** What came back. Its body is read and dropped: nobody who sends this way may see it. */
export interface LineAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request under way: whoever may not let bytes leave for ever waits for `sent`, and for `answer` afterwards. */
export interface Sending {
  /** The last byte was handed to the network. Rejects with what `answer` rejects with. */
  readonly sent: Promise<void>;
  readonly answer: Promise<LineAnswer>;
}

export interface SendLimits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/** An open connection to a vetted address, for one request after the other. Once it is lost it is never opened again. */
export class Connection {
  readonly address: string;
  /** How many requests it has carried. */
  carried = 0;
  readonly #socket: Socket;
  readonly #client: Client;
  readonly #target: Target;
  #isWhole = true;

  constructor(target: Target, address: string, socket: Socket) {
    this.address = address;
    this.#target = target;
    this.#socket = socket;
    let handedOver = false;
    this.#client = new Client(target.url.origin, {
      // Answered in a microtask, because undici forgets to go on when its connector answers at once.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          // undici asks a second time if it wants to reconnect; what was not vetted does not exist.
          if (handedOver || socket.destroyed) return callback(new Error('The connection was lost'), null);
          handedOver = true;
          callback(null, socket);
        }),
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    socket.once('close', () => {
      this.#isWhole = false;
    });
  }

  get isOpen(): boolean {
    return this.#isWhole && !this.#socket.destroyed && this.#socket.readable && this.#socket.writable;
  }

  send(request: OutboundRequest & { readonly path: string }, { timeoutMs, maxResponseBytes }: SendLimits): Sending {
    const sent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<LineAnswer>();
    // Whoever only waits for the answer need not look at the other.
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
      const late = new OutboundFailed('timeout');
      abort(late);
      fail(late);
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
            // What came before the last byte had left was not an answer to it.
            sent.resolve();
            head = { status, headers };
          },
          onResponseData: (_controller, chunk) => {
            length += chunk.length;
            // A receiver has spoken with its status; who goes on and on is cut off.
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
      // Such as a line break in a header: ours to mend, so it must not count against the receiver.
      if (error instanceof errors.InvalidArgumentError) throw error;
      fail(new OutboundFailed('no_valid_response', error));
    }
    return { sent: sent.promise, answer: answer.promise };
  }

  get origin(): string {
    return this.#target.url.origin;
  }

  close(): void {
    this.#isWhole = false;
    this.#socket.destroy();
    this.#client.destroy().catch(() => {});
  }
}
