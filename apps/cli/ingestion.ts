import { createLinkTokenReader } from '@tributary/domain/commerce/link-tokens/module.ts';
import { type Ingestion, openIngestion } from '@tributary/domain/traffic/ingestion/module.ts';
import { markVerified, signingReader } from '@tributary/domain/traffic/tracking/module.ts';
import type { Ledgers } from './ledgers.ts';

/** The worker's pipeline, for commands that process visits with it. */
export async function openPipeline({ app, platform, settings }: Ledgers): Promise<Ingestion> {
  const ring = await platform.keys(app);
  return openIngestion({
    postgres: app,
    clickhouse: await platform.clickhouse(),
    ring,
    readLinkToken: createLinkTokenReader(() => (settings.linkTokens ? ring.keys('link_token') : [])),
    markVerified,
    readSigning: signingReader(ring.envelope()),
    badBytesPerDay: settings.badVisitMegabytesPerDay << 20,
    now: () => new Date(),
  });
}
