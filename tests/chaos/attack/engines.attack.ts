import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '@tributary/clickhouse';
import { browserVisit, buildMember, testPassword } from '@tributary/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { request } from 'undici';
import { type Attack, unless } from './attack.ts';
import type { Deployment } from './deployment.ts';

/** Against what we keep things in, and against what is promised when a tenant leaves. */
export const attacks: readonly Attack[] = [
  {
    title: 'anybody on the machine asks ClickHouse, and reads its files',
    async strike({ engines }) {
      const { origin } = new URL(engines.clickhouseUrl);
      const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };
      for (const query of ["SELECT * FROM file('/etc/hostname', 'LineAsString')", 'SELECT * FROM drill.visits']) {
        const { statusCode, body } = await request(origin, { method: 'POST', headers, body: query });
        await body.dump();
        if (statusCode === 200) return `it answered ${query}`;
      }
      return undefined;
    },
  },
  {
    title: 'a frozen Redis costs every request a second, and takes the API out of service',
    async strike({ engines, ask, tenant }) {
      const { headers } = await tenant();
      await engines.supervisor.pause('redis');
      try {
        const startedAt = performance.now();
        let refused = 0;
        for (let count = 0; count < 12; count += 1)
          if ((await ask('/api/v1/profile', { headers })).status !== 200) refused += 1;
        const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
        const ready = await ask('/readyz');
        return unless(
          refused === 0 && seconds < 8 && ready.status === 200,
          `12 requests took ${seconds} s, ${refused} were refused, /readyz says ${ready.status}`,
        );
      } finally {
        await engines.supervisor.resume('redis');
      }
    },
  },
  {
    title: 'a database that only reads turns visits into dead letters, and outcomes into 500s',
    async strike(deployment) {
      const { visit, ask, tenant, stream, drained, clickhouse } = deployment;
      const { key, headers, profileId } = await tenant();
      await letWrite(deployment, false);
      let status = 0;
      try {
        for (let count = 0; count < 10; count += 1) await visit(key, [browserVisit(new Date())]);
        status = (await ask('/api/v1/events', { headers, body: { event_name: 'survey_answered' } })).status;
        await sleep(5_000);
      } finally {
        await letWrite(deployment, true);
      }
      await drained(120_000);
      const [row] = await clickhouse.query(
        raw<{ n: string }>('SELECT count() AS n FROM visits FINAL WHERE profile_id = {id:UUID}'),
        { id: profileId },
      );
      const dead = await stream.deadLetters.count();
      return unless(
        status === 503 && dead === 0 && Number(row?.n) === 10,
        `the event was answered ${status}, ${row?.n} of 10 visits are there, ${dead} are dead letters`,
      );
    },
  },
  {
    title: 'a profile that is deleted while visits come in leaves rows behind',
    async strike({ ask, visit, tenant, postgres, clickhouse }) {
      const { profileId, workspaceId, key, headers } = await tenant();
      const owner = await buildMember(postgres, workspaceId, 'owner', 'person.test', new Date());
      let isSending = true;
      const sending = (async () => {
        while (isSending) {
          await visit(
            key,
            Array.from({ length: 5 }, () => browserVisit(new Date())),
          );
          await ask('/api/v1/events', { headers, body: { event_name: 'survey_answered' } });
        }
      })();
      await sleep(1_000);
      const path = `/api/v1/workspaces/${workspaceId}/profiles/${profileId}`;
      const deleted = await ask(path, {
        method: 'DELETE',
        headers: owner.headers({ workspaceId }),
        body: { current_password: testPassword },
      });
      await sleep(2_000);
      isSending = false;
      await sending;
      if (deleted.status !== 200) return `the deletion was answered ${deleted.status}: ${deleted.text.slice(0, 200)}`;
      const left = async () => {
        const counts = ['visits', 'touches', 'attributed_conversions'].map((table) =>
          clickhouse.query(raw<{ n: string }>(`SELECT count() AS n FROM ${table} WHERE profile_id = {id:UUID}`), {
            id: profileId,
          }),
        );
        return (await Promise.all(counts)).reduce((sum, [row]) => sum + Number(row?.n), 0);
      };
      const isThere = async () => {
        const found = await postgres.unbound.transaction((tx) =>
          sql<{
            there: boolean;
          }>`SELECT EXISTS (SELECT FROM find_visit_profiles(ARRAY[${profileId}::uuid])) AS there`.execute(tx),
        );
        return found.rows[0]?.there === true;
      };
      for (const end = Date.now() + 90_000; Date.now() < end; await sleep(500))
        if ((await left()) === 0 && !(await isThere())) {
          await sleep(5_000);
          return unless((await left()) === 0, `${await left()} rows came back`);
        }
      return `${await left()} rows are left after 90 s`;
    },
  },
  {
    title: 'an old key is retired while rows need it, and nobody can be erased any more',
    async strike({ operate, ask, tenant }) {
      const { headers } = await tenant();
      const erase = async (email: string) => {
        await ask('/api/v1/events', { headers, body: { event_name: 'survey_answered', user_traits: { email } } });
        const body = { request_ref: 'before', reason: 'data_subject_request', email };
        const asked = await ask('/api/v1/customers/erasures', { headers, body });
        return asked.json?.data?.erasure_id as string | undefined;
      };
      const statusOf = async (id: string | undefined) =>
        (await ask(`/api/v1/customers/erasures/${id}`, { headers })).status;
      const first = await erase('before@canary.example');
      await operate('keys', 'rotate', 'envelope');
      const retired = await operate('keys', 'retire', 'envelope');
      const before = await statusOf(first);
      const rewrapped = await operate('keys', 'rewrap-rows');
      // Every process takes the new key up within half a minute.
      return unless(
        !retired.ok && before === 200 && rewrapped.ok,
        `retire ${retired.ok ? 'went through' : 'was refused'}, the receipt answers ${before}, rewrap-rows: ${rewrapped.text.slice(0, 200)}`,
      );
    },
  },
];

/** As after a failover to a server that follows another one. */
async function letWrite({ engines }: Deployment, mayWrite: boolean): Promise<void> {
  const url = new URL(engines.database.ownerUrl);
  url.username = 'postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${mayWrite ? 'off' : 'on'}`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
}
