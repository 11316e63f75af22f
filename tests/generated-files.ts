import { join } from 'node:path';
import { configurationPage, environmentExample } from '@tributary/config';
import { Supervisor } from '@tributary/engines';
import { generateSchema } from '@tributary/postgres/generate.ts';
import { channelsPage, scoringPage } from '@tributary/rules';
import { buildTracker } from '@tributary/tracker/build.ts';
import { retentionPage } from '@tributary/vocabulary/retention-page.ts';
import { scalingPage } from '../bench/scaling.ts';
import { architecturePage } from './architecture-page.ts';
import { claimedPage } from './conformance/page.ts';
import { decisionsPage } from './decisions-page.ts';
import { cloneDatabase, prepareTemplate } from './kit/database.ts';
import { pageWithRuns } from './runs.ts';

/** The expected content of every generated file, by path. */
export async function generatedFiles(): Promise<Record<string, string>> {
  const postgres = await postgresSchema();
  return {
    '.env.example': environmentExample(),
    'ARCHITECTURE.md': architecturePage(),
    'docs/benchmarks.md': pageWithRuns('benchmarks'),
    'docs/channels.md': channelsPage(),
    'docs/configuration.md': configurationPage(),
    'docs/conformance.md': claimedPage(join(import.meta.dirname, '..')),
    'docs/decisions/README.md': decisionsPage(),
    'docs/drills.md': pageWithRuns('drills'),
    'docs/guides/top-performers.md': scoringPage(),
    'docs/operations/retention.md': retentionPage(),
    'docs/scaling.md': scalingPage(),
    'packages/postgres/schema.sql': postgres.dump,
    'packages/postgres/schema.generated.ts': postgres.types,
    'packages/tracker/t.generated.js': await buildTracker(),
  };
}

async function postgresSchema(): Promise<{ dump: string; types: string }> {
  const addresses = await new Supervisor().start(['postgres']);
  const server = {
    ownerUrl: addresses.DATABASE_OWNER_URL as string,
    appUrl: addresses.DATABASE_APP_URL as string,
    systemUrl: addresses.DATABASE_SYSTEM_URL as string,
    collectorUrl: addresses.DATABASE_COLLECTOR_URL as string,
  };
  await prepareTemplate(server);
  const database = await cloneDatabase(server);
  try {
    return await generateSchema(database.ownerUrl);
  } finally {
    await database.drop();
  }
}
