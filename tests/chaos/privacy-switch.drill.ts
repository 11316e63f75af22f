import { setTimeout as sleep } from 'node:timers/promises';
import {
  buildMember,
  type Drill,
  openApi,
  openDrillKit,
  type TestApi,
  type Testkit,
  testPassword,
} from '@tributary/testkit';
import { Agent, request } from 'undici';
import { keepSending, openWaysOut } from './ways-out.ts';

const sizes = { small: 8, full: 200 } as const;
const readers = 8;

/**
 * Readers request personal data without pause while the profile switches to a healthcare mode and back, repeatedly. Minimal versions of an
 * assistant's tool, a webhook delivery and an export use the same personal-data gate.
 */
export const drill: Drill = {
  name: 'privacy-switch',
  promise: 'After a switch to healthcare has committed, no personal data leaves and every partner key is invalid.',

  async run({ size, progress }) {
    const switches = sizes[size];
    const kit = await openDrillKit('drill-privacy-switch', ['postgres', 'redis']);
    const api = await openApi(kit);
    const agent = new Agent({ connections: readers * 2 });
    let closeWays = async () => {};
    try {
      // The times at which responses with personal data were written to the socket, by the clock that also times the switches.
      const disclosedAt: number[] = [];
      api.fastify.addHook('onResponse', async (incoming, reply) => {
        if (incoming.routeOptions.url === '/api/v1/customers/search' && reply.statusCode === 200)
          disclosedAt.push(performance.now());
      });
      await api.fastify.listen({ host: '127.0.0.1', port: 0 });
      const { port } = api.fastify.server.address() as { port: number };
      const world = await provision(api, kit);

      let key = await world.mint();
      let stopped = false;
      let served = 0;
      let refused = 0;
      let unexpected = 0;
      const read = async () => {
        while (!stopped) {
          const { statusCode, body } = await request(`http://127.0.0.1:${port}/api/v1/customers/search?q=an`, {
            headers: { authorization: `Bearer ${key}` },
            dispatcher: agent,
          });
          const text = await body.text();
          if (statusCode === 200 && text.includes('@example.com')) served += 1;
          else if ([401, 403, 429].includes(statusCode)) {
            refused += 1;
            // Repeated requests with an invalid key are throttled by address, like guessed keys, so the reader slows down.
            await sleep(20);
          } else unexpected += 1;
        }
      };
      const reading = Array.from({ length: readers }, read);
      const { ways, close } = await openWaysOut(kit, { ...world, key: () => key });
      closeWays = close;
      const sending = ways.map((way) => keepSending(way, () => stopped));

      const closedSpans: { from: number; to: number }[] = [];
      let outlived = 0;
      let replacementsWithPeople = 0;
      let readsBetween = 0;
      for (let count = 0; count < switches; count += 1) {
        const before = served;
        const disclosedBefore = ways.map((way) => way.disclosedAt.length);
        // Waits until every reader and sender has made progress, so that each switch happens while personal data is being sent.
        while (
          served < before + readers ||
          ways.some((way, index) => way.disclosedAt.length === disclosedBefore[index])
        )
          await sleep(1);
        await world.switchTo(count % 2 ? 'hipaa' : 'platform_safe');
        const from = performance.now();
        if ((await world.statusOf(key)) !== 401) outlived += 1;
        const replacement = await world.mintWithScopes();
        if (replacement.some((scope) => scope === 'customers:read' || scope === 'visitors:read'))
          replacementsWithPeople += 1;
        await sleep(5);
        closedSpans.push({ from, to: performance.now() });
        await world.loosen();
        key = await world.mint();
        readsBetween += served - before;
        progress(count + 1, switches, `${served} answers with people`);
      }
      stopped = true;
      await Promise.all(reading);

      const sent = await Promise.all(sending);
      const failedSends = sent.reduce((sum, counts) => sum + counts.failed, 0);
      const leaksOf = (times: readonly number[]) =>
        times.filter((at) => closedSpans.some(({ from, to }) => at > from && at < to)).length;
      const leaks = leaksOf(disclosedAt);
      const otherLeaks = ways.reduce((sum, way) => sum + leaksOf(way.disclosedAt), 0);
      return {
        passed:
          leaks + otherLeaks + outlived + replacementsWithPeople + unexpected + failedSends === 0 &&
          served > switches * readers &&
          sent.every(({ refused }) => refused > 0),
        switches,
        readers,
        answers_with_people: served,
        refused,
        other_answers: unexpected,
        left_after_a_switch: leaks,
        other_ways: Object.fromEntries(
          ways.map(({ name, disclosedAt }, index) => [
            name,
            { left: disclosedAt.length, refused: sent[index]?.refused },
          ]),
        ),
        other_ways_failed: failedSends,
        left_another_way_after_a_switch: otherLeaks,
        keys_that_outlived: outlived,
        replacements_with_people: replacementsWithPeople,
        reads_between_switches: Math.round(readsBetween / switches),
      };
    } finally {
      await closeWays();
      await agent.close();
      await api.close();
      await kit.close();
    }
  },
};

