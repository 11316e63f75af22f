import type { ClickHouse } from '@tributary/clickhouse';
import { findDeliveryWait } from '@tributary/domain/advertising/campaigns';
import { listConnectionIdsOfAccounts } from '@tributary/domain/advertising/connections';
import { listReportedSpend } from '@tributary/domain/measurement/reports';
import type { BookedSpend } from '@tributary/providers';
import { compareAmounts, subtractAmounts, sumAmounts } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { type BookOfDay, type Compared, type Finding, type Span, tally, type Unread } from './compared.ts';
import { callOf, openBooks, type ProviderServices, tryRead } from './read-provider.ts';
import { wasReportedBefore } from './store.ts';

/** Platforms round the spend of each ad, and round the total separately. */
const roundingPerRow = 0.005;

/**
 * Compares the spend of ad accounts with the sum of their ads in the reports, by the account's own day and currency. Platforms restate days
 * for weeks, and each day is read again once a day. A difference on such a day is pending until the platform has reported the same figure
 * for a day.
 */
export async function compareSpend(
  services: ProviderServices & { readonly clickhouse: ClickHouse },
  { profileId, dateFrom, dateTo, now }: Span,
  signal: AbortSignal,
): Promise<Compared> {
  const { ledger } = services;
  const { available, unread } = await openBooks(services, profileId, 'spend', signal);
  const days: BookOfDay[] = [];
  const findings: Finding[] = [];
  const failed: Unread[] = [];
  for (const { channel, accounts } of available) {
    const { isWaiting, isForeign } = await ledger.transaction(
      async (tx) => {
        const ids = accounts.map(({ account }) => account.externalId);
        const own = await listConnectionIdsOfAccounts(tx, profileId, channel, ids);
        const all = await listConnectionIdsOfAccounts(tx, profileId, channel);
        return { isWaiting: (await findDeliveryWait(tx, profileId)) !== null, isForeign: all.length > own.length };
      },
      { readOnly: true },
    );
    // Delivery from an account that is no longer connected stays in reports, and its share of a day is unknown.
    const left = accounts.find(() => isForeign);
    if (left) {
      failed.push({ connectionId: left.connection.id, channel, reason: 'former_accounts' });
      continue;
    }
    const booked: BookedSpend[] = [];
    let reason: string | undefined;
    for (const { provider, account, connection } of accounts) {
      const period = { since: dateFrom, until: dateTo };
      const read = await tryRead(
        async () => (await provider.books?.spend?.(account, period, callOf(services, signal))) ?? [],
        signal,
      );
      if ('value' in read) booked.push(...read.value);
      else {
        reason = read.reason;
        failed.push({ connectionId: connection.id, channel, reason });
      }
    }
    if (reason !== undefined) continue;
    const reported = (await listReportedSpend(services, profileId, { since: dateFrom, until: dateTo }, signal)).filter(
      ({ platform }) => platform === channel,
    );
    // Days before the first day that was ever read are skipped.
    const [first] = reported.map(({ day }) => day).sort();
    const keys = new Set([...booked, ...reported].map(({ day, currency }) => `${day} ${currency}`));
    for (const key of [...keys].sort()) {
      const [day = '', currency = ''] = key.split(' ');
      if (first === undefined || day < first) continue;
      const own = reported.find((one) => one.day === day && one.currency === currency);
      const atProvider = sumAmounts(
        booked.filter((one) => one.day === day && one.currency === currency).map(({ amount }) => amount),
      );
      const inReports = own?.spend ?? '0';
      const isSame =
        Math.abs(Number(subtractAmounts(inReports, atProvider))) <= roundingPerRow * Number(own?.rows ?? 0);
      const found: Finding[] = [];
      if (!isSame && compareAmounts(inReports, atProvider) !== 0) {
        const connectionId = accounts[0]?.connection.id;
        found.push({
          book: 'ad_accounts',
          kind: 'spend_differs',
          day,
          currency,
          channel,
          ...(accounts.length === 1 && connectionId !== undefined && { connectionId }),
          atProvider,
          inColumns: inReports,
          isPending: isWaiting || !(await isSettled({ channel, day, currency, atProvider })),
        });
      }
      findings.push(...found);
      const sides = { atProvider: { count: null, value: atProvider }, inColumns: { count: null, value: inReports } };
      days.push({ book: 'ad_accounts', day, channel, currency, ...sides, ...tally(found) });
    }
  }
  return { days, findings, unread: [...unread, ...failed] };

  /** Whether the platform has reported the same figure for a day, during which everything was read again. */
  function isSettled(figure: { channel: string; day: string; currency: string; atProvider: string }): Promise<boolean> {
    const since = new Date(now.getTime() - limits.reconciliation.settledHours * 3_600_000);
    return ledger.transaction((tx) => wasReportedBefore(tx, profileId, figure, since), { readOnly: true });
  }
}
