import type { PageEndpoint } from '@tributary/pages';
import type { Postgres } from '@tributary/postgres';
import { findClient } from './assistant-store.ts';

type Handle = PageEndpoint['handle'];
type Forward = (request: Request) => Promise<Response>;

/** The name of a registered client; undefined for an unregistered client. */
export async function clientName({ home }: Postgres, clientId: string | null): Promise<string | undefined> {
  if (!clientId || !/^[\w-]{1,100}$/.test(clientId)) return undefined;
  const client = await home.unbound.transaction((tx) => findClient(tx, clientId));
  return client && (client.name?.slice(0, 80) || 'An assistant');
}

/**
 * Rejects requests of unregistered OAuth clients with one lookup. These requests need no credential, and better-auth uses milliseconds of
 * CPU time for each.
 */
export class RegisteredClients {
  readonly #postgres: Postgres;
  readonly #errorPage: string;

  /** `errorPage`: redirect target for a browser request without a registered client. */
  constructor(postgres: Postgres, errorPage: string) {
    this.#postgres = postgres;
    this.#errorPage = errorPage;
  }

  /** For browser requests, with the client id in the query. */
  checkQuery(forward: Forward): Handle {
    return async (request) => {
      const clientId = new URL(request.url).searchParams.get('client_id');
      if (await this.#isRegistered(clientId)) return forward(request);
      const location = `${this.#errorPage}?error=${clientId ? 'invalid_client' : 'invalid_request'}`;
      return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
    };
  }

  /** For token requests, with the client id in the form or the Authorization header. */
  checkForm(forward: Forward): Handle {
    return async (request) => {
      const text = await request.text();
      const basic = request.headers.get('authorization');
      const clientId = basic ? readClientId(basic) : new URLSearchParams(text).get('client_id');
      if (!(await this.#isRegistered(clientId))) return unregisteredClient(basic !== null);
      return forward(new Request(request.url, { method: request.method, headers: request.headers, body: text }));
    };
  }

  async #isRegistered(clientId: string | null): Promise<boolean> {
    return (await clientName(this.#postgres, clientId)) !== undefined;
  }
}

function readClientId(authorization: string): string | null {
  const [, encoded = ''] = /^Basic +(\S+)$/i.exec(authorization) ?? [];
  const [id = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return id || null;
}

const unregisteredClient = (isBasic: boolean) =>
  Response.json(
    { error: 'invalid_client', error_description: 'The client is not registered. Register it first.' },
    { status: 401, headers: { 'cache-control': 'no-store', ...(isBasic && { 'www-authenticate': 'Basic' }) } },
  );

/** Caches a static response for the lifetime of the process. Failures are not cached. */
export function cacheResponse(load: Forward): Handle {
  let cached: Promise<{ readonly body: ArrayBuffer; readonly init: ResponseInit }> | undefined;
  const read = async (request: Request) => {
    const response = await load(request);
    if (!response.ok) throw new Error(`A discovery document returned ${response.status}.`);
    return { body: await response.arrayBuffer(), init: { status: response.status, headers: response.headers } };
  };
  return async (request) => {
    cached ??= read(request).catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    const { body, init } = await cached;
    return new Response(body, init);
  };
}
