import { createApi } from '@tributary/api/app.ts';
import { registerApp } from '@tributary/domain/access';
import { createJobs } from '@tributary/jobs';
import { createPostgres } from '@tributary/postgres';
import { createRedis, redisReady } from '@tributary/redis';
import { createLog } from '@tributary/runtime';
import type { FastifyInstance } from 'fastify';
import { testVault } from './serve.ts';
import type { Testkit } from './testkit.ts';

export interface TestApi {
  readonly fastify: FastifyInstance;
  readonly logLines: string[];
  /** An app as the operator registers it, with its client id and secret. */
  registerApp(traits?: { rateTier?: 'standard' | 'elevated' | 'internal' }): Promise<TestApp>;
  close(): Promise<void>;
}

export interface TestApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** A token of it: for a profile, or for none. */
  token(profileId?: string, scope?: string): Promise<{ authorization: string }>;
}

/** The whole API as it is served, on real engines. */
export async function openApi(kit: Testkit): Promise<TestApi> {
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const logLines: string[] = [];
  const log = createLog('info', { write: (line) => void logLines.push(line) });
  const jobs = await createJobs(kit.database.appUrl, (error) => log.failure(undefined, error));
  const operator = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
  const fastify = await createApi({
    baseUrl: 'https://tributary.test',
    postgres: kit.app,
    redis,
    vault: testVault,
    jobs,
    log,
    now: () => kit.clock.now(),
    requestTimeoutMs: 20_000,
    checkAnswers: true,
  });
  return {
    fastify,
    logLines,
    async registerApp(traits = {}) {
      const registration = {
        name: 'Test app',
        redirectUris: ['https://app.test/callback'],
        allowedReturnOrigins: [],
        rateTier: traits.rateTier ?? ('internal' as const),
      };
      const app = await registerApp(operator.unbound, registration, kit.clock.now());
      return {
        ...app,
        async token(profileId, scope) {
          const form = new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: app.clientId,
            client_secret: app.clientSecret,
          });
          if (profileId) form.set('profile_id', profileId);
          if (scope) form.set('scope', scope);
          const response = await fastify.inject({
            method: 'POST',
            url: '/oauth/token',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            payload: form.toString(),
            // Each asks from an address of its own, so that tests do not use up each other's allowance.
            remoteAddress: `198.51.100.${Math.floor(Math.random() * 250)}`,
          });
          if (response.statusCode !== 200) throw new Error(`no token: ${response.body}`);
          return { authorization: `Bearer ${response.json().access_token}` };
        },
      };
    },
    async close() {
      await fastify.close();
      await jobs.close();
      await operator.close();
      redis.disconnect();
    },
  };
}
