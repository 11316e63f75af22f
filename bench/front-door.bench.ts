import { join } from 'node:path';
import { createPostgres } from '@tributary/postgres';
import {
  alternate,
  type Bench,
  buildApiKey,
  buildProfile,
  Killable,
  median,
  openDrillEngines,
} from '@tributary/testkit';
import autocannon from 'autocannon';

const seconds = 4;
const rounds = 5;
const connections = 64;

/** Measures the overhead of the complete chain: request id, limits, credential, scope, validation, envelope, metrics, log. */
export const bench: Bench = {
  name: 'front-door',
  question: 'How many requests a second does a declared route answer, to bare Fastify giving the same bytes?',
  better: 'higher',

  async run({ progress }) {
    const engines = await openDrillEngines('bench-front-door', ['postgres', 'redis']);
    const app = createPostgres({ url: engines.database.appUrl, poolSize: 2 });
    const profile = await buildProfile(app);
    const key = await buildApiKey(app, profile.id, { scopes: ['campaigns:read'] });
    const side = (name: string) =>
      new Killable<{ port: number }>(join(import.meta.dirname, 'front-door-server.ts'), [
        name,
        engines.database.appUrl,
        engines.redisUrl,
        profile.id,
      ]);
    const [ours, bare] = [side('ours'), side('bare')];
    try {
      const ports = { ours: (await ours.start()).port, bare: (await bare.start()).port };
      const measure = async (port: number, path: string) => {
        const result = await autocannon({
          url: `http://127.0.0.1:${port}${path}`,
          connections,
          duration: seconds,
          headers: { ...key.headers },
        });
        if (result.non2xx > 0 || result.errors > 0)
          throw new Error(`${result.non2xx} answers were not 2xx, ${result.errors} failed.`);
        return result.requests.average;
      };
      const compare = (path: string, done: number) =>
        alternate(
          rounds,
          () => measure(ports.ours, path),
          () => measure(ports.bare, path),
          (round) => progress(done + round, rounds * 2),
        );
      const noSql = await compare('/api/v1/greet?name=Ada', 0);
      const sql = await compare('/api/v1/profile', rounds);
      const figures = (sides: { ours: readonly number[]; bare: readonly number[] }) => ({
        ours: Math.round(median(sides.ours)),
        bare: Math.round(median(sides.bare)),
      });
      return {
        ratio: round(median(sql.ours) / median(sql.bare)),
        ratio_no_sql: round(median(noSql.ours) / median(noSql.bare)),
        requests_per_second: figures(sql),
        requests_per_second_no_sql: figures(noSql),
        connections,
        rounds,
      };
    } finally {
      await Promise.all([ours.kill(), bare.kill()]);
      await app.close();
      await engines.close();
    }
  },
};

const round = (value: number) => Math.round(value * 1_000) / 1_000;
