import { openSync } from 'node:fs';
import { data, route, routes } from '@tributary/contract';
import { outcomesReadiness } from '@tributary/domain/commerce/outcomes/module.ts';
import { refusalAuditor, writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { bearerAuthenticator, CredentialFinder, keyUse } from '@tributary/domain/tenancy/credentials/module.ts';
import { readProfile } from '@tributary/domain/tenancy/tenants/module.ts';
import { trackerReadiness } from '@tributary/domain/traffic/tracking/module.ts';
import { bindRoute, createServer } from '@tributary/http';
import { AttemptLimiter, answer, createPersonalDataGate } from '@tributary/operations';
import { createPostgres } from '@tributary/postgres';
import { createRateLimiter, createRedis, redisReady } from '@tributary/redis';
import { createLog, openLogFile } from '@tributary/telemetry';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { testVault } from '@tributary/testkit';
import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';

/** One side of the front-door bench: `ours` with the complete chain, or `bare` with Fastify and the driver alone. */
const [side = '', appUrl = '', redisUrl = '', profileId = ''] = process.argv.slice(2);
const poolSize = 10;
const small = { data: { greeting: 'hello', count: 42 }, meta: {} };

const greet = route({
  id: 'greet',
  method: 'GET',
  path: '/api/v1/greet',
  summary: 'Greet',
  chapter: 'Bench',
  access: { credentials: ['public'], grain: 'profile' },
  query: z.object({ name: z.string().max(50).optional() }),
  rate: 'public',
  answers: { 200: { schema: data(z.object({ greeting: z.string(), count: z.number() })), bare: true } },
});

const fastify = side === 'ours' ? await ours() : bare();
await fastify.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: (fastify.server.address() as { port: number }).port });

async function ours() {
  const postgres = createPostgres({ url: appUrl, poolSize });
  const redis = createRedis({ url: redisUrl, prefix: 'bench' });
  await redisReady(redis);
  const metrics = createMetrics();
  const limiter = createRateLimiter({ redis, nowMs: Date.now });
  // Every request still takes from the rate limit in Redis; the limit is only large enough for a bench.
  const generous = { take: (bucket: string) => limiter.take(bucket, 60_000_000) };
  const log = createLog('info', openLogFile(openSync('/dev/null', 'w')));
  const baseUrl = 'http://127.0.0.1';
  const server = await createServer({
    baseUrl,
    log,
    metrics,
    limiter: generous,
    requestTimeoutMs: 30_000,
    trustedProxies: [],
    corsOrigins: [],
  });
  const uses = keyUse(postgres.allShards);
  const bearer = bearerAuthenticator({
    credentials: new CredentialFinder(postgres.allShards),
    isSwapWindowOpen: () => false,
    onKeyUsed: (keyId, now) => uses.note(keyId, now),
  });
  const binding = {
    fastify: server,
    authenticate: (presented: { authorization: string | undefined }, now: Date) => bearer(presented.authorization, now),
    door: new AttemptLimiter(),
    postgres,
    limiter: generous,
    vault: testVault,
    gate: createPersonalDataGate(postgres),
    services: { readiness: [outcomesReadiness, trackerReadiness] },
    baseUrl,
    now: () => new Date(),
    audit: writeAudit,
    auditRefusal: refusalAuditor(postgres, async () => true),
  };
  bindRoute(binding, greet, async () => answer(200, small));
  bindRoute(binding, routes.readProfile, readProfile);
  return server;
}

function bare() {
  const server = Fastify({ logger: false });
  const pool = new pg.Pool({ connectionString: appUrl, max: poolSize, pipeline: true });
  server.get('/api/v1/greet', async () => small);
  server.get('/api/v1/profile', async () => {
    const client = await pool.connect();
    try {
      // Prepared and pipelined, as an expert would write it by hand: all four statements are sent together.
      const [, { rows }] = await Promise.all([
        client.query(`BEGIN; SET LOCAL app.profile_id = '${profileId}'`),
        // The same statement that the declared route sends.
        client.query({
          name: 'profile',
          text: 'select *, ARRAY[EXISTS (SELECT FROM outcomes WHERE profile_id = $1), EXISTS (SELECT FROM tracking_verifications WHERE profile_id = $2 AND verified_at IS NOT NULL)]::boolean[] as "done" from "profiles" where "id" = $3',
          values: [profileId, profileId, profileId],
        }),
        client.query('COMMIT'),
      ]);
      const { done, created_at, governing_app_id, archived_at, repricing_since, repriced_at, ...row } = rows[0];
      const readiness = [
        { step: 'attribution_enabled', is_done: row.is_attribution_enabled },
        { step: 'crm_or_outcome_source_connected', is_done: done[0] },
        { step: 'tracker_verified', is_done: done[1] },
        { step: 'ad_platform_connected', is_done: false },
      ];
      const data = { ...row, is_healthcare_family: false, created_at: created_at.toISOString(), readiness };
      return { data, meta: { profile_id: row.id } };
    } finally {
      client.release();
    }
  });
  return server;
}
