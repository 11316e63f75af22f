import type { Call, Send } from '@tributary/providers';
import { ProviderFault } from '@tributary/providers';

/** For tests without the outbound guard: sends only to the sandbox. */
export function sendTo(sandbox: { readonly url: string }): Send {
  return async ({ method, url, headers, body }) => {
    if (!url.startsWith(`${sandbox.url}/`)) throw new Error(`${url} is outside the sandbox.`);
    try {
      const answer = await fetch(url, { method, headers: headers ?? {}, body: body ?? null, redirect: 'manual' });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
    } catch {
      throw new ProviderFault({
        verdict: 'wait',
        code: 'no_answer',
        says: 'The answer was lost.',
        mayHaveHappened: true,
      });
    }
  };
}

export const callTo = (sandbox: { readonly url: string }, now: Date): Call => ({
  send: sendTo(sandbox),
  now,
  signal: AbortSignal.timeout(60_000),
});

/** Completes the consent page as a user would, without a browser. Returns the query that reaches the callback. */
export async function completeConsent(
  authorizeUrl: string,
  how: {
    readonly answer?: string;
    readonly without?: readonly string[];
    readonly accounts?: readonly string[];
    /** Shares the first so many of the offered accounts; defaults to all. */
    readonly most?: number;
  } = {},
): Promise<Record<string, string>> {
  const page = await (await fetch(authorizeUrl)).text();
  const offered = (name: string) =>
    [...page.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map(([, value]) => value as string);
  const form = new URLSearchParams({ answer: how.answer ?? 'approve' });
  for (const scope of offered('scope')) if (!how.without?.includes(scope)) form.append('scope', scope);
  for (const account of how.accounts ?? offered('account').slice(0, how.most)) form.append('account', account);
  const answer = await fetch(authorizeUrl, { method: 'POST', body: form, redirect: 'manual' });
  return Object.fromEntries(new URL(answer.headers.get('location') ?? '').searchParams);
}
