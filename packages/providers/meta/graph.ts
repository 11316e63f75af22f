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
  /** Undefined on the last page. */
  readonly after: string | undefined;
  /** The number of rows per page that Meta accepted. */
  readonly limit: number;
  readonly waitMs: number | undefined;
}

type Params = Readonly<Record<string, string>>;
export type Graph = ReturnType<typeof createGraph>;

const maxBytes = 32 * 1024 * 1024;
/** After "Please reduce the amount of data" the same page is requested again with fewer rows. */
const pageSizes = [500, 100, 50, 10];
/** For lists that fit into memory: accounts, pixels, pages. */
const maxPages = 40;

/** Meta's Graph API. The token is sent in a header and never in a URL. */
export function createGraph(settings: MetaSettings) {
  const base = `${settings.apiUrl.replace(/\/$/, '')}/${settings.apiVersion}`;

  async function requestJson(request: ProviderRequest, call: Call): Promise<GraphAnswer> {
    call.signal.throwIfAborted();
    const answer = await call.send({ ...request, maxResponseBytes: maxBytes });
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
    return requestJson({ method: 'GET', url: `${base}/${path}?${query}`, headers: headersFor(token) }, call);
  }

  async function page<T>(
    row: z.ZodType<T>,
    at: { readonly path: string; readonly params: Params; readonly limit: number; readonly after?: string | undefined },
    token: string,
    call: Call,
  ): Promise<GraphPage<T>> {
    const limits = [at.limit, ...pageSizes.filter((limit) => limit < at.limit)];
    for (const [attempt, limit] of limits.entries()) {
      try {
        const params = { ...at.params, limit: String(limit), ...(at.after !== undefined && { after: at.after }) };
        const { body, waitMs } = await get(at.path, params, token, call);
        const { data, paging } = readAs(PageBody, body, at.path);
        const rows = data.map((one) => readAs(row, one, at.path));
        // `paging.next` is a URL that contains the token, so only its presence is used.
        const after = paging?.next === undefined ? undefined : paging.cursors?.after;
        return { rows, after, limit, waitMs };
      } catch (error) {
        if (!isTooMuch(error) || attempt === limits.length - 1) throw error;
      }
    }
    throw new Error('No limit was tried.');
  }

  return {
    get,
    page,

    /** Requests without a user, in the name of the app. */
    getAsApp: (path: string, params: Params, call: Call): Promise<GraphAnswer> =>
      requestJson({ method: 'GET', url: `${base}/${path}?${new URLSearchParams(params)}` }, call),

    post(path: string, params: Params, token: string, call: Call): Promise<GraphAnswer> {
      const body = new URLSearchParams({ ...params, ...signed(token) }).toString();
      const headers = { ...headersFor(token), 'content-type': 'application/x-www-form-urlencoded' };
      return requestJson({ method: 'POST', url: `${base}/${path}`, headers, body }, call);
    },

    postJson(path: string, body: string, token: string, call: Call): Promise<GraphAnswer> {
      const headers = { ...headersFor(token), 'content-type': 'application/json' };
      return requestJson(
        { method: 'POST', url: `${base}/${path}?${new URLSearchParams(signed(token))}`, headers, body },
        call,
      );
    },

    delete: (path: string, token: string, call: Call): Promise<GraphAnswer> =>
      requestJson(
        { method: 'DELETE', url: `${base}/${path}?${new URLSearchParams(signed(token))}`, headers: headersFor(token) },
        call,
      ),

    async all<T>(row: z.ZodType<T>, path: string, params: Params, token: string, call: Call): Promise<T[]> {
      const rows: T[] = [];
      let after: string | undefined;
      for (let count = 0; count < maxPages; count += 1) {
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

/** Code 1 comes with "reduce the amount of data"; 100/1487534 is its equivalent for insights. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof ProviderFault && ['1', '100/1487534'].includes(error.details.code);
