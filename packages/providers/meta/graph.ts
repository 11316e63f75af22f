import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Call, ProviderRequest } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { readAs, readJson, unreadable } from '../read-answer.ts';
import { faultOf } from './faults.ts';
import type { MetaSettings } from './settings.ts';
import { waitOf } from './usage.ts';

export interface GraphAnswer {
  readonly body: unknown;
  readonly waitMs: number | undefined;
}

export interface GraphPage<T> {
  readonly rows: readonly T[];
  /** Undefined: this was the last. */
  readonly after: string | undefined;
  /** Rows at once that Meta was ready to give. */
  readonly limit: number;
  readonly waitMs: number | undefined;
}

type Params = Readonly<Record<string, string>>;
export type Graph = ReturnType<typeof createGraph>;

const mostBytes = 32 * 1024 * 1024;
/** "Please reduce the amount of data": the same page is asked again with fewer rows. */
const fewer = [500, 100, 50, 10];
/** Where nobody needs more rows than fit into memory at once: accounts, pixels, pages. */
const mostPages = 40;

/** Meta's Graph API over the `send` of a call. The token rides in a header and never in a URL. */
export function createGraph(settings: MetaSettings) {
  const base = `${settings.apiUrl.replace(/\/$/, '')}/${settings.apiVersion}`;

  async function ask(request: ProviderRequest, call: Call): Promise<GraphAnswer> {
    call.signal.throwIfAborted();
    const answer = await call.send({ ...request, maxResponseBytes: mostBytes });
    const body = readJson(answer.text);
    if (answer.status >= 300 || hasError(body)) throw faultOf(answer);
    if (body === undefined) throw unreadable(answer);
    return { body, waitMs: waitOf(answer.headers) };
  }

  const signed = (token: string): Params => ({
    appsecret_proof: createHmac('sha256', settings.clientSecret).update(token).digest('hex'),
  });
  const headersFor = (token: string) => ({ authorization: `Bearer ${token}`, accept: 'application/json' });

  function get(path: string, params: Params, token: string, call: Call): Promise<GraphAnswer> {
    const query = new URLSearchParams({ ...params, ...signed(token) });
    return ask({ method: 'GET', url: `${base}/${path}?${query}`, headers: headersFor(token) }, call);
  }

  async function page<T>(
    row: z.ZodType<T>,
    at: { readonly path: string; readonly params: Params; readonly limit: number; readonly after?: string | undefined },
    token: string,
    call: Call,
  ): Promise<GraphPage<T>> {
    const limits = [at.limit, ...fewer.filter((limit) => limit < at.limit)];
    for (const [place, limit] of limits.entries()) {
      try {
        const params = { ...at.params, limit: String(limit), ...(at.after !== undefined && { after: at.after }) };
        const { body, waitMs } = await get(at.path, params, token, call);
        const { data, paging } = readAs(PageBody, body, at.path);
        const rows = data.map((one) => readAs(row, one, at.path));
        // `paging.next` is a URL with the token in it: that there is one is all that is taken from it.
        const after = paging?.next === undefined ? undefined : paging.cursors?.after;
        return { rows, after, limit, waitMs };
      } catch (error) {
        if (!isTooMuch(error) || place === limits.length - 1) throw error;
      }
    }
    throw new Error('No limit was tried.');
  }

  return {
    get,
    page,

    /** Without a user: the app asks in its own name. */
    getAsApp: (path: string, params: Params, call: Call): Promise<GraphAnswer> =>
      ask({ method: 'GET', url: `${base}/${path}?${new URLSearchParams(params)}` }, call),

    post(path: string, params: Params, token: string, call: Call): Promise<GraphAnswer> {
      const body = new URLSearchParams({ ...params, ...signed(token) }).toString();
      const headers = { ...headersFor(token), 'content-type': 'application/x-www-form-urlencoded' };
      return ask({ method: 'POST', url: `${base}/${path}`, headers, body }, call);
    },

    postJson(path: string, body: string, token: string, call: Call): Promise<GraphAnswer> {
      const headers = { ...headersFor(token), 'content-type': 'application/json' };
      return ask({ method: 'POST', url: `${base}/${path}?${new URLSearchParams(signed(token))}`, headers, body }, call);
    },

    delete: (path: string, token: string, call: Call): Promise<GraphAnswer> =>
      ask(
        { method: 'DELETE', url: `${base}/${path}?${new URLSearchParams(signed(token))}`, headers: headersFor(token) },
        call,
      ),

    async all<T>(row: z.ZodType<T>, path: string, params: Params, token: string, call: Call): Promise<T[]> {
      const rows: T[] = [];
      let after: string | undefined;
      for (let count = 0; count < mostPages; count += 1) {
        const read = await page(row, { path, params, limit: 100, after }, token, call);
        rows.push(...read.rows);
        after = read.after;
        if (after === undefined) break;
      }
      return rows;
    },
  };
}

const PageBody = z.object({
  data: z.array(z.unknown()),
  paging: z
    .object({ cursors: z.object({ after: z.string().optional() }).optional(), next: z.string().optional() })
    .optional(),
});

const hasError = (body: unknown): boolean => typeof body === 'object' && body !== null && 'error' in body;

/** Code 1 is what "reduce the amount of data" comes with; 100/1487534 says so of insights. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof ProviderFault && ['1', '100/1487534'].includes(error.details.code);
