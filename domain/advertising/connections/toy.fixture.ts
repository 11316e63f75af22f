import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  asProvider,
  type Call,
  type Facts,
  type Page,
  type Pipeline,
  type Pixel,
  type Provider,
  ProviderFault,
  type ProviderRecord,
  type Providers,
  type Verdict,
} from '@tributary/providers';
import type { Channel } from '@tributary/vocabulary';
import { z } from 'zod';

/** A fake provider that responds over HTTP as the test configures it. */

const Credentials = z.object({ access: z.string(), refresh: z.string(), until: z.string() });
type ToyCredentials = z.infer<typeof Credentials>;

interface ToyPage {
  readonly records: readonly ProviderRecord[];
  readonly progress?: number;
  readonly waitMs?: number;
}

interface Failure {
  readonly verdict: Verdict;
  readonly says: string;
  readonly retryAfterMs?: number;
  readonly reach?: 'connection' | 'app';
}

export class Toy {
  /** Its records, page by page. */
  pages: ToyPage[] = [];
  pixels: Pixel[] = [];
  fbPages: Page[] = [];
  pipelines: Pipeline[] = [];
  /** The errors of the next calls, one each. */
  failures: Failure[] = [];
  /** The valid refresh token; each can be used once. */
  refreshToken = 'refresh-1';
  refreshes = 0;
  revoked: string[] = [];
  requests: string[] = [];
  /** Delays each response. */
  delayMs = 0;
  url = '';
  readonly #server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://toy');
    const token = request.headers.authorization ?? '';
    this.requests.push(`${request.method} ${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`);
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname === '/token') {
      this.refreshes += 1;
      if (searchParams.get('refresh') !== this.refreshToken)
        return answer(400, { verdict: 'reconnect', says: 'invalid_grant' });
      this.refreshToken = `refresh-${this.refreshes + 1}`;
      return answer(200, { access: `access-${this.refreshes + 1}`, refresh: this.refreshToken });
    }
    const failure = this.failures.shift();
    if (failure) return answer(400, failure);
    if (pathname === '/revoke') {
      this.revoked.push(token);
      return answer(200, {});
    }
    if (pathname === '/pixels') return answer(200, this.pixels);
    if (pathname === '/pages') return answer(200, this.fbPages);
    if (pathname === '/stages') return answer(200, this.pipelines);
    const number = Number(searchParams.get('page') ?? 0);
    return answer(200, { page: this.pages[number] ?? null, isLast: number >= this.pages.length - 1 });
  });

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #call(call: Call, method: 'GET' | 'POST', path: string, access = '') {
    const answer = await call.send({ method, url: `${this.url}${path}`, headers: { authorization: access } });
    const body = JSON.parse(answer.text);
    if (answer.status !== 200) throw new ProviderFault({ code: body.says, ...body });
    return body;
  }

  provider(channel: Channel, facts: Partial<Facts> = {}): Provider {
    return asProvider<ToyCredentials, { page: number }>({
      facts: { channel, name: 'Toy', ...facts },
      credentials: Credentials,
      connect: {
        usesPkce: false,
        authorizeUrl: ({ redirectUri, state }) => `${this.url}/consent?to=${redirectUri}&state=${state}`,
        readCallback: (query) => ({ code: query.code ?? '' }),
        exchange: async () => this.credentials(),
        candidates: async () => [],
        refreshAt: ({ until }) => new Date(until),
        refresh: async ({ refresh }, call) => {
          const pair = await this.#call(call, 'POST', `/token?refresh=${refresh}`);
          return { ...pair, until: new Date(call.now.getTime() + 3_600_000).toISOString() };
        },
        revoke: async ({ credentials }, call) => void (await this.#call(call, 'POST', '/revoke', credentials.access)),
      },
      pixels: ({ credentials }, call) => this.#call(call, 'GET', '/pixels', credentials.access),
      pages: ({ credentials }, call) => this.#call(call, 'GET', '/pages', credentials.access),
      stages: ({ credentials }, call) => this.#call(call, 'GET', '/stages', credentials.access),
      receive: {
        verify: ({ headers, body }) => headers['x-toy'] === `signed ${body.length}`,
        read: ({ body }) => JSON.parse(Buffer.from(body).toString()),
      },
      sync: (account, from, call) => this.#sync(account.credentials.access, from, call),
    });
  }

  async *#sync(access: string, from: { page: number } | null, call: Call) {
    for (let number = from?.page ?? 0; ; number += 1) {
      const { page, isLast } = await this.#call(call, 'GET', `/data?page=${number}`, access);
      const { records = [], progress, waitMs } = page ?? {};
      const more = { ...(progress !== undefined && { progress }), ...(waitMs !== undefined && { waitMs }) };
      yield { records, position: { page: isLast ? 0 : number + 1 }, ...more };
      if (isLast) return;
    }
  }

  credentials(until = new Date('2100-01-01T00:00:00Z')): ToyCredentials {
    return { access: 'access-1', refresh: this.refreshToken, until: until.toISOString() };
  }

  /** Registers this provider for some channels; the others have none. */
  providers(...channels: readonly Channel[]): Providers {
    const registered = new Map(channels.map((channel) => [channel, this.provider(channel)]));
    return { of: (channel) => registered.get(channel) };
  }
}
