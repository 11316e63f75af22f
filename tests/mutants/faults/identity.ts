import type { Fault } from '../fault.ts';

export const faults: readonly Fault[] = [
  {
    id: 'youngest-survives',
    file: 'packages/rules/identity.ts',
    from: 'a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);',
    to: 'b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1);',
    breaks: 'the youngest customer survives a merge',
    tests: ['packages/rules/identity.test.ts', 'domain/customers/import-customers.test.ts'],
  },
  {
    id: 'linked-browser-linked-again',
    file: 'domain/ingestion/identify-visitors.ts',
    from: 'const unlinked = claims.filter(({ visitorId }) => !linked.has(visitorId));',
    to: 'const unlinked = claims;',
    breaks: 'a linked browser may be linked again',
    tests: [
      'domain/ingestion/link-token.test.ts',
      'domain/ingestion/pipeline.test.ts',
      'domain/ingestion/pipeline-messages.test.ts',
    ],
  },
  {
    id: 'token-a-day-longer',
    file: 'domain/link-tokens/token.ts',
    from: 'return at <= expiresAt ?',
    to: 'return at < new Date(expiresAt.getTime() + 86_400_000) ?',
    breaks: 'a token lives a day longer',
    tests: ['domain/link-tokens/token.test.ts', 'domain/ingestion/link-token.test.ts'],
  },
  {
    id: 'phone-joins-two-with-emails',
    file: 'packages/rules/identity.ts',
    from: 'if (byStrongIdentifier || !holder.isStrong) return true;',
    to: 'return true;',
    breaks: 'a shared phone joins two people with e-mails of their own',
    tests: ['packages/rules/identity.test.ts'],
  },
  {
    id: 'phone-joins-new-key',
    file: 'packages/rules/identity.ts',
    from: 'return !saysStrong && [...this',
    to: 'return [...this',
    breaks: 'a new customer key with a known phone is bound to the holder of the phone',
    tests: ['packages/rules/identity.test.ts'],
  },
  {
    id: 'token-never-ends',
    file: 'domain/ingestion/identify-visitors.ts',
    from: 'readLinkToken(profile.id, secret.link_token, usedAt)',
    to: 'readLinkToken(profile.id, secret.link_token, new Date(0))',
    breaks: "the pipeline never looks at a token's end",
    tests: ['domain/ingestion/link-token.test.ts'],
  },
  {
    id: 'token-believes-browser',
    file: 'domain/ingestion/identify-visitors.ts',
    from: 'readLinkToken(profile.id, secret.link_token, usedAt)',
    to: 'readLinkToken(profile.id, secret.link_token, at)',
    breaks: "a token is judged by the browser's own clock",
    tests: ['domain/ingestion/link-token.test.ts'],
  },
];
