import type { Fault } from './fault.ts';
import { faults as access } from './faults/access.ts';
import { faults as ads } from './faults/ads.ts';
import { faults as answers } from './faults/answers.ts';
import { faults as assistants } from './faults/assistants.ts';
import { faults as attribution } from './faults/attribution.ts';
import { faults as byLot } from './faults/by-lot.ts';
import { faults as clients } from './faults/clients.ts';
import { faults as columns } from './faults/columns.ts';
import { faults as connections } from './faults/connections.ts';
import { faults as credits } from './faults/credits.ts';
import { faults as engines } from './faults/engines.ts';
import { faults as erasure } from './faults/erasure.ts';
import { faults as exported } from './faults/exports.ts';
import { faults as fromOutside } from './faults/from-outside.ts';
import { faults as guards } from './faults/guards.ts';
import { faults as handoffs } from './faults/handoffs.ts';
import { faults as http } from './faults/http.ts';
import { faults as identity } from './faults/identity.ts';
import { faults as ingestion } from './faults/ingestion.ts';
import { faults as ledger } from './faults/ledger.ts';
import { faults as money } from './faults/money.ts';
import { faults as operations } from './faults/operations.ts';
import { faults as partners } from './faults/partners.ts';
import { faults as people } from './faults/people.ts';
import { faults as pipeline } from './faults/pipeline.ts';
import { faults as providerWebhooks } from './faults/provider-webhooks.ts';
import { faults as providers } from './faults/providers.ts';
import { faults as reports } from './faults/reports.ts';
import { faults as rules } from './faults/rules.ts';
import { faults as shards } from './faults/shards.ts';
import { faults as tenants } from './faults/tenants.ts';
import { faults as tracking } from './faults/tracking.ts';
import { faults as visits } from './faults/visits.ts';
import { faults as webhooks } from './faults/webhooks.ts';

/** Faults that the tests must notice, by topic. */
export const allFaults: readonly Fault[] = [
  ...access,
  ...ads,
  ...answers,
  ...assistants,
  ...attribution,
  ...byLot,
  ...clients,
  ...columns,
  ...credits,
  ...engines,
  ...erasure,
  ...exported,
  ...fromOutside,
  ...guards,
  ...handoffs,
  ...http,
  ...identity,
  ...ingestion,
  ...ledger,
  ...money,
  ...operations,
  ...partners,
  ...people,
  ...pipeline,
  ...providers,
  ...providerWebhooks,
  ...reports,
  ...rules,
  ...shards,
  ...tenants,
  ...tracking,
  ...visits,
  ...connections,
  ...webhooks,
];
