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
 * Readers of people work without a pause while the profile becomes healthcare-family and ordinary again, over and over. Beside
 * them an assistant's tool, a webhook delivery and an export, all toys, pass through the same gate.
 */
export const drill: Drill = {
  name: 'privacy-switch',
  promise: 'Nothing person-level leaves after a switch to healthcare has committed, and no partner key outlives it.',

  async run({ size, progress }) {
    const switches = sizes[size];
    const kit = await openDrillKit('drill-privacy-switch', ['postgres', 'redis']);
    const api = await openApi(kit);
    const agent = new Agent({ connections: readers * 2 });
    let closeWays = async () => {};
    try {
      // When bytes with people in them were with the socket, by the clock that also times the switches.
      const left: number[] = [];
      api.fastify.addHook('onResponse', async (incoming, reply) => {
        if (incoming.routeOptions.url === '/api/v1/customers/search' && reply.statusCode === 200)
          left.push(performance.now());
      });
      await api.fastify.listen({ host: '127.0.0.1', port: 0 });
      const { port } = api.fastify.server.address() as { port: number };
      const world = await provision(api, kit);

      let key = await world.mint();
      let stopped = false;
      let served = 0;
      let refused = 0;
      let odd = 0;
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
            // Whoever asks again and again with a dead key is slowed down by address, like any other guesser.
            await sleep(20);
          } else odd += 1;
        }
      };
      const reading = Array.from({ length: readers }, read);
      const { ways, close } = await openWaysOut(kit, { ...world, key: () => key });
      closeWays = close;
      const sending = ways.map((way) => keepSending(way, () => stopped));

      const closed: { from: number; to: number }[] = [];
      let outlived = 0;
      let replacementsWithPeople = 0;
      let readsBetween = 0;
      for (let count = 0; count < switches; count += 1) {
        const before = served;
        const leftBefore = ways.map((way) => way.left.length);
        // Wait until all are really at it, so that every switch comes while people are on their way out.
        while (served < before + readers || ways.some((way, index) => way.left.length === leftBefore[index]))
          await sleep(1);
        await world.switchTo(count % 2 ? 'hipaa' : 'platform_safe');
        const from = performance.now();
        if ((await world.statusOf(key)) !== 401) outlived += 1;
        const replacement = await world.mintWithScopes();
        if (replacement.some((scope) => scope === 'customers:read' || scope === 'visitors:read'))
          replacementsWithPeople += 1;
        await sleep(5);
        closed.push({ from, to: performance.now() });
        await world.loosen();
        key = await world.mint();
        readsBetween += served - before;
        progress(count + 1, switches, `${served} answers with people`);
      }
      stopped = true;
      await Promise.all(reading);

      const sent = await Promise.all(sending);
      const oddWays = sent.reduce((sum, counts) => sum + counts.odd, 0);
      const leaksOf = (times: readonly number[]) =>
        times.filter((at) => closed.some(({ from, to }) => at > from && at < to)).length;
      const leaks = leaksOf(left);
      const otherLeaks = ways.reduce((sum, way) => sum + leaksOf(way.left), 0);
      return {
        passed:
          leaks + otherLeaks + outlived + replacementsWithPeople + odd + oddWays === 0 &&
          served > switches * readers &&
          sent.every(({ refused }) => refused > 0),
        switches,
        readers,
        answers_with_people: served,
        refused,
        other_answers: odd,
        left_after_a_switch: leaks,
        other_ways: Object.fromEntries(
          ways.map(({ name, left }, index) => [name, { left: left.length, refused: sent[index]?.refused }]),
        ),
        other_ways_failed: oddWays,
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

/** A profile of an app's own, with people in it, and what the app may do to it. */
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
    /** Only a person of the workspace does that, and the app asks for its grant anew. */
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
