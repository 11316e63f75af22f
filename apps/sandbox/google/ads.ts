import type { CompanyDeps } from '../company.ts';
import type { Grant } from '../consents.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { answerRow, type Row, readQuery } from './gaql.ts';
import { rpcError, scopeOf, withScope } from './oauth.ts';
import { type GoogleCustomer, type GoogleState, rowsOf } from './state.ts';

export const sandboxDeveloperToken = 'sandbox-developer-token';
/** Google's pages have 10,000 rows; shorter ones exercise pagination more often. */
const rowsPerPage = 200;
const leastMicros = 1_000_000n;

export interface AdsError {
  readonly status?: number;
  readonly rpc?: string;
  /** For example `{ quotaError: 'RESOURCE_EXHAUSTED' }`. */
  readonly errorCode: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly quota?: { readonly rateScope: 'ACCOUNT' | 'DEVELOPER'; readonly retryDelay: string };
}

export function adsError({
  status = 400,
  rpc = 'INVALID_ARGUMENT',
  errorCode,
  message = 'The sandbox refuses.',
  quota,
}: AdsError): Reply {
  const details = quota && { details: { quotaErrorDetails: { rateName: 'Requests per minute', ...quota } } };
  return rpcError(status, rpc, 'Request contains an invalid argument.', [
    {
      '@type': 'type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure',
      errors: [{ errorCode, message, ...details }],
      requestId: 'sandbox-request',
    },
  ]);
}

