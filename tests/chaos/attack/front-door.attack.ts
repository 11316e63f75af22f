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

/** Against the API, by those who have no credential, a small one, or one of another tenant. */
export const attacks: readonly Attack[] = [
  {
    title: 'one Idempotency-Key hands one credential the answer of another',
    async strike({ ask, tenant, postgres }) {
      const { profileId, headers } = await tenant();
      const other = await buildApiKey(postgres, profileId, { scopes: ['attribution:write'] });
      const body = { event_name: 'survey_answered', user_traits: { email: 'one@canary.example' } };
      const key = { 'idempotency-key': '1' };
      await ask('/api/v1/events', { headers: { ...headers, ...key }, body });
      const second = await ask('/api/v1/events', { headers: { ...other.headers, ...key }, body });
      return unless(!second.headers['idempotent-replayed'], 'the other credential’s answer was replayed');
    },
  },
  {
    title: 'a repeated request shows a secret again',
    async strike({ ask, tenant, postgres }) {
      const { profileId, workspaceId } = await tenant();
      const owner = await buildMember(postgres, workspaceId, 'owner', 'person.test', new Date());
      const call = { headers: { ...owner.headers({ profileId }), 'idempotency-key': 'k-1' }, body: {} };
      const first = await ask('/api/v1/keys', call);
      if (first.status !== 201) return `the first was answered ${first.status}: ${first.text.slice(0, 200)}`;
      const again = await ask('/api/v1/keys', call);
      const secret: string = first.json?.data?.key ?? '';
      return unless(secret !== '' && !again.text.includes(secret), `the repeat has the key: ${again.status}`);
    },
  },
  {
    title: 'searches sent ahead on one socket freeze the API for others',
    async strike({ ask, tenant, apiPort }) {
      const [noisy, neighbour] = [await tenant(), await tenant()];
      const one = `GET /api/v1/customers/search?q=an HTTP/1.1\r\nhost: a\r\nauthorization: ${noisy.headers.authorization}\r\n\r\n`;
      const socket = connect(apiPort, '127.0.0.1', () => socket.write(one.repeat(40)));
      socket.on('error', () => {});
      await sleep(50);
      const startedAt = performance.now();
      const { status } = await ask('/api/v1/profile', { headers: neighbour.headers });
      const took = Math.round(performance.now() - startedAt);
      socket.destroy();
      return unless(status === 200 && took < 5_000, `the neighbour was answered ${status} after ${took} ms`);
    },
  },
  {
    title: 'anybody fills the table of OAuth clients',
    async strike({ ask, postgres }) {
      const before = await clients({ postgres });
      for (let count = 0; count < 30; count += 1)
        await ask('/oauth2/register', {
          body: { client_name: 'x'.repeat(500_000), redirect_uris: ['https://evil.example/cb'] },
          from: `2001:db8:1:1::${count + 1}`,
        });
      const large = (await clients({ postgres })) - before;
      for (let count = 0; count < 30; count += 1)
        await ask('/oauth2/register', {
          body: {
            client_name: 'small',
            redirect_uris: ['https://evil.example/cb'],
            token_endpoint_auth_method: 'none',
          },
          from: `2001:db8:1:2::${count + 1}`,
        });
      const small = (await clients({ postgres })) - before - large;
      return unless(large === 0 && small <= 10, `${large} large and ${small} small ones of one network are kept`);
    },
  },
  {
    title: 'bodies of nobody are kept in the API’s memory',
    async strike({ api, apiPort }) {
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
      return unless(grown < 120, `it grew by ${grown} MB`);
    },
  },
  {
    title: 'addresses of one IPv6 network guess secrets without end',
    async strike({ ask }) {
      let guessed = 0;
      for (let count = 0; count < 100; count += 1) {
        const { status } = await ask('/oauth/token', {
          headers: { authorization: `Basic ${Buffer.from(`nobody:${count}`).toString('base64')}` },
          body: { grant_type: 'client_credentials' },
          from: `2001:db8:7:7::${(count + 1).toString(16)}`,
        });
        if (status !== 429) guessed += 1;
      }
      return unless(guessed <= 70, `${guessed} of 100 guesses were looked at`);
    },
  },
  {
    title: 'a partner app lifts a profile’s privacy by itself',
    async strike(deployment) {
      const { marked, headers } = await markedApp(deployment, { privacyMode: 'hipaa' });
      const { status } = await deployment.ask(`/api/v1/profiles/${marked.id}/entitlements/atribu_attribution`, {
        method: 'PUT',
        headers,
        body: { enabled: true, privacy_mode: 'standard' },
      });
      return unless(status === 403, `it was answered ${status}`);
    },
  },
  {
    title: 'the tokens of an app outlive its secret',
    async strike(deployment) {
      const { marked, headers } = await markedApp(deployment);
      const before = await deployment.ask('/api/v1/profile', { headers });
      const { ok, text } = await deployment.operate('app', 'reset', marked.appId);
      const after = await deployment.ask('/api/v1/profile', { headers });
      return unless(
        ok && before.status === 200 && after.status === 401,
        `${before.status}, then ${after.status}; ${text.slice(0, 200)}`,
      );
    },
  },
  {
    title: 'a key’s own limit does not hold where events come in',
    async strike({ ask, tenant, postgres }) {
      const { profileId } = await tenant();
      const { headers } = await buildApiKey(postgres, profileId, {
        scopes: ['attribution:write'],
        requestsPerMinute: 5,
      });
      const statuses: number[] = [];
      for (let count = 0; count < 8; count += 1)
        statuses.push((await ask('/api/v1/events', { headers, body: { event_name: 'survey_answered' } })).status);
      return unless(statuses.includes(429), `eight in a row were answered ${statuses.join(', ')}`);
    },
  },
];

/** A profile and its app, with what the app sends to be known. */
async function markedApp({ postgres: app, engines }: Deployment, traits?: ProfileTraits) {
  const owner = createPostgres({ url: engines.database.ownerUrl, poolSize: 1 });
  try {
    const marked = await buildMarkedProfile({ app, owner }, traits);
    return { marked, headers: await credentialBuilders.app({ app, owner }, marked) };
  } finally {
    await owner.close();
  }
}

async function clients({ postgres }: Pick<Deployment, 'postgres'>): Promise<number> {
  const found = await postgres.unbound.transaction((tx) =>
    sql<{ n: string }>`SELECT count(*) AS n FROM oauth_clients`.execute(tx),
  );
  return Number(found.rows[0]?.n);
}
