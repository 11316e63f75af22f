/** A route of a simulated company. `path` begins with the company's prefix; a segment `:name` matches any value. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  handle(request: SandboxRequest): Reply | Promise<Reply>;
}

export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly now: Date;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});

export const redirect = (to: string): Reply => ({ status: 303, headers: { location: to }, body: '' });

export const bearerOf = ({ headers }: SandboxRequest): string | undefined =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];

export const formOf = ({ body }: SandboxRequest): URLSearchParams => new URLSearchParams(body);

export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const segments = path.split('/');
  for (const route of routes) {
    if (route.method !== method) continue;
    const params = matches(route.path.split('/'), segments);
    if (params) return { route, params };
  }
  return undefined;
}

function matches(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [place, wanted] of pattern.entries()) {
    const found = segments[place] ?? '';
    if (wanted.startsWith(':')) params[wanted.slice(1)] = decodeURIComponent(found);
    else if (wanted !== found) return undefined;
  }
  return params;
}
