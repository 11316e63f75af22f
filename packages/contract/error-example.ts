import { type ErrorCode, errorEntry } from './errors.ts';
import { links } from './links.ts';

/**
 * An example response with this code, for its page and the OpenAPI description. `reason` is omitted, because each route has its
 * own.
 */
export function errorExample(code: ErrorCode, baseUrl: string): { error: Record<string, unknown> } {
  const { status, meaning, fields = {} } = errorEntry(code);
  const examples: Record<string, unknown> = {
    required_scopes: ['customers:read'],
    field: 'rows.3.email',
    faults: [
      { field: 'rows.3.email', message: 'must be an e-mail address' },
      { field: 'rows.4.phone', message: 'is required' },
    ],
    reconnect_required: true,
    reconnect_url: links.connect(baseUrl, '01890a5d-ac96-774b-bcce-b302099a8057'),
    provider_code: '100',
    provider_message: 'The budget is below the minimum.',
    upgrade_required: true,
    upgrade: { plan: 'scale' },
    consent: { version: '3', text_hashes: { en: 'b94d27b9934d3e08' } },
  };
  const carried = Object.keys(fields).filter((name) => name in examples);
  return {
    error: {
      code,
      message: meaning,
      status,
      request_id: 'req_01890a5d-ac96-774b-bcce-b302099a8057',
      docs_url: links.errorDocs(baseUrl, code),
      ...Object.fromEntries(carried.map((name) => [name, examples[name]])),
    },
  };
}
