import type { CompanyDeps } from '../company.ts';
import type { Grant } from '../consents.ts';
import type { Reply, Route, SandboxRequest } from '../route.ts';
import { metaError, pageOf, withToken } from './envelope.ts';
import { type MetaAccount, type MetaState, metaUnits } from './state.ts';

const pages = [
  { id: '7000001', name: 'Sandbox shop' },
  { id: '7000002', name: 'Sandbox outlet' },
];

export function accountRoutes(deps: CompanyDeps, state: () => MetaState): Route[] {
  return [
    {
      method: 'GET',
      path: '/meta/:version/me/adaccounts',
      handle: withToken(deps, (request, grant) =>
        pageOf(deps, request, sharedBy(state(), grant), (account) => ({
          ...toAccountNode(account),
          user_tasks: grant.scopes.includes('ads_management')
            ? ['DRAFT', 'ANALYZE', 'ADVERTISE', 'MANAGE']
            : ['ANALYZE'],
        })),
      ),
    },
    {
      method: 'GET',
      path: '/meta/:version/me/accounts',
      handle: withToken(deps, (request, grant) =>
        grant.scopes.includes('pages_show_list')
          ? pageOf(deps, request, pages, (page) => ({ ...page, access_token: `EAAsandboxpage${page.id}` }))
          : metaError({ code: 200, message: 'Requires pages_show_list permission', status: 403 }),
      ),
    },
    {
      method: 'GET',
      path: '/meta/:version/:account/adspixels',
      handle: withAccount(deps, state, (request, account) =>
        pageOf(deps, request, account.pixels, (pixel) => ({
          id: pixel.id,
          name: pixel.name,
          creation_time: '2024-05-01T10:00:00+0000',
          // A pixel that never fired lacks this field.
          ...(!pixel.isUnavailable && { last_fired_time: '2026-01-05T08:30:00+0000' }),
          is_unavailable: pixel.isUnavailable,
          owner_business: { id: '5000001', name: 'Sandbox business' },
          is_consolidated_container: false,
        })),
      ),
    },
  ];
}

export function toAccountNode(account: MetaAccount) {
  return {
    id: account.id,
    account_id: account.accountId,
    name: account.name,
    account_status: 1,
    currency: account.currency,
    timezone_name: account.timeZone,
    min_daily_budget: Number(metaUnits(1, account.currency)),
    business: { id: '5000001', name: 'Sandbox business' },
  };
}

export const sharedBy = (state: MetaState, grant: Grant): readonly MetaAccount[] =>
  state.accounts.filter(({ id }) => grant.accounts.includes(id));

/** Wraps a handler of an edge of an ad account, or of a campaign in it. The user must have shared the account. */
export function withAccount(
  deps: CompanyDeps,
  state: () => MetaState,
  handle: (request: SandboxRequest, account: MetaAccount, grant: Grant) => Reply,
): Route['handle'] {
  return withToken(deps, (request, grant) => {
    const id = request.params.account ?? '';
    const wanted = state().find(id)?.account.id ?? id;
    const account = sharedBy(state(), grant).find((one) => one.id === wanted);
    if (!account) return metaError({ code: 200, subcode: 1487194, message: 'Permissions error', status: 403 });
    return handle(request, account, grant);
  });
}
