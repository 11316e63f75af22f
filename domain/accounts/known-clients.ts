import type { PageEndpoint } from '@tributary/pages';
import type { Postgres } from '@tributary/postgres';
import { findClient } from './assistant-store.ts';

type Handle = PageEndpoint['handle'];
type Pass = (request: Request) => Promise<Response>;

/** The name of a registered client; undefined for one that nobody registered. */
export async function clientName({ home }: Postgres, clientId: string | null): Promise<string | undefined> {
  if (!clientId || !/^[\w-]{1,100}$/.test(clientId)) return undefined;
  const client = await home.unbound.transaction((tx) => findClient(tx, clientId));
  return client && (client.name?.slice(0, 80) || 'An assistant');
}

/**
 * better-auth takes milliseconds of the processor for each request, and anybody may send one. A client that nobody registered is
 * answered here, by one look-up.
 */
export class KnownClients {
  readonly #postgres: Postgres;
  readonly #errorPage: string;

  /** `errorPage` is where a browser is led that comes for no client. */
  constructor(postgres: Postgres, errorPage: string) {
    this.#postgres = postgres;
    this.#errorPage = errorPage;
  }

  /** A browser comes with the client in the query. */
  asking(pass: Pass): Handle {
    return async (request) => {
      const clientId = new URL(request.url).searchParams.get('client_id');
      if (await this.#isKnown(clientId)) return pass(request);
      const location = `${this.#errorPage}?error=${clientId ? 'invalid_client' : 'invalid_request'}`;
      return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } });
    };
  }

  /** A program sends the client in its form or in the header. */
  sending(pass: Pass): Handle {
    return async (request) => {
      const text = await request.text();
      const basic = request.headers.get('authorization');
      const clientId = basic ? clientIn(basic) : new URLSearchParams(text).get('client_id');
      if (!(await this.#isKnown(clientId))) return unknownClient(basic !== null);
      return pass(new Request(request.url, { method: request.method, headers: request.headers, body: text }));
    };
  }

  async #isKnown(clientId: string | null): Promise<boolean> {
    return (await clientName(this.#postgres, clientId)) !== undefined;
  }
}

function clientIn(authorization: string): string | null {
  const [, encoded = ''] = /^Basic +(\S+)$/i.exec(authorization) ?? [];
  const [id = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return id || null;
}

const unknownClient = (isBasic: boolean) =>
  Response.json(
    { error: 'invalid_client', error_description: 'There is no such client. Register it first.' },
    { status: 401, headers: { 'cache-control': 'no-store', ...(isBasic && { 'www-authenticate': 'Basic' }) } },
  );

/** An answer that is the same for everybody as long as the process runs. A failure is not kept. */
export function madeOnce(make: Pass): Handle {
  let made: Promise<{ readonly body: ArrayBuffer; readonly init: ResponseInit }> | undefined;
  const read = async (request: Request) => {
    const response = await make(request);
    if (!response.ok) throw new Error(`A document of discovery was answered ${response.status}.`);
    return { body: await response.arrayBuffer(), init: { status: response.status, headers: response.headers } };
  };
  return async (request) => {
    made ??= read(request).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    const { body, init } = await made;
    return new Response(body, init);
  };
}
