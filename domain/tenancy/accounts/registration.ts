import type { Postgres } from '@tributary/postgres';
import { limits, minuteMs } from '@tributary/vocabulary';
import { countUnallowedClients, deleteOldestUnallowedClients } from './assistant-store.ts';

const { nameCharacters, textCharacters, listEntries, unallowedMost, unallowedMinutes } = limits.assistants;

/**
 * Validates a registration and returns the request for better-auth, or the error response. Sizes are limited, because registration needs no
 * sign-in.
 */
export async function readRegistration(request: Request, postgres: Postgres, now: Date): Promise<Request | Response> {
  const metadata: unknown = await request.json().catch(() => undefined);
  const fault = faultIn(metadata);
  if (fault) return refusedResponse(400, 'invalid_client_metadata', fault);
  const isBelowLimit = await postgres.home.unbound.transaction(async (tx) => {
    if ((await countUnallowedClients(tx, unallowedMost)) < unallowedMost) return true;
    return (await deleteOldestUnallowedClients(tx, new Date(now.getTime() - unallowedMinutes * minuteMs))) > 0;
  });
  if (!isBelowLimit)
    return refusedResponse(
      503,
      'temporarily_unavailable',
      'Too many assistants have registered and were not allowed anything.',
    );
  const body = JSON.stringify(withReadScope(withApplicationType(metadata))) ?? '';
  return new Request(request.url, { method: 'POST', headers: withoutLength(request.headers), body });
}

/** Checks lengths only; better-auth validates everything else. */
function faultIn(metadata: unknown): string | undefined {
  if (metadata === null || typeof metadata !== 'object') return undefined;
  for (const [name, value] of Object.entries(metadata)) {
    const most = name === 'client_name' ? nameCharacters : textCharacters;
    if (lengthOf(value) > most) return `The field "${name.slice(0, 100)}" may have up to ${most} characters.`;
    if (Array.isArray(value) && value.length > listEntries)
      return `The field "${name.slice(0, 100)}" may have up to ${listEntries} entries.`;
  }
  return undefined;
}

/** The length of the longest string in the value. */
const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Array.isArray(value) ? Math.max(0, ...value.map(lengthOf)) : JSON.stringify(value).length;
};

/** Adds the type of native clients, which rarely declare it, if all redirect URIs are local. */
function withApplicationType(metadata: unknown): unknown {
  const { redirect_uris: uris, application_type: type } = (metadata ?? {}) as Record<string, unknown>;
  const isNative = Array.isArray(uris) && uris.length > 0 && uris.every((uri) => !/^https:/i.test(String(uri)));
  return isNative && type === undefined ? { ...(metadata as object), application_type: 'native' } : metadata;
}

/** Adds mcp:read to mcp:write, because no consent is possible for mcp:write alone. */
function withReadScope(metadata: unknown): unknown {
  const { scope } = (metadata ?? {}) as Record<string, unknown>;
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  if (!scopes.includes('mcp:write') || scopes.includes('mcp:read')) return metadata;
  return { ...(metadata as object), scope: ['mcp:read', ...scopes].join(' ') };
}

function withoutLength(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete('content-length');
  return copy;
}

const refusedResponse = (status: number, error: string, description: string) =>
  Response.json({ error, error_description: description }, { status, headers: { 'cache-control': 'no-store' } });
