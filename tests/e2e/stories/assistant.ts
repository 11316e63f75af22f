import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Installation } from './installation.ts';
import { openReceiver } from './receiver.ts';

/** An AI assistant that supports MCP: registers itself, and requests its token in the user's browser. */
export async function openAssistant({ baseUrl }: Installation, name: string) {
  const receiver = await openReceiver();
  const callback = `${receiver.url}/callback`;
  const verifier = randomBytes(32).toString('base64url');
  const post = async (path: string, body: string | URLSearchParams, type: string) => {
    const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    return (await response.json()) as Record<string, string>;
  };
  const registration = {
    client_name: name,
    redirect_uris: [callback],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  const { client_id: clientId = '' } = await post('/oauth2/register', JSON.stringify(registration), 'application/json');
  const answers = () =>
    receiver.requests.filter(({ url }) => url.startsWith('/callback')).map(({ url }) => new URL(url, callback));
  let token = '';
  return {
    close: () => receiver.close(),
    /** The page that the assistant opens in the browser. */
    consentUrl: `${baseUrl}/oauth2/authorize?${new URLSearchParams({
      client_id: clientId,
      redirect_uri: callback,
      response_type: 'code',
      state: 'state-of-the-assistant',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${baseUrl}/mcp`,
    })}`,
    /** The parameters of the latest redirect to the assistant. */
    async receiveAnswer(): Promise<URLSearchParams> {
      await expect.poll(() => answers().length, { interval: 100 }).toBeGreaterThan(0);
      return answers().at(-1)?.searchParams ?? new URLSearchParams();
    },
    async exchange(code: string): Promise<void> {
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: callback,
      });
      const answer = await post('/oauth2/token', form, 'application/x-www-form-urlencoded');
      token = answer.access_token ?? '';
    },
    async call(tool: string, given: Record<string, unknown>): Promise<{ status: number; answer: unknown }> {
      const response = await fetch(`${baseUrl}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } }),
      });
      const { result } = (await response.json()) as { result?: { content: [{ text: string }] } };
      return { status: response.status, answer: result && JSON.parse(result.content[0].text) };
    },
  };
}
