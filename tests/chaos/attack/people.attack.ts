import { setTimeout as sleep } from 'node:timers/promises';
import { sealLinkToken } from '@tributary/domain/commerce/link-tokens/module.ts';
import { browserVisit, buildApiKey, buildProfile } from '@tributary/testkit';
import { sql } from 'kysely';
import { type Attack, unless } from './attack.ts';
import type { Deployment, Tenant } from './deployment.ts';

const day = 86_400_000;

/** Against what is promised about people. */
export const attacks: readonly Attack[] = [
  {
    title: 'an erased person stays inside the texts of a broken visit',
    async strike(deployment) {
      const { visit, postgres, drained } = deployment;
      const shop = await deployment.tenant();
      await person(deployment, shop, 'erase2@canary.example');
      const broken = {
        url: 'https://shop.example/thanks?email=erase2%40canary.example&name=Erasetwo',
        note: 'mail erase2@canary.example please',
      };
      await visit(shop.key, [broken]);
      await drained(60_000);
      const count = () =>
        postgres
          .forProfile(shop.profileId)
          .transaction((tx) => sql<{ n: string }>`SELECT count(*) AS n FROM bad_visits`.execute(tx))
          .then(({ rows }) => Number(rows[0]?.n));
      if ((await until(async () => (await count()) === 1, 20_000)) === false) return 'the broken visit was not kept';
      await erase(deployment, shop, { email: 'erase2@canary.example' });
      return unless((await count()) === 0, 'the erasure is done and the row is there');
    },
  },
  {
    title: 'a repeated request shows what a model wrote of an erased person',
    async strike(deployment) {
      const { ask } = deployment;
      const shop = await deployment.tenant();
      const id = await person(deployment, shop, 'erase3@canary.example');
      const call = { headers: { ...shop.headers, 'idempotency-key': 'sum-1' }, body: {} };
      const first = await ask(`/api/v1/customers/${id}/journey-summary`, call);
      if (first.status !== 200) return `the summary was answered ${first.status}: ${first.text.slice(0, 200)}`;
      await erase(deployment, shop, { email: 'erase3@canary.example' });
      const again = await ask(`/api/v1/customers/${id}/journey-summary`, call);
      return unless(!again.text.includes('They came'), `the summary again: ${again.status}`);
    },
  },
  {
    title: 'a replayed answer about a person is logged as one about nobody',
    async strike(deployment) {
      const { ask, postgres } = deployment;
      const shop = await deployment.tenant();
      const id = await person(deployment, shop, 'logged@canary.example');
      const call = { headers: { ...shop.headers, 'idempotency-key': 'sum-2' }, body: {} };
      for (let count = 0; count < 2; count += 1) await ask(`/api/v1/customers/${id}/journey-summary`, call);
      await sleep(500);
      const { rows } = await postgres
        .forWorkspace(shop.workspaceId)
        .transaction((tx) =>
          sql<{ people: number }>`SELECT people FROM pii_access_log WHERE operation = 'createJourneySummary'`.execute(
            tx,
          ),
        );
      return unless(rows.length === 2 && rows.every(({ people }) => Number(people) === 1), JSON.stringify(rows));
    },
  },
  {
    title: 'a national id is turned into an e-mail address for a key that only writes',
    async strike({ ask, postgres }) {
      const { id } = await buildProfile(postgres, { privacyMode: 'hipaa' });
      const { headers } = await buildApiKey(postgres, id, { scopes: ['attribution:write'] });
      const event = (user_traits: object) =>
        ask('/api/v1/events', { headers, body: { event_name: 'visit_done', user_traits } });
      await event({ external_id: 'patient@canary.example', national_id: '12345678-5' });
      const { text } = await event({ national_id: '12345678-5' });
      return unless(!text.includes('patient@canary'), text.slice(0, 300));
    },
  },
  {
    title: 'names and addresses go to the outside language model',
    async strike(deployment) {
      const { ask, prompts } = deployment;
      const shop = await deployment.tenant();
      const id = await person(deployment, shop, 'erase.me@canary.example', {
        page_url: 'https://shop.example/account/erase.me@canary.example/thanks',
        properties: { provider: 'Erasename Canaryson' },
      });
      await ask(`/api/v1/customers/${id}/journey-summary`, { headers: shop.headers, body: {} });
      const told = prompts.filter((prompt) => /erase\.me|canaryson/i.test(prompt));
      return unless(told.length === 0, `the model was told ${told[0]?.slice(0, 400)}`);
    },
  },
  {
    title: 'a link token that is over links a browser that says it came earlier',
    async strike(deployment) {
      const { visit, drained, postgres, ring } = deployment;
      const shop = await deployment.tenant();
      const customerId = await person(deployment, shop, 'linked@canary.example');
      const expiresAt = new Date(Date.now() - 10 * day);
      const link_token = sealLinkToken(ring.current('link_token'), shop.profileId, { customerId, expiresAt });
      await visit(shop.key, [browserVisit(new Date(Date.now() - 11 * day), { type: 'identify', link_token })]);
      await drained(60_000);
      const { rows } = await postgres
        .forProfile(shop.profileId)
        .transaction((tx) => sql`SELECT 1 FROM visitor_links`.execute(tx));
      return unless(rows.length === 0, 'the browser is linked');
    },
  },
];

/** Somebody with one event; resolves to their id. */
async function person({ ask }: Deployment, { headers }: Tenant, email: string, event: object = {}): Promise<string> {
  const body = { event_name: 'survey_answered', user_traits: { email, first_name: 'Erasename' }, ...event };
  const made = await ask('/api/v1/events', { headers, body });
  if (made.status >= 300) throw new Error(`An event was answered ${made.status}: ${made.text.slice(0, 300)}`);
  const found = await ask(`/api/v1/customers/search?q=${encodeURIComponent(email)}`, { headers });
  return found.json.data[0].customer_profile_id;
}

async function erase({ ask }: Deployment, { headers }: Tenant, who: object): Promise<void> {
  const body = { request_ref: `r-${Math.random()}`, reason: 'data_subject_request', ...who };
  const asked = await ask('/api/v1/customers/erasures', { headers, body });
  const id = asked.json?.data?.erasure_id;
  if (!id) throw new Error(`An erasure was answered ${asked.status}: ${asked.text.slice(0, 300)}`);
  const isDone = async () => (await ask(`/api/v1/customers/erasures/${id}`, { headers })).json?.data?.status === 'done';
  if (!(await until(isDone, 100_000))) throw new Error('The erasure was not done within 100 s.');
}

async function until(isSo: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(200)) if (await isSo()) return true;
  return false;
}