export function adsRoutes(deps: CompanyDeps, state: () => GoogleState): Route[] {
  const at = (path: string) => `/google/ads/:version/${path}`;
  const enter = (handle: (request: SandboxRequest, grant: Grant) => Reply) =>
    withScope(deps, scopeOf.ads, (request, grant) => {
      if (request.headers['developer-token'] === sandboxDeveloperToken) return handle(request, grant);
      return adsError({
        status: 401,
        rpc: 'UNAUTHENTICATED',
        errorCode: { authenticationError: 'DEVELOPER_TOKEN_PARAMETER_MISSING' },
      });
    });
  const rows = (
    request: SandboxRequest,
    grant: Grant,
  ): { query: NonNullable<ReturnType<typeof readQuery>>; found: Row[] } | Reply => {
    const query = readQuery((JSON.parse(request.body) as { query: string }).query);
    if (!query) return adsError({ errorCode: { queryError: 'UNEXPECTED_INPUT' } });
    const id = request.params.customer ?? '';
    if (query.resource === 'customer_client') return { query, found: clientsBelow(state(), id, grant) };
    const customer = findCustomer(state(), request, grant);
    if (!customer)
      return adsError({
        status: 403,
        rpc: 'PERMISSION_DENIED',
        errorCode: { authorizationError: 'USER_PERMISSION_DENIED' },
      });
    const byDay = query.fields.some((field) => field.startsWith('metrics.')) ? ' by day' : '';
    const all = rowsOf(state(), customer, query.resource + byDay, () => deps.world.adDays, deps.now());
    if (!all) return adsError({ errorCode: { queryError: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE' } });
    return { query, found: all.filter(query.matches) };
  };
  return [
    {
      method: 'GET',
      path: at('customers:listAccessibleCustomers'),
      handle: enter((_, grant) => {
        const shared = state().customers.filter(({ id }) => grant.accounts.includes(id));
        const entrances = new Set(shared.map(({ id, manager }) => manager ?? id));
        return json(200, { resourceNames: [...entrances].map((id) => `customers/${id}`) });
      }),
    },
    {
      method: 'POST',
      path: at('customers/:customer/googleAds:search'),
      handle: enter((request, grant) => {
        const { pageToken, pageSize } = JSON.parse(request.body) as { pageToken?: string; pageSize?: number };
        if (pageSize !== undefined) return adsError({ errorCode: { requestError: 'PAGE_SIZE_NOT_SUPPORTED' } });
        const read = rows(request, grant);
        if ('status' in read) return read;
        const from = pageToken === undefined ? 0 : Number(Buffer.from(pageToken, 'base64url').toString('utf8'));
        const next = from + rowsPerPage;
        const results = read.found.slice(from, next).map((row) => answerRow(read.query, row));
        const more = next < read.found.length && { nextPageToken: Buffer.from(String(next)).toString('base64url') };
        return json(200, { results, fieldMask: read.query.fields.join(','), ...more });
      }),
    },
    {
      method: 'POST',
      path: at('customers/:customer/googleAds:searchStream'),
      handle: enter((request, grant) => {
        const read = rows(request, grant);
        if ('status' in read) return read;
        return json(200, [
          { results: read.found.map((row) => answerRow(read.query, row)), requestId: 'sandbox-request' },
        ]);
      }),
    },
    ...(['campaigns', 'adGroups', 'adGroupAds', 'campaignBudgets'] as const).map(
      (resource): Route => ({
        method: 'POST',
        path: at(`customers/:customer/${resource}:mutate`),
        handle: enter((request, grant) => {
          const customer = findCustomer(state(), request, grant);
          if (!customer)
            return adsError({
              status: 403,
              rpc: 'PERMISSION_DENIED',
              errorCode: { authorizationError: 'USER_PERMISSION_DENIED' },
            });
          return mutate(state(), customer, resource, request);
        }),
      }),
    ),
  ];
}

/** A customer below a manager is accessed with the manager's id in the login-customer-id header. */
function findCustomer(
  state: GoogleState,
  { params, headers }: SandboxRequest,
  grant: Grant,
): GoogleCustomer | undefined {
  return state.customers.find(
    ({ id, manager }) =>
      id === params.customer &&
      grant.accounts.includes(id) &&
      (manager === undefined || headers['login-customer-id'] === manager),
  );
}

function clientsBelow({ managers, customers }: GoogleState, id: string, grant: Grant): Row[] {
  const row = (client: { id: string; name: string; currency: string }, over: Row = {}): Row => ({
    'customer_client.id': client.id,
    'customer_client.descriptive_name': client.name,
    'customer_client.currency_code': client.currency,
    'customer_client.time_zone': 'UTC',
    'customer_client.manager': false,
    'customer_client.level': '1',
    'customer_client.status': 'ENABLED',
    'customer_client.hidden': false,
    'customer_client.test_account': false,
    ...over,
  });
  const shared = customers.filter((one) => grant.accounts.includes(one.id));
  if (id !== managers[0]) return shared.filter((one) => one.id === id && !one.manager).map((one) => row(one));
  const manager = (managerId: string) =>
    row({ id: managerId, name: 'Sandbox agency', currency: 'USD' }, { 'customer_client.manager': true });
  const closed = row({ id: '1', name: 'Closed', currency: 'USD' }, { 'customer_client.status': 'CANCELED' });
  return [...managers.map(manager), closed, ...shared.filter((one) => one.manager === id).map((one) => row(one))];
}

const customerOf = (node: GoogleState['campaigns' | 'adGroups' | 'ads'][number]): GoogleCustomer =>
  'adGroup' in node ? node.adGroup.campaign.customer : 'campaign' in node ? node.campaign.customer : node.customer;

function mutate(state: GoogleState, customer: GoogleCustomer, resource: string, request: SandboxRequest): Reply {
  const { operations = [] } = JSON.parse(request.body) as {
    operations?: { update: { resourceName: string; status?: string; amountMicros?: string } }[];
  };
  for (const { update } of operations) {
    const id = update.resourceName.split('/').at(-1)?.split('~').at(-1) ?? '';
    if (resource === 'campaignBudgets') {
      const meant = state.campaigns.filter((one) => one.customer === customer && one.budget.id === id);
      if (meant.length === 0) return adsError({ errorCode: { mutateError: 'RESOURCE_NOT_FOUND' } });
      const micros = BigInt(update.amountMicros ?? '0');
      if (micros < leastMicros) {
        return adsError({
          errorCode: { campaignBudgetError: 'BUDGET_BELOW_PER_DAY_MINIMUM' },
          message: 'The budget is below the minimum.',
        });
      }
      for (const { budget } of meant) budget.micros = micros;
      continue;
    }
    const lists = { campaigns: state.campaigns, adGroups: state.adGroups, adGroupAds: state.ads };
    const node = lists[resource as keyof typeof lists].find(
      (one) => one.of.externalId === id && customerOf(one) === customer,
    );
    if (!node) return adsError({ errorCode: { mutateError: 'RESOURCE_NOT_FOUND' } });
    if (node.status === 'REMOVED')
      return adsError({ errorCode: { contextError: 'OPERATION_NOT_PERMITTED_FOR_REMOVED_RESOURCE' } });
    node.status = update.status ?? node.status;
  }
  return json(200, { results: operations.map(({ update }) => ({ resourceName: update.resourceName })) });
}