/** Creates an app, a profile of the app with customers, and returns what the app does with the profile. */
async function provision(api: TestApi, kit: Pick<Testkit, 'app'>) {
  const app = await api.registerApp();
  const unbound = await app.token();
  const call = async (method: 'GET' | 'POST' | 'PUT', url: string, headers: object, body?: object) => {
    const response = await api.fastify.inject({
      method,
      url,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
      remoteAddress: `198.51.100.${Math.floor(Math.random() * 250)}`,
    });
    return { status: response.statusCode, body: response.json() };
  };
  const workspace = await call('POST', '/api/v1/workspaces', unbound, { name: 'Drill' });
  const profile = await call('POST', '/api/v1/profiles', unbound, {
    workspace_id: workspace.body.data.id,
    name: 'Drill',
  });
  const profileId = profile.body.data.id as string;
  const entitlement = `/api/v1/profiles/${profileId}/entitlements/atribu_attribution`;
  await call('PUT', entitlement, unbound, { enabled: true });
  const grant = () =>
    call('PUT', `/api/v1/profiles/${profileId}/grant`, unbound, { scopes: ['analytics_pii', 'attribution_write'] });
  await grant();
  const owner = await buildMember(kit.app, workspace.body.data.id as string, 'owner');
  const writer = await app.token(profileId);
  const rows = Array.from({ length: 30 }, (_, index) => ({
    email: `ana${index}@example.com`,
    first_name: 'Ana',
    last_name: `Number${index}`,
  }));
  const imported = await call('POST', '/api/v1/customers', writer, { rows });
  if (imported.status !== 200) throw new Error(JSON.stringify(imported.body));
  const mintKey = async () =>
    (await call('POST', '/api/v1/keys', await app.token(profileId), { rate_limit_per_minute: 6_000 })).body.data;
  return {
    profileId,
    workspaceId: workspace.body.data.id as string,
    switchTo: async (privacyMode: string) => {
      const { status } = await call('PUT', entitlement, unbound, { enabled: true, privacy_mode: privacyMode });
      if (status !== 200) throw new Error(`the switch answered ${status}`);
    },
    /** Only a member of the workspace may loosen the privacy mode. The app then requests its grant again. */
    loosen: async () => {
      const headers = owner.headers({ profileId });
      const { status } = await call('PUT', '/api/v1/profile/privacy', headers, {
        privacy_mode: 'standard',
        current_password: testPassword,
      });
      if (status !== 200) throw new Error(`loosening answered ${status}`);
      await grant();
    },
    statusOf: async (key: string) => (await call('GET', '/api/v1/profile', { authorization: `Bearer ${key}` })).status,
    mint: async () => (await mintKey()).key as string,
    mintWithScopes: async () => (await mintKey()).scopes as string[],
  };
}
