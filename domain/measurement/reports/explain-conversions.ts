import {
  findOriginals,
  findSaleMembers,
  type LedgerRecord,
  listSaleRecords,
} from '@tributary/domain/commerce/outcomes';
import { findLatestBrowsers } from '@tributary/domain/traffic/ingestion';
import type { Context } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { isOpaqueKey, moneyText, whyLeftOut } from '@tributary/rules';
import { isOutcomeProvider, limits } from '@tributary/vocabulary';
import { keysOf, type PagedConversion } from './conversion-page.ts';
import type { ConversionSum } from './explained-figure.ts';
import { creditText } from './figures.ts';
import type { Period } from './period.ts';
import type { ReportServices } from './services.ts';

type Services = Pick<Context, 'ledger' | 'signal'> & ReportServices;

/** Caps the browsers per customer to the most recent ones: a page must not read a call centre's entire history. */
const maxBrowsersPerCustomer = 20;

/** Adds to each conversion of a page the facts that explain its contribution. Discloses no personal data. */
export async function explainConversions(
  page: readonly PagedConversion[],
  adds: ConversionSum['adds'],
  { profileId, currency, moment }: Period,
  services: Services,
) {
  if (page.length === 0) return [];
  const contributes = (credit: string) => (adds === 'credit' ? creditText(credit, currency) : '1');
  // The ledger knows original payments and browser links only in their current state, not as of a past moment.
  if (moment.moment === 'then')
    return page.map(({ path, credit, shown }) => ({
      ...{ ...shown, contributes: contributes(credit), original_amount: null, original_currency: null },
      ...{ rate: null, rate_date: null, lookback_days: path.lookback_days, left_out: [], duplicates: [] },
    }));
  const paths = page.map(({ path }) => path);
  const customers = new Set(paths.flatMap(({ is_anonymous, person_id }) => (is_anonymous ? [] : [person_id])));
  const ids = paths.map(({ conversion_id }) => conversion_id);
  const { originals, duplicates, links } = await services.ledger.transaction(
    async (tx) => ({
      originals: await findOriginals(tx, profileId, ids),
      duplicates: await readDuplicates(tx, profileId, ids),
      links: await findLatestBrowsers(tx, profileId, [...customers], maxBrowsersPerCustomer),
    }),
    { readOnly: true },
  );
  const leftOut = await readLeftOut(paths, links, profileId, services);
  return page.map(({ path, credit, shown }) => {
    const original = originals.get(path.conversion_id);
    return {
      ...shown,
      contributes: contributes(credit),
      original_amount: original?.amount && original.currency ? moneyText(original.amount, original.currency) : null,
      original_currency: original?.currency ?? null,
      rate: original?.rate ?? null,
      rate_date: original?.rateDate ?? null,
      lookback_days: path.lookback_days,
      left_out: leftOut.get(path.conversion_id) ?? [],
      duplicates: duplicates.get(path.conversion_id) ?? [],
    };
  });
}

/** Duplicate records that do not count, by the counted record of the same sale. */
async function readDuplicates(tx: Tx, profileId: string, ids: readonly string[]) {
  const members = await findSaleMembers(tx, profileId, ids);
  const records = await listSaleRecords(tx, profileId, [...members.values()].flat());
  const byId = new Map(records.map((record) => [record.id, record]));
  return new Map(
    [...members].map(([counted, duplicates]) => [counted, duplicates.flatMap((id) => toDuplicate(byId.get(id)))]),
  );
}

function toDuplicate(record: LedgerRecord | undefined) {
  if (!record) return [];
  const [provider = ''] = record.source.split(':', 1);
  const reference = record.externalId ?? record.key;
  return [
    {
      outcome_event_id: record.id,
      provider: isOutcomeProvider(provider) ? provider : ('manual' as const),
      external_id: isOpaqueKey(reference) ? reference : null,
      amount: moneyText(record.amount, record.currency),
      currency: record.currency,
      paid_at: record.at.toISOString(),
    },
  ];
}

type Path = PagedConversion['path'];

/** Touches of the same customer without credit for a conversion, nearest first, with the reason. */
async function readLeftOut(
  paths: readonly Path[],
  links: readonly { readonly customerId: string; readonly visitorId: string }[],
  profileId: string,
  { clickhouse, signal }: Services,
) {
  // An anonymous customer is identified by the browser.
  const anonymous = new Set(paths.flatMap(({ is_anonymous, person_id }) => (is_anonymous ? [person_id] : [])));
  const browsers = [
    ...links.map(({ visitorId, customerId }) => [visitorId, customerId] as const),
    ...[...anonymous].map((id) => [id, id] as const),
  ];
  const rows = await clickhouse.query(
    'touch_list_left_out',
    {
      profile_id: profileId,
      ...keysOf(paths),
      visitor_ids: browsers.map(([visitor]) => visitor),
      person_ids: browsers.map(([, person]) => person),
      limit: limits.campaignConversions.leftOutTouches,
    },
    { signal },
  );
  const byConversion = Map.groupBy(rows, ({ conversion_id }) => conversion_id);
  return new Map(
    paths.map((path) => {
      const conversion = { at: Date.parse(path.conversion_time), lookbackDays: path.lookback_days };
      const touches = byConversion.get(path.conversion_id) ?? [];
      return [
        path.conversion_id,
        touches.map(({ touch_id, occurred_at, channel, kin }) => ({
          occurred_at,
          channel,
          reason: whyLeftOut({ touchId: touch_id, at: Date.parse(occurred_at) }, conversion, kin),
        })),
      ];
    }),
  );
}
