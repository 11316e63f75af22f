import { setTimeout as sleep } from 'node:timers/promises';
import { sealLinkToken } from '@tributary/domain/commerce/link-tokens/module.ts';
import { browserVisit, buildApiKey, buildProfile } from '@tributary/testkit';
import { sql } from 'kysely';
import { type Attack, unless } from './attack.ts';
import type { Deployment, Tenant } from './deployment.ts';

const day = 86_400_000;

/** Attacks on the privacy guarantees for customers. */
export const attacks: readonly Attack[] = [
  {
    title: 'data of an erased customer remains in the text of an invalid visit',
    async run(deployment) {
      const { sendVisits, postgres, drained } = deployment;
      const shop = await deployment.createTenant();
      await createCustomer(deployment, shop, 'erase2@canary.example');
      const broken = {
        url: 'https://shop.example/thanks?email=erase2%40canary.example&name=Erasetwo',
        note: 'mail erase2@canary.example please',
      };
      await sendVisits(shop.key, [broken]);
      await drained(60_000);
      const count = () =>
        postgres
          .forProfile(shop.profileId)
          .transaction((tx) => sql<{ n: string }>`SELECT count(*) AS n FROM bad_visits`.execute(tx))
          .then(({ rows }) => Number(rows[0]?.n));
      if ((await until(async () => (await count()) === 1, 20_000)) === false) return 'the invalid visit was not stored';
      await erase(deployment, shop, { email: 'erase2@canary.example' });
      return unless((await count()) === 0, 'the erasure is done but the row still exists');
    },
  },
  {
    title: 'repeating a request returns the journey summary of an erased customer',
    async run(deployment) {
      const { callApi } = deployment;
      const shop = await deployment.createTenant();
      const id = await createCustomer(deployment, shop, 'erase3@canary.example');
      const call = { headers: { ...shop.headers, 'idempotency-key': 'sum-1' }, body: {} };
      const first = await callApi(`/api/v1/customers/${id}/journey-summary`, call);
      if (first.status !== 200) return `the summary request got ${first.status}: ${first.text.slice(0, 200)}`;
      await erase(deployment, shop, { email: 'erase3@canary.example' });
      const again = await callApi(`/api/v1/customers/${id}/journey-summary`, call);
      return unless(!again.text.includes('They came'), `the summary was returned again: ${again.status}`);
    },
  },
  {
    title: 'a replayed response about a customer is logged with zero customers',
    async run(deployment) {
      const { callApi, postgres } = deployment;
      const shop = await deployment.createTenant();
      const id = await createCustomer(deployment, shop, 'logged@canary.example');
      const call = { headers: { ...shop.headers, 'idempotency-key': 'sum-2' }, body: {} };
      for (let count = 0; count < 2; count += 1) await callApi(`/api/v1/customers/${id}/journey-summary`, call);
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
    title: 'a write-only key can look up an e-mail address by national id',
    async run({ callApi, postgres }) {
      const { id } = await buildProfile(postgres, { privacyMode: 'hipaa' });
      const { headers } = await buildApiKey(postgres, id, { scopes: ['attribution:write'] });
      const event = (user_traits: object) =>
        callApi('/api/v1/events', { headers, body: { event_name: 'visit_done', user_traits } });
      await event({ external_id: 'patient@canary.example', national_id: '12345678-5' });
      const { text } = await event({ national_id: '12345678-5' });
      return unless(!text.includes('patient@canary'), text.slice(0, 300));
    },
  },
  {
    title: 'names and e-mail addresses are sent to the external language model',
    async run(deployment) {
      const { callApi, prompts } = deployment;
      const shop = await deployment.createTenant();
      const id = await createCustomer(deployment, shop, 'erase.me@canary.example', {
        page_url: 'https://shop.example/account/erase.me@canary.example/thanks',
        properties: { provider: 'Erasename Canaryson' },
      });
      await callApi(`/api/v1/customers/${id}/journey-summary`, { headers: shop.headers, body: {} });
      const leaking = prompts.filter((prompt) => /erase\.me|canaryson/i.test(prompt));
      return unless(leaking.length === 0, `the model received ${leaking[0]?.slice(0, 400)}`);
    },
  },
  {
    title: 'an expired link token links a browser that claims an earlier visit',
    async run(deployment) {
      const { sendVisits, drained, postgres, ring } = deployment;
      const shop = await deployment.createTenant();
      const customerId = await createCustomer(deployment, shop, 'linked@canary.example');
      const expiresAt = new Date(Date.now() - 10 * day);
      const link_token = sealLinkToken(ring.current('link_token'), shop.profileId, { customerId, expiresAt });
      await sendVisits(shop.key, [browserVisit(new Date(Date.now() - 11 * day), { type: 'identify', link_token })]);
      await drained(60_000);
      const { rows } = await postgres
        .forProfile(shop.profileId)
        .transaction((tx) => sql`SELECT 1 FROM visitor_links`.execute(tx));
      return unless(rows.length === 0, 'the browser is linked');
    },
  },
];

/** Creates a customer with one event. Resolves to the customer id. */
async function createCustomer(
  { callApi }: Deployment,
  { headers }: Tenant,
  email: string,
  event: object = {},
): Promise<string> {
  const body = { event_name: 'survey_answered', user_traits: { email, first_name: 'Erasename' }, ...event };
  const created = await callApi('/api/v1/events', { headers, body });
  if (created.status >= 300) throw new Error(`The event got ${created.status}: ${created.text.slice(0, 300)}`);
  const found = await callApi(`/api/v1/customers/search?q=${encodeURIComponent(email)}`, { headers });
  return found.json.data[0].customer_profile_id;
}

async function erase({ callApi }: Deployment, { headers }: Tenant, selector: object): Promise<void> {
  const body = { request_ref: `r-${Math.random()}`, reason: 'data_subject_request', ...selector };
  const response = await callApi('/api/v1/customers/erasures', { headers, body });
  const id = response.json?.data?.erasure_id;
  if (!id) throw new Error(`The erasure got ${response.status}: ${response.text.slice(0, 300)}`);
  const isDone = async () =>
    (await callApi(`/api/v1/customers/erasures/${id}`, { headers })).json?.data?.status === 'done';
  if (!(await until(isDone, 100_000))) throw new Error('The erasure was not done within 100 s.');
}

async function until(condition: () => Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(200)) if (await condition()) return true;
  return false;
}
