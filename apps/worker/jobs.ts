import type { LanguageModel } from '@tributary/ai-model';
import { type ClickHouse, type ClickHouseSettings, dropOldVisits } from '@tributary/clickhouse';
import { rereadDeals, type SyncStores } from '@tributary/domain/advertising/connections/module.ts';
import { analyseCreative } from '@tributary/domain/advertising/creatives/module.ts';
import { expireHandoffs } from '@tributary/domain/advertising/handoffs/module.ts';
import { fetchRates, type RateSources } from '@tributary/domain/commerce/money/module.ts';
import { priceOutcomes, repriceOutcomes, spreadDefinition } from '@tributary/domain/commerce/outcomes/module.ts';
import { applyWaitingRefunds } from '@tributary/domain/commerce/payments/module.ts';
import { sweepFreshness } from '@tributary/domain/measurement/attribution/module.ts';
import { fitModels, refitModels } from '@tributary/domain/measurement/models/module.ts';
import { reconcileNightly, reconcileWeekly } from '@tributary/domain/measurement/reconciliation/module.ts';
import { rebuildScores } from '@tributary/domain/measurement/top-performers/module.ts';
import { lookForAlerts } from '@tributary/domain/notifications/alerts/module.ts';
import type { WebhookStores } from '@tributary/domain/notifications/webhooks/module.ts';
import { forgetUnallowedClients, sendPasswordReset } from '@tributary/domain/tenancy/accounts/module.ts';
import { forgetDeadLetters, type Ingestion, visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import type { Mailer, Outbound } from '@tributary/outbound';
import type { keepsNotes } from '@tributary/platform';
import { type Postgres, sweepExpired, sweepOld } from '@tributary/postgres';
import type { Stream } from '@tributary/stream';
import type { JobHandlers } from '@tributary/work';
import { getText } from './get-text.ts';

export interface Work {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouseSettings;
  readonly quick: ClickHouse;
  /** With a longer timeout, for statements over all data of a profile. */
  readonly patient: ClickHouse;
  readonly stream: Stream;
  readonly ingestion: Ingestion;
  readonly now: () => Date;
  readonly rateSources: RateSources;
  readonly outbound: Outbound;
  /** Analyses creatives; undefined if no model is configured. */
  readonly languageModel: LanguageModel | undefined;
  /** The mail server for reports, if configured, and the base URL of their links. */
  readonly mailing: { readonly mailer: Mailer | undefined; readonly baseUrl: string };
  /** Used to send deliveries to webhook subscriptions. */
  readonly deliveries: Pick<WebhookStores, 'outbound' | 'vault' | 'gate'>;
  /** Used to read from providers. */
  readonly syncing: Pick<SyncStores, 'vault' | 'providers' | 'providerOutbound' | 'outcomes'>;
  /** Records erasures and deletions beside the backups. */
  readonly notes?: ReturnType<typeof keepsNotes>;
  readonly badVisitDays: number;
  /** Undefined: visits are kept. */
  readonly visitsRetentionDays: number | undefined;
}

/** Every kind of job and its handler. A missing handler does not compile. */
export function jobHandlers({ app, system, clickhouse, now, ...rest }: Work): JobHandlers {
  const { rateSources, outbound, stream, ingestion, languageModel } = rest;
  /** The position of the last dead letter that this process has checked. */
  let checkedThrough = 0;
  return {
    deleteOldRows: async (_payload, signal) => {
      const days = { BAD_VISIT_DAYS: rest.badVisitDays };
      await sweepOld({ ledger: system.unbound, now: now(), days, signal });
    },
    dropOldVisits: (_payload, signal) => dropOldVisits(clickhouse, rest.visitsRetentionDays, now(), signal),
    forgetExpired: async (_payload, signal) => {
      await sweepExpired({ ledger: system.unbound, now: now(), signal });
      await forgetUnallowedClients(system.unbound, now(), signal);
    },
    trimVisitsLog: async () => void (await stream.trim()),
    replayDeadLetters: async (_payload, signal) => void (await stream.deadLetters.replayDue(signal)),
    spreadDefinition: async (payload, signal) => void (await spreadDefinition(app, payload, signal)),
    repriceOutcomes: async (payload, signal) => void (await repriceOutcomes(app, payload, signal)),
    rereadDeals: (payload) => rereadDeals(app, payload, now()),
    sendPasswordReset: (payload) => sendPasswordReset({ app, ...rest.mailing, now }, payload),
    forgetDeadLetters: async (_payload, signal) => {
      checkedThrough = (await forgetDeadLetters(ingestion, stream, signal, { after: checkedThrough })).through;
    },
    analyseCreative: (payload, signal) => analyseCreative({ app, languageModel, outbound, now }, payload, signal),
    fitModels: (payload, signal) => fitModels({ app, clickhouse: rest.patient, now }, payload, signal),
    refitModels: async (_payload, signal) => void (await refitModels({ app, clickhouse: rest.patient, now }, signal)),
    sweepFreshness: async (_payload, signal) => void (await sweepFreshness(app, system, now(), signal)),
    lookForAlerts: async (_payload, signal) => {
      const visitsThrough = (await stream.waitingSince(visitsConsumer)) ?? now();
      const isMailSetUp = rest.mailing.mailer !== undefined;
      await lookForAlerts({ app, system, now: now(), visitsThrough, isMailSetUp, signal });
    },
    fetchRates: (_payload, signal) =>
      fetchRates(
        {
          system,
          get: (url, until) => getText(outbound, url, until),
          price: (until) => priceOutcomes(app, system, until),
        },
        rateSources,
        signal,
      ),
    applyWaitingRefunds: async (_payload, signal) => void (await applyWaitingRefunds(app, system, now(), signal)),
    expireHandoffs: async (_payload, signal) => void (await expireHandoffs(system, now(), signal)),
    reconcileNightly: async () => void (await reconcileNightly(system, now())),
    reconcileWeekly: async () => void (await reconcileWeekly(system, now())),
    rebuildScores: async () => void (await rebuildScores(system, now())),
  };
}
