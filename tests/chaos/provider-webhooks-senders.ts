import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** A store that signs its webhooks. */
export interface Sender {
  readonly profileId: string;
  readonly domain: string;
  readonly secret: string;
  /** Sends for the first time during the outage, so that its secret is not cached. */
  readonly isLate: boolean;
}

/** A large order with many line items, which compresses like a real webhook. */
function templateOf(bytes: number): string {
  const items: string[] = [];
  for (let n = 0, length = 0; length < bytes - 1_000; n += 1) {
    const item = JSON.stringify({
      id: 9_000_000_000_000 + ((n * 7_919) % 99_991) * 101,
      title: `Item ${(n * 31) % 977} ${['blue', 'red', 'green', 'grey'][(n * 13) % 4]}`,
      price: `${((n * 37) % 500) + 1}.${String((n * 53) % 100).padStart(2, '0')}`,
      sku: `SKU-${(n * 104_729) % 1_000_003}`,
      quantity: (n % 3) + 1,
      taxable: true,
      properties: [{ name: 'engraving', value: `for number ${(n * 17) % 4_409}` }],
    });
    items.push(item);
    length += item.length + 1;
  }
  return `"line_items":[${items.join()}]`;
}

export interface Sent {
  readonly sender: Sender;
  readonly id: number;
  readonly isForged: boolean;
}

export class WebhookSenders {
  readonly statuses = new Map<number, number>();
  /** Response times in milliseconds. */
  readonly waits: number[] = [];
  retried = 0;
  bytes = 0;
  readonly #url: string;
  readonly #addresses: number;
  readonly #rest: string;
  readonly #agent = new Agent({ connections: 48, pipelining: 1 });
  readonly #retries: Sent[] = [];
  readonly #inFlight = new Set<Promise<void>>();

  constructor(url: string, addresses: number, bytes: number) {
    this.#url = url;
    this.#addresses = addresses;
    this.#rest = templateOf(bytes);
  }

  get pending(): number {
    return this.#retries.length + this.#inFlight.size;
  }

  /** Sends a webhook. A 5xx, a 429 or no response queues a retry, as providers do. */
  async send(sent: Sent): Promise<void> {
    while (this.#inFlight.size >= 48) await Promise.race(this.#inFlight);
    const work = this.#post(sent).finally(() => this.#inFlight.delete(work));
    this.#inFlight.add(work);
  }

  /** Retries until all webhooks are accepted. */
  async finish(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (this.pending > 0) {
      if (performance.now() > deadline)
        throw new Error(`${this.pending} webhooks were not accepted within ${timeoutMs} ms.`);
      await this.retry(100);
      await Promise.allSettled([...this.#inFlight]);
      if (this.#retries.length > 0) await sleep(1_000);
    }
  }

  /** Sends up to `limit` queued retries. */
  async retry(limit: number): Promise<void> {
    for (const sent of this.#retries.splice(0, limit)) await this.send(sent);
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async #post(sent: Sent): Promise<void> {
    const { sender, id, isForged } = sent;
    const body = Buffer.from(
      `{"id":${id},"name":"#${id}","currency":"CLP","total_price":"${1_000 + (id % 9_000)}","financial_status":"paid",` +
        `"created_at":"2026-06-01T10:00:00-04:00","email":"buyer-${id}@example.com",${this.#rest}}`,
    );
    const secret = isForged ? 'guessed' : sender.secret;
    const startedAt = performance.now();
    let status = 0;
    try {
      const response = await request(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': `203.0.113.${(id % this.#addresses) + 1}`,
          'x-shopify-topic': 'orders/paid',
          'x-shopify-shop-domain': sender.domain,
          'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
        },
        body,
        dispatcher: this.#agent,
        headersTimeout: 30_000,
      });
      await response.body.dump();
      status = response.statusCode;
    } catch {
      // No response counts as status 0.
    }
    this.bytes += body.length;
    this.waits.push(performance.now() - startedAt);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 0 || status === 429 || status >= 500) {
      this.retried += 1;
      this.#retries.push(sent);
    }
  }
}
