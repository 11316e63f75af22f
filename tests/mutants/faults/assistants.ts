import { type Fault, faultsIn } from '../fault.ts';

/** Of the MCP server and of the first account. */
export const faults: readonly Fault[] = [
  ...faultsIn('apps/api/mcp/tools.ts', ['apps/api/mcp/mcp.test.ts'], {
    'changes-without-trying': ['{ dry_run: true, ...args }', '{ ...args }', 'an assistant changes ads at once'],
    'lists-not-joined': [".map(toText).join(',')", ".map(toText).join(' ')", 'a list in a question is refused'],
  }),
  ...faultsIn('apps/api/mcp/serve.ts', ['apps/api/mcp/mcp.test.ts'], {
    'changes-anywhere': [
      'if (tool.isChange && !mayChange) {',
      'if (false) {',
      'changes are done where only reading is allowed',
    ],
    'foreign-pages-speak': [
      'if (headers.origin && !origins.includes(headers.origin)) {',
      'if (false) {',
      'any page speaks for an assistant',
    ],
    'messages-counted-twice': [
      'limiter: withoutCount(binding)',
      'limiter: binding.limiter',
      'a message costs two calls of the allowance',
    ],
  }),
  ...faultsIn('domain/measurement/top-performers/rank-top-performers.ts', ['apps/api/mcp/mcp.test.ts'], {
    'ranking-upside-down': [
      '(b.composite_score ?? 0) - (a.composite_score ?? 0)',
      '(a.composite_score ?? 0) - (b.composite_score ?? 0)',
      'the worst ads are called the best',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/first-account.ts', ['apps/api/console.test.ts'], {
    'first-account-for-anybody': [
      'if (!(await redeemFirstAccount(tx, hashSecret(token), now))) refuseToken();',
      'await redeemFirstAccount(tx, hashSecret(token), now);',
      'an old link still makes an account',
    ],
    'first-account-from-elsewhere': [
      '!options.isFromOurPages(request.headers) || ',
      '',
      'another site makes the account in the name of a visitor',
    ],
  }),
];
