import { describe, expect, test } from 'vitest';
import type { ProviderRecord, ProviderRequest } from '../provider.ts';
import { fintocExamples, manychatExamples } from './banks-and-chats.ts';
import { type Example, type PublishedExamples, receivedOf } from './example.ts';
import { googleAdsExamples, searchConsoleExamples } from './google.ts';
import { highlevelExamples } from './highlevel.ts';
import { mercadoPagoExamples } from './mercado-pago.ts';
import { metaExamples } from './meta.ts';
import { shopifyExamples } from './shopify.ts';
import { stripeExamples } from './stripe.ts';

const allExamples: readonly PublishedExamples[] = [
  metaExamples,
  googleAdsExamples,
  searchConsoleExamples,
  highlevelExamples,
  stripeExamples,
  mercadoPagoExamples,
  shopifyExamples,
  fintocExamples,
  manychatExamples,
];

/** Matches by the queried resource for Google Ads, by the end of the path otherwise. */
function isAbout(key: string, { url, body = '' }: ProviderRequest): boolean {
  const query = /"query":"([^"]+)"/.exec(body)?.[1];
  if (query === undefined || key.startsWith('/')) return new URL(url).pathname.endsWith(key);
  const resource = /FROM (\w+)/.exec(query)?.[0] ?? '';
  return key === (query.includes('metrics.') ? `metrics ${resource}` : resource);
}

async function recordsOf({ provider, account, position, empty, kinds }: PublishedExamples, example: Example) {
  if (example.webhook) return provider.selfSignedWebhooks?.read(receivedOf(example.webhook)) ?? [];
  const answered = new Set<string>();
  const send = async (request: ProviderRequest) => {
    const key = Object.keys(example.answers ?? {}).find((one) => isAbout(one, request));
    // For a list that is read in several windows, only the first window contains the example.
    const isAgain = key !== undefined && answered.has(key);
    if (key !== undefined) answered.add(key);
    const body = key === undefined || isAgain ? empty(new URL(request.url).pathname) : example.answers?.[key];
    return { status: 200, headers: {}, text: JSON.stringify(body) };
  };
  const records: ProviderRecord[] = [];
  const call = { send, now: new Date('2026-03-01T12:00:00Z'), signal: new AbortController().signal };
  for await (const page of provider.sync?.(account, position, call) ?? []) records.push(...page.records);
  return records.filter(({ kind }) => !kinds || kinds.includes(kind));
}

describe.each(allExamples.map((examples) => [examples.provider.facts.name, examples] as const))(
  '%s',
  (_name, examples) => {
    test.each(examples.examples.map((example) => [example.name, example] as const))(
      'parses the published form of %s into the expected records',
      async (_example, example) => {
        expect(await recordsOf(examples, example)).toEqual(example.said);
      },
    );
  },
);

test('every example names its public source', () => {
  for (const { examples } of allExamples) for (const { source } of examples) expect(source).toMatch(/\.\w+\/|\/\w+/);
});
