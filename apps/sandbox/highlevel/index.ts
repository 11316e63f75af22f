import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { Company, CompanyDeps } from '../company.ts';
import { consentRoutes } from '../consent-page.ts';
import type { Grant } from '../consents.ts';
import { bearerOf, formOf, json, type Reply, type SandboxRequest } from '../route.ts';
import { salesOf } from '../sales.ts';
import { answerToken } from '../token-endpoint.ts';
import { companyId, dealsOf, type HighlevelDeal, locations, newDeal, pipelinesOf } from './state.ts';

const daySeconds = 86_399;
const yearMs = 365 * 86_400_000;
const company = 'the whole agency';

export interface HighlevelBook {
  /** The deals, newest first, in the order in which the search lists them. */
  readonly deals: HighlevelDeal[];
  /** Creates a lead in the first stage of a location's first pipeline. */
  create(of: Pick<HighlevelDeal, 'locationId' | 'monetaryValue' | 'contact'>): HighlevelDeal;
  /** Moves or closes a deal. */
  change(
    id: string,
    to: Partial<Pick<HighlevelDeal, 'pipelineId' | 'pipelineStageId' | 'status' | 'monetaryValue' | 'contact'>>,
  ): void;
  /** Deletes a deal: no list contains it any more. */
  remove(id: string): void;
  /** The signed webhook that HighLevel would send about it. */
  webhook(of: { readonly type: string; readonly locationId?: string; readonly id?: string }): {
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
  readonly webhookPublicKey: string;
}

export function createHighlevelCompany({ consents, now, world }: CompanyDeps): Company<HighlevelBook> {
  const keys = generateKeyPairSync('ed25519');
  let made: HighlevelDeal[] | undefined;
  let createdDeals = 0;
  const deals = (): HighlevelDeal[] => {
    made ??= dealsOf(salesOf(world.market)).reverse();
    return made;
  };

  const withLocation =
    (
      idOf: (request: SandboxRequest) => string | null,
      handle: (request: SandboxRequest, locationId: string) => Reply,
    ) =>
    (request: SandboxRequest): Reply => {
      const grant = consents.find(bearerOf(request), 'access', 'highlevel');
      if (typeof grant === 'string') return refused(401, 'Invalid JWT');
      if (!request.headers.version) return refused(400, 'version header was not found');
      const id = idOf(request) ?? '';
      if (grant.accounts.includes(company) || !grant.accounts.includes(id)) {
        return refused(403, 'The token does not have access to this location.');
      }
      return handle(request, id);
    };
  const withCompany =
    (handle: (request: SandboxRequest, grant: Grant) => Reply) =>
    (request: SandboxRequest): Reply => {
      const grant = consents.find(bearerOf(request), 'access', 'highlevel');
      if (typeof grant === 'string') return refused(401, 'Invalid JWT');
      return grant.accounts.includes(company) ? handle(request, grant) : refused(403, 'Only for agencies.');
    };

  return {
    routes: [
      ...consentRoutes(
        {
          company: 'highlevel',
          name: 'HighLevel',
          path: '/highlevel/v2/oauth/chooselocation',
          scopesBy: ' ',
          scopes: ['opportunities.readonly'],
          choose: 'one',
          accounts: () => [...locations, { id: company, name: 'Agency' }],
          endings: {
            cancel: { error: 'access_denied' },
            deny: { error: 'invalid_scope', error_description: 'A scope is not granted to the app.' },
            fail: { error: 'server_error', error_description: 'Something went wrong.' },
          },
        },
        consents,
      ),
      {
        method: 'POST',
        path: '/highlevel/oauth/token',
        handle: (request) =>
          answerToken(request, consents, {
            of: 'highlevel',
            accessPrefix: 'hl-access-',
            accessMs: daySeconds * 1000,
            refreshPrefix: 'hl-refresh-',
            refreshMs: yearMs,
            answer: ({ accounts: [account], scopes }) => ({
              token_type: 'Bearer',
              expires_in: daySeconds,
              scope: scopes.join(' '),
              companyId,
              userId: 'sandboxUser',
              ...(account === company
                ? { userType: 'Company', isBulkInstallation: true }
                : { userType: 'Location', locationId: account }),
            }),
          }),
      },
      {
        method: 'GET',
        path: '/highlevel/oauth/installedLocations',
        handle: withCompany(({ query }) => {
          const skip = Number(query.get('skip') ?? 0);
          const rows = locations.slice(skip, skip + Number(query.get('limit') ?? 20));
          return json(200, { locations: rows.map(({ id, name }) => ({ _id: id, name, isInstalled: true })), count: 2 });
        }),
      },
      {
        method: 'POST',
        path: '/highlevel/oauth/locationToken',
        handle: withCompany((request, grant) => {
          const locationId = formOf(request).get('locationId') ?? '';
          if (!locations.some(({ id }) => id === locationId)) return refused(400, 'Location not found');
          // The token belongs to the same grant, so it is revoked with it.
          const token = consents.token(
            { ...grant, accounts: [locationId] },
            'access',
            'hl-location-',
            daySeconds * 1000,
          );
          return json(201, { access_token: token, token_type: 'Bearer', expires_in: daySeconds, locationId });
        }),
      },
      {
        method: 'GET',
        path: '/highlevel/locations/:id',
        handle: withLocation(
          ({ params }) => params.id ?? null,
          (_, locationId) => json(200, { location: locations.find(({ id }) => id === locationId) }),
        ),
      },
      {
        method: 'GET',
        path: '/highlevel/opportunities/pipelines',
        handle: withLocation(
          ({ query }) => query.get('locationId'),
          (_, locationId) => json(200, { pipelines: pipelinesOf(locationId), traceId: randomUUID() }),
        ),
      },
      {
        method: 'GET',
        path: '/highlevel/opportunities/search',
        handle: withLocation(({ query }) => query.get('location_id'), search),
      },
      {
        method: 'DELETE',
        path: '/highlevel/marketplace/app/:appId/installations',
        handle(request) {
          const grant = consents.find(bearerOf(request), 'access', 'highlevel');
          if (typeof grant === 'string') return refused(401, 'Invalid JWT');
          consents.revoke(grant);
          return json(200, { success: true });
        },
      },
    ],
    book: {
      get deals() {
        return deals();
      },
      create(of) {
        const deal = newDeal(of, createdDeals, now());
        createdDeals += 1;
        deals().unshift(deal);
        return deal;
      },
      change(id, to) {
        const deal = deals().find((one) => one.id === id);
        if (!deal) throw new RangeError(`There is no deal ${id}.`);
        const at = now().toISOString();
        if (to.pipelineStageId !== undefined) deal.lastStageChangeAt = at;
        if (to.status !== undefined) deal.lastStatusChangeAt = at;
        Object.assign(deal, to, { updatedAt: at });
      },
      remove(id) {
        made = deals().filter((one) => one.id !== id);
      },
      webhook(of) {
        const text = JSON.stringify({ ...of, timestamp: now().toISOString(), webhookId: randomUUID() });
        const body = Buffer.from(text);
        return { headers: { 'x-ghl-signature': sign(null, body, keys.privateKey).toString('base64') }, body };
      },
      webhookPublicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    },
  };

  /** Newest first, starting after the deal that the cursor names. */
  function search({ query }: SandboxRequest, locationId: string): Reply {
    const limit = Number(query.get('limit') ?? 20);
    if (limit > 100) return refused(422, ['limit must not be greater than 100']);
    const all = deals().filter((deal) => deal.locationId === locationId);
    const after = query.get('startAfterId');
    const begin = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const rows = all.slice(begin, begin + limit);
    const last = rows.at(-1);
    const meta = {
      total: all.length,
      // Copied from HighLevel's own sample; the URL does not exist.
      nextPageUrl: 'http://localhost:5020/opportunities/search',
      startAfter: last ? Date.parse(last.createdAt) : null,
      startAfterId: last?.id ?? null,
      currentPage: 1,
      nextPage: null,
    };
    const shown = rows.map((deal) => ({ ...deal, contactId: deal.contact?.id ?? null, source: 'sandbox' }));
    return json(
      200,
      { opportunities: shown, meta, aggregations: {} },
      {
        'x-ratelimit-max': '100',
        'x-ratelimit-remaining': '99',
        'x-ratelimit-interval-milliseconds': '10000',
        'x-ratelimit-daily-remaining': '199999',
      },
    );
  }
}

const refused = (statusCode: number, message: string | readonly string[]): Reply =>
  json(statusCode, { statusCode, message, error: statusCode === 401 ? 'Unauthorized' : 'Bad Request' });
