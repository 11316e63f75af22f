import { tombstonesUnder } from '@tributary/domain/commerce/customers/module.ts';
import { signCertificate, verifyErasure } from '@tributary/domain/privacy/erasures/module.ts';
import { openIngestion } from '@tributary/domain/traffic/ingestion/module.ts';
import { redisReady, scanTexts } from '@tributary/redis';
import { defaultStreamSettings } from '@tributary/stream';
import { dayMs } from '@tributary/vocabulary';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';

interface VerifyFlags {
  readonly profile: string;
  readonly lookFor?: string[];
}

/** Scanning a large profile takes minutes. */
const scanTimeoutMs = 600_000;

export const erasureCommand = () =>
  new Command('erasure').addCommand(
    new Command('verify')
      .description('Search every store for somebody who was erased, and print a signed certificate as JSON')
      .argument('<erasure>', 'erasure_id of the receipt')
      .requiredOption('--profile <id>', 'profile that the receipt is of')
      .option('--look-for <text...>', 'also search for these words, as a name of theirs; they are not printed')
      .action((erasureId: string, { profile, lookFor = [] }: VerifyFlags) =>
        withLedgers(async ({ app, platform, settings, now }) => {
          const ring = await platform.keys(app);
          const clickhouse = await platform.clickhouse({ requestTimeoutMs: scanTimeoutMs });
          const redis = await platform.redis();
          const stream = await platform.stream();
          await redisReady(redis);
          const tombstoneKey = ring.eldest('tombstone').bytes;
          const opening = openIngestion({
            postgres: app,
            clickhouse,
            ring,
            markVerified: async () => {},
            badBytesPerDay: settings.badVisitMegabytesPerDay << 20,
            now: () => now,
          });
          const certificate = await verifyErasure(
            {
              app,
              clickhouse,
              stream,
              redisTexts: () => scanTexts(redis),
              opening,
              tombstones: tombstonesUnder(() => tombstoneKey),
              vault: opening.envelopeVault,
              lookFor,
              now,
              backupRetentionDays: settings.backupRetentionDays,
              logRetentionDays: defaultStreamSettings.retentionMs / dayMs,
            },
            profile,
            erasureId,
            (store, read) => console.error(`${store}: ${read} read`),
          );
          if (!certificate) throw new Error('There is no such erasure in this profile.');
          console.log(JSON.stringify(signCertificate(certificate, tombstoneKey), null, 2));
          if (certificate.found > 0 || certificate.status !== 'done') process.exitCode = 1;
        }),
      ),
  );
