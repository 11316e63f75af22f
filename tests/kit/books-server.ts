import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOutbound, localDevelopmentTargets } from '@tributary/outbound';
import {
  asProvider,
  type BookedSpend,
  type Call,
  type Provider,
  ProviderFault,
  type Providers,
} from '@tributary/providers';
import { type Channel, channels } from '@tributary/vocabulary';
import { z } from 'zod';
import { testVault } from './operation-deps.ts';

export interface BookedPayment {
  readonly externalId: string;
  readonly at: string;
  readonly amount: string;
  readonly currency: string;
}

/** A provider that reports account totals over HTTP and lists whatever payments and spend the test puts into its books. */
export class BooksServer {
  payments: BookedPayment[] = [];
  spend: BookedSpend[] = [];
  /** The number of upcoming calls that fail; Infinity makes every call fail. */
  failures = 0;
  calls = 0;
  #url = '';
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://books');
    const [from = '', until = ''] = [query.get('from') ?? '', query.get('until') ?? ''];
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    this.calls += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      return answer(503, {});
    }
    if (pathname === '/spend')
      return answer(
        200,
        this.spend.filter(({ day }) => day >= from && day <= until),
      );
    const id = query.get('id');
    if (id !== null) return answer(200, this.payments.find(({ externalId }) => externalId === id) ?? null);
    return answer(
      200,
      this.payments.filter(({ at }) => at >= from && at < until),
    );
  });

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #get(path: string, query: Record<string, string>, call: Call) {
    const url = `${this.#url}${path}?${new URLSearchParams(query)}`;
    const answer = await call.send({ method: 'GET', url });
    if (answer.status !== 200)
      throw new ProviderFault({ verdict: 'wait', code: 'away', says: 'The books are closed.' });
    return JSON.parse(answer.text);
  }

  #provider(channel: Channel): Provider {
    const read = ({ at, ...payment }: BookedPayment) => ({ ...payment, at: new Date(at) });
    const self = this;
    return asProvider<object, never>({
      facts: { channel, name: 'Books' },
      credentials: z.object({}),
      books:
        channels[channel].kind === 'ads'
          ? { spend: (_, { since, until }, call) => this.#get('/spend', { from: since, until }, call) }
          : {
              async *payments(_, { from, until }, call) {
                const span = { from: from.toISOString(), until: until.toISOString() };
                yield (await self.#get('/payments', span, call)).map(read);
              },
              async payment(_, id, call) {
                const found = await self.#get('/payments', { id }, call);
                return found === null ? undefined : read(found);
              },
            },
    });
  }

  /** The services with which a worker queries this provider. */
  services(...names: readonly Channel[]) {
    const made = new Map(names.map((channel) => [channel, this.#provider(channel)]));
    const providers: Providers = { of: (channel) => made.get(channel) };
    const providerOutbound = createOutbound({ timeoutMs: 5_000, policy: localDevelopmentTargets });
    return { vault: testVault, providers, providerOutbound };
  }
}
