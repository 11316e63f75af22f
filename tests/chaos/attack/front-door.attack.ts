import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgres } from '@tributary/postgres';
import {
  buildApiKey,
  buildMarkedProfile,
  buildMember,
  credentialBuilders,
  type ProfileTraits,
} from '@tributary/testkit';
import { sql } from 'kysely';
import { type Attack, unless } from './attack.ts';
import type { Deployment } from './deployment.ts';
import { residentMegabytes } from './measure.ts';

/** Attacks on the API without a credential, with few scopes, or with a credential of another tenant. */
export const attacks: readonly Attack[] = [
  {
    title: 'an Idempotency-Key replays the response of another credential',
    async run({ callApi, createTenant, postgres }) {
      const { profileId, headers } = await createTenant();
      const other = await buildApiKey(postgres, profileId, { scopes: ['attribution:write'] });
      const body = { event_name: 'survey_answered', user_traits: { email: 'one@canary.example' } };
      const key = { 'idempotency-key': '1' };
      await callApi('/api/v1/events', { headers: { ...headers, ...key }, body });
      const second = await callApi('/api/v1/events', { headers: { ...other.headers, ...key }, body });
      return unless(!second.headers['idempotent-replayed'], 'the other credential’s response was replayed');
    },
  },
  {
    title: 'repeating a request returns the secret again',
    async run({ callApi, createTenant, postgres }) {
      const { profileId, workspaceId } = await createTenant();
      const owner = await buildMember(postgres, workspaceId, 'owner', 'person.test', new Date());
      const call = { headers: { ...owner.headers({ profileId }), 'idempotency-key': 'k-1' }, body: {} };
      const first = await callApi('/api/v1/keys', call);
      if (first.status !== 201) return `the first request got ${first.status}: ${first.text.slice(0, 200)}`;
      const again = await callApi('/api/v1/keys', call);
      const secret: string = first.json?.data?.key ?? '';
      return unless(
        secret !== '' && !again.text.includes(secret),
        `the repeated response contains the key: ${again.status}`,
      );
    },
  },
  {
    title: 'pipelined searches on one socket block the API for other tenants',
    async run({ callApi, createTenant, apiPort }) {
      const [noisy, neighbour] = [await createTenant(), await createTenant()];
      const search = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: a\r\nauthorization: ${noisy.headers.authorization}\r\n\r\n`;
      const socket = connect(apiPort, '127.0.0.1', () => socket.write(search.repeat(40)));
      socket.on('error', () => {});
      await sleep(50);
      const startedAt = performance.now();
      const { status } = await callApi('/api/v1/profile', { headers: neighbour.headers });
      const took = Math.round(performance.now() - startedAt);
      socket.destroy();
      return unless(status === 200 && took < 5_000, `the neighbour got ${status} after ${took} ms`);
    },
  },
  {
    title: 'unauthenticated requests fill the table of OAuth clients',
    async run({ callApi, postgres }) {
      const before = await countClients({ postgres });
      for (let count = 0; count < 30; count += 1)
        await callApi('/oauth2/register', {
          body: { client_name: 'x'.repeat(500_000), redirect_uris: ['https://evil.example/cb'] },
          from: `2001:db8:1:1::${count + 1}`,
        });
      const large = (await countClients({ postgres })) - before;
      for (let count = 0; count < 30; count += 1)
        await callApi('/oauth2/register', {
          body: {
            client_name: 'small',
            redirect_uris: ['https://evil.example/cb'],
            token_endpoint_auth_method: 'none',
          },
          from: `2001:db8:1:2::${count + 1}`,
        });
      const small = (await countClients({ postgres })) - before - large;
      return unless(large === 0 && small <= 10, `${large} large and ${small} small clients of one network were stored`);
    },
  },
  {
    title: 'the API buffers bodies of unauthenticated requests in memory',
    async run({ api, apiPort }) {
      const before = residentMegabytes(api.pid);
      const size = 4 << 20;
      const head = `POST /api/v1/events HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`;
      const part = Buffer.alloc(size - 1, 32);
      const sockets = Array.from({ length: 60 }, () => {
        const socket = connect(apiPort, '127.0.0.1', () => {
          socket.write(head);
          socket.write(part);
        });
        return socket.on('error', () => {}).resume();
      });
      await sleep(3_000);
      const grown = Math.round(residentMegabytes(api.pid) - before);
      for (const socket of sockets) socket.destroy();
      return unless(grown < 120, `memory grew by ${grown} MB`);
    },
  },
  {
    title: 'addresses of one IPv6 network can guess secrets without limit',
    async run({ callApi }) {
      let guessed = 0;
      for (let count = 0; count < 100; count += 1) {
        const { status } = await callApi('/oauth/token', {
          headers: { authorization: `Basic ${Buffer.from(`nobody:${count}`).toString('base64')}` },
          body: { grant_type: 'client_credentials' },
          from: `2001:db8:7:7::${(count + 1).toString(16)}`,
        });
        if (status !== 429) guessed += 1;
      }
      return unless(guessed <= 70, `${guessed} of 100 guesses were checked`);
    },
  },
  {
    title: 'a partner app disables the privacy mode of a profile',
    async run(deployment) {
      const { marked, headers } = await buildMarkedApp(deployment, { privacyMode: 'hipaa' });
      const { status } = await deployment.callApi(`/api/v1/profiles/${marked.id}/entitlements/atribu_attribution`, {
        method: 'PUT',
        headers,
        body: { enabled: true, privacy_mode: 'standard' },
      });
      return unless(status === 403, `the response was ${status}`);
    },
  },
  {
    title: 'access tokens of an app stay valid after its secret is reset',
    async run(deployment) {
      const { marked, headers } = await buildMarkedApp(deployment);
      const before = await deployment.callApi('/api/v1/profile', { headers });
      const { ok, text } = await deployment.runCommand('app', 'reset', marked.appId);
      const after = await deployment.callApi('/api/v1/profile', { headers });
      return unless(
        ok && before.status === 200 && after.status === 401,
        `${before.status}, then ${after.status}; ${text.slice(0, 200)}`,
      );
    },
  },
  {
    title: 'the rate limit of a key is not enforced for events',
    async run({ callApi, createTenant, postgres }) {
      const { profileId } = await createTenant();
      const { headers } = await buildApiKey(postgres, profileId, {
        scopes: ['attribution:write'],
        requestsPerMinute: 5,
      });
      const statuses: number[] = [];
      for (let count = 0; count < 8; count += 1)
        statuses.push((await callApi('/api/v1/events', { headers, body: { event_name: 'survey_answered' } })).status);
      return unless(statuses.includes(429), `eight requests in a row got ${statuses.join(', ')}`);
    },
  },
];

/** Builds a profile and its app, and the headers that authenticate the app. */
async function buildMarkedApp({ postgres: app, engines }: Deployment, traits?: ProfileTraits) {
  const owner = createPostgres({ url: engines.database.ownerUrl, poolSize: 1 });
  try {
    const marked = await buildMarkedProfile({ app, owner }, traits);
    return { marked, headers: await credentialBuilders.app({ app, owner }, marked) };
  } finally {
    await owner.close();
  }
}

async function countClients({ postgres }: Pick<Deployment, 'postgres'>): Promise<number> {
  const found = await postgres.unbound.transaction((tx) =>
    sql<{ n: string }>`SELECT count(*) AS n FROM oauth_clients`.execute(tx),
  );
  return Number(found.rows[0]?.n);
}
