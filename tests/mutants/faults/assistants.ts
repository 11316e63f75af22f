import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the MCP server and in the creation of the first account. */
export const faults: readonly Fault[] = [
  ...faultsIn('apps/api/mcp/tools.ts', ['apps/api/mcp/mcp.test.ts'], {
    'changes-without-trying': [
      '{ dry_run: true, ...args }',
      '{ ...args }',
      'an assistant changes ads without a dry run first',
    ],
    'lists-not-joined': [
      ".map(toText).join(',')",
      ".map(toText).join(' ')",
      'an MCP tool call with a list parameter is rejected',
    ],
  }),
  ...faultsIn('apps/api/mcp/serve.ts', ['apps/api/mcp/mcp.test.ts'], {
    'changes-anywhere': [
      'if (tool.isChange && !mayChange) {',
      'if (false) {',
      'an assistant with read-only access can make changes',
    ],
    'foreign-pages-speak': [
      'if (headers.origin && !origins.includes(headers.origin)) {',
      'if (false) {',
      'any web page can send MCP requests in the name of an assistant',
    ],
    'messages-counted-twice': [
      'limiter: withoutCount(binding)',
      'limiter: binding.limiter',
      'an MCP message counts twice against the rate limit',
    ],
  }),
  ...faultsIn('domain/measurement/top-performers/rank-top-performers.ts', ['apps/api/mcp/mcp.test.ts'], {
    'ranking-upside-down': [
      '(b.composite_score ?? 0) - (a.composite_score ?? 0)',
      '(a.composite_score ?? 0) - (b.composite_score ?? 0)',
      'the worst ads are ranked as the best',
    ],
  }),
  ...faultsIn('domain/tenancy/accounts/first-account.ts', ['apps/api/console.test.ts'], {
    'first-account-for-anybody': [
      'if (!(await redeemFirstAccount(tx, hashSecret(token), now))) refuseToken();',
      'await redeemFirstAccount(tx, hashSecret(token), now);',
      'a used setup link creates another account',
    ],
    'first-account-from-elsewhere': [
      '!options.isFromOurPages(request.headers) || ',
      '',
      "another site can create the first account from a visitor's browser",
    ],
  }),
];
