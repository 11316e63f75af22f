import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { browserVisit, buildMember, testPassword } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { request } from 'undici';
import { type Attack, unless } from './attack.ts';
import type { Deployment } from './deployment.ts';

/** Attacks on the engines, and on the guarantees about deletion of profiles and erasure of customers. */
export const attacks: readonly Attack[] = [
  {
    title: 'any local process can query ClickHouse and read its files',
    async run({ engines }) {
      const { origin } = new URL(engines.clickhouseUrl);
      const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };
      for (const query of ["SELECT * FROM file('/etc/hostname', 'LineAsString')", 'SELECT * FROM drill.visits']) {
        const { statusCode, body } = await request(origin, { method: 'POST', headers, body: query });
        await body.dump();
        if (statusCode === 200) return `ClickHouse executed ${query}`;
      }
      return undefined;
    },
  },
  {
    title: 'a frozen Redis delays every request by a second and makes the API unready',
    async run({ engines, callApi, createTenant }) {
      const { headers } = await createTenant();
      await engines.supervisor.pause('redis');
      try {
        const startedAt = performance.now();
        let rejected = 0;
        for (let count = 0; count < 12; count += 1)
          if ((await callApi('/api/v1/profile', { headers })).status !== 200) rejected += 1;
        const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
        const ready = await callApi('/readyz');
        return unless(
          rejected === 0 && seconds < 8 && ready.status === 200,
          `12 requests took ${seconds} s, ${rejected} were rejected, /readyz returned ${ready.status}`,
        );
      } finally {
        await engines.supervisor.resume('redis');
      }
    },
  },
  {
    title: 'a read-only database turns visits into dead letters and makes outcome requests fail with 500',
    async run(deployment) {
      const { sendVisits, callApi, createTenant, stream, drained, clickhouse } = deployment;
      const { key, headers, profileId } = await createTenant();
      await setWritable(deployment, false);
      let status = 0;
      try {
        for (let count = 0; count < 10; count += 1) await sendVisits(key, [browserVisit(new Date())]);
        status = (await callApi('/api/v1/events', { headers, body: { event_name: 'survey_answered' } })).status;
        await sleep(5_000);
      } finally {
        await setWritable(deployment, true);
      }
      await drained(120_000);
      const [row] = await clickhouse.query(
        raw<{ n: string }>('SELECT count() AS n FROM visits FINAL WHERE profile_id = {id:UUID}'),
        { id: profileId },
      );
      const dead = await stream.deadLetters.count();
      return unless(
        status === 503 && dead === 0 && Number(row?.n) === 10,
        `the event got ${status}, ${row?.n} of 10 visits were stored, ${dead} are dead letters`,
      );
    },
  },
  {
    title: 'deleting a profile while visits arrive leaves rows behind',
    async run({ callApi, sendVisits, createTenant, postgres, clickhouse }) {
      const { profileId, workspaceId, key, headers } = await createTenant();
      const owner = await buildMember(postgres, workspaceId, 'owner', 'person.test', new Date());
      let isSending = true;
      const sending = (async () => {
        while (isSending) {
          await sendVisits(
            key,
            Array.from({ length: 5 }, () => browserVisit(new Date())),
          );
          await callApi('/api/v1/events', { headers, body: { event_name: 'survey_answered' } });
        }
      })();
      await sleep(1_000);
      const path = `/api/v1/workspaces/${workspaceId}/profiles/${profileId}`;
      const deleted = await callApi(path, {
        method: 'DELETE',
        headers: owner.headers({ workspaceId }),
        body: { current_password: testPassword },
      });
      await sleep(2_000);
      isSending = false;
      await sending;
      if (deleted.status !== 200) return `the deletion got ${deleted.status}: ${deleted.text.slice(0, 200)}`;
      const countRows = async () => {
        const counts = ['visits', 'touches', 'attributed_conversions'].map((table) =>
          clickhouse.query(raw<{ n: string }>(`SELECT count() AS n FROM ${table} WHERE profile_id = {id:UUID}`), {
            id: profileId,
          }),
        );
        return (await Promise.all(counts)).reduce((sum, [row]) => sum + Number(row?.n), 0);
      };
      const profileExists = async () => {
        const found = await postgres.unbound.transaction((tx) =>
          sql<{
            there: boolean;
          }>`SELECT EXISTS (SELECT FROM find_visit_profiles(ARRAY[${profileId}::uuid])) AS there`.execute(tx),
        );
        return found.rows[0]?.there === true;
      };
      for (const end = Date.now() + 90_000; Date.now() < end; await sleep(500))
        if ((await countRows()) === 0 && !(await profileExists())) {
          await sleep(5_000);
          return unless((await countRows()) === 0, `${await countRows()} rows came back`);
        }
      return `${await countRows()} rows are left after 90 s`;
    },
  },
  {
    title: 'retiring an old key that rows still need makes erasures impossible',
    async run({ runCommand, callApi, createTenant }) {
      const { headers } = await createTenant();
      const erase = async (email: string) => {
        await callApi('/api/v1/events', { headers, body: { event_name: 'survey_answered', user_traits: { email } } });
        const body = { request_ref: 'before', reason: 'data_subject_request', email };
        const response = await callApi('/api/v1/customers/erasures', { headers, body });
        return response.json?.data?.erasure_id as string | undefined;
      };
      const receiptStatus = async (id: string | undefined) =>
        (await callApi(`/api/v1/customers/erasures/${id}`, { headers })).status;
      const first = await erase('before@canary.example');
      await runCommand('keys', 'rotate', 'envelope');
      const retired = await runCommand('keys', 'retire', 'envelope');
      const before = await receiptStatus(first);
      const rewrapped = await runCommand('keys', 'rewrap-rows');
      // Every process loads the new key within half a minute.
      return unless(
        !retired.ok && before === 200 && rewrapped.ok,
        `retire ${retired.ok ? 'succeeded' : 'was rejected'}, the receipt returns ${before}, rewrap-rows: ${rewrapped.text.slice(0, 200)}`,
      );
    },
  },
];

/** Makes the database read-only, as after a failover to a standby, or writable again. */
async function setWritable({ engines }: Deployment, isWritable: boolean): Promise<void> {
  const url = new URL(engines.database.ownerUrl);
  url.username = 'postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${isWritable ? 'off' : 'on'}`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
}
