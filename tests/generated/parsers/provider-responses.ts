import { retryOnConflict } from '@tributary/domain/commerce/outcomes';
import type { OutcomeServices } from '@tributary/domain/commerce/outcomes/module.ts';
import {
  type Account,
  type Call,
  type Provider,
  type ProviderAnswer,
  ProviderFault,
  type ProviderRecord,
  type ProviderRequest,
} from '@tributary/providers';
import { completeConsent, sendTo } from '@tributary/sandbox';
import { testOutcomeServices } from '@tributary/testkit';
import { type Channel, channelNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { sql } from 'kysely';
import { applyProviderRecords } from '../../../domain/advertising/connections/apply-provider-records.ts';
import { documentChanges } from './documents.ts';
import { type ParserTarget, parserTarget } from './target.ts';
import type { ParserWorld } from './world.ts';

/** More requests than this for a few pages mean an endless loop. */
const maxRequests = 60;
const maxPages = 3;
const maxReported = 1_500;
const redirectUri = 'http://127.0.0.1:4000/connect/callback';
const statuses = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  fc.constantFrom(200, 204, 301, 400, 401, 429, 500),
);

interface ProviderRead {
  readonly name: string;
  read(call: Call): Promise<void>;
}

/** Responses of the sandbox, one of them mutated, parsed by the provider and recorded in the ledger. */
export async function providerResponseTargets(world: ParserWorld): Promise<ParserTarget[]> {
  const targets: ParserTarget[] = [];
  for (const channel of channelNames) {
    const provider = world.providers.of(channel);
    // A chatbot has no sync.
    if (!provider?.sync || !world.connections.has(channel)) continue;
    const sandboxCall = callThrough(sendTo(world.sandbox), world.now());
    const account = await openAccount(world, provider, channel, sandboxCall);
    const responses = new Map<string, ProviderAnswer>();
    const send = async (request: ProviderRequest) => {
      const key = `${request.method} ${request.url} ${request.body ?? ''}`;
      const response = responses.get(key) ?? (await sendTo(world.sandbox)(request));
      responses.set(key, response);
      return response;
    };
    for (const { name, read } of readsOf(world, provider, account, channel))
      targets.push(
        parserTarget<{ at: number; change: (document: unknown) => Buffer; status: number | undefined }>({
          name: `${channel} responses: ${name}`,
          maxCpuMs: 2_000,
          inputs: fc.record({ at: fc.nat(5), change: documentChanges, status: statuses }),
          async check({ at, change, status }) {
            let count = 0;
            let mutated = '';
            const sendMutated = async (request: ProviderRequest) => {
              count += 1;
              if (count > maxRequests) throw new Error(`more than ${maxRequests} requests for ${maxPages} pages`);
              const response = await send(request);
              if (count - 1 !== at % 3) return response;
              mutated = change(JSON.parse(response.text || 'null')).toString('utf8');
              return { ...response, text: mutated, status: status ?? response.status };
            };
            await read(callThrough(sendMutated, world.now())).catch((error: unknown) => {
              if (!(error instanceof ProviderFault))
                throw new Error(`${(error as Error).stack}\nafter the response ${mutated.slice(0, maxReported)}`);
            });
            return undefined;
          },
        }),
      );
  }
  return targets;
}

const callThrough = (send: Call['send'], now: Date): Call => ({ send, now, signal: new AbortController().signal });

function readsOf(world: ParserWorld, provider: Provider, account: Account<unknown>, channel: Channel): ProviderRead[] {
  const { sync, stages, pixels, pages, connect } = provider;
  return [
    ...(sync ? [{ name: 'sync', read: (call: Call) => readSync(world, provider, account, channel, call) }] : []),
    ...(stages ? [{ name: 'stages', read: async (call: Call) => void (await stages(account, call)) }] : []),
    ...(pixels ? [{ name: 'pixels', read: async (call: Call) => void (await pixels(account, call)) }] : []),
    ...(pages ? [{ name: 'pages', read: async (call: Call) => void (await pages(account, call)) }] : []),
    ...(connect
      ? [
          {
            name: 'accounts',
            read: async (call: Call) => void (await connect.candidates(account.credentials, call)),
          },
        ]
      : []),
  ];
}

async function readSync(
  world: ParserWorld,
  provider: Provider,
  account: Account<unknown>,
  channel: Channel,
  call: Call,
): Promise<void> {
  let pages = 0;
  for await (const { records, position } of provider.sync?.(account, null, call) ?? []) {
    await recordPage(world, channel, records, position, testOutcomeServices);
    pages += 1;
    if (pages >= maxPages) return;
  }
}

/** Records a page like a sync. */
async function recordPage(
  { kit, profile, connections, now }: ParserWorld,
  channel: Channel,
  records: readonly ProviderRecord[],
  position: unknown,
  services: OutcomeServices,
): Promise<void> {
  const connectionId = connections.get(channel);
  if (!connectionId) throw new Error(`${channel} is not connected.`);
  const context = { profileId: profile.id, connectionId, channel, services, now: now() };
  await retryOnConflict(() =>
    kit.app.forProfile(profile.id).transaction(async (tx) => {
      await applyProviderRecords(tx, context, records);
      await sql`SELECT ${JSON.stringify(position)}::jsonb`.execute(tx);
    }),
  );
}

/** Connects an account of the sandbox. */
async function openAccount(
  { sandbox }: ParserWorld,
  { connect, link }: Provider,
  channel: Channel,
  call: Call,
): Promise<Account<unknown>> {
  if (channel === 'store') {
    const [[externalId, accessToken] = ['', '']] = [...sandbox.book.shopify.tokens];
    return { externalId, credentials: { webhookSecret: null, accessToken }, details: {} };
  }
  if (link?.start) {
    const { widgetToken } = await link.start({ country: 'cl', holderType: 'business' }, call);
    const [account] = await link.finish(sandbox.book.fintoc.endWidget(widgetToken), call);
    if (account) return account;
  }
  if (!connect) throw new Error(`${channel} cannot be connected.`);
  const authorization = { redirectUri, state: 's', codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' };
  const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const callback = connect.readCallback(await completeConsent(connect.authorizeUrl(authorization), { most: 1 }));
  if (!('code' in callback)) throw new Error(`The sandbox returned ${callback.reason} for ${channel}.`);
  const credentials = await connect.exchange({ code: callback.code, redirectUri, codeVerifier }, call);
  const [candidate] = await connect.candidates(credentials, call);
  if (!candidate) throw new Error(`The sandbox has no account of ${channel}.`);
  return { ...candidate, credentials: candidate.credentials ?? credentials };
}
