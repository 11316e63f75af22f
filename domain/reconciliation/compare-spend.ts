import type { ClickHouse } from '@tributary/clickhouse';
import { findDeliveryWait } from '@tributary/domain/campaigns';
import { listOfAccounts } from '@tributary/domain/connections';
import { listToldSpend } from '@tributary/domain/reports';
import type { BookedSpend } from '@tributary/providers';
import { compareAmounts, subtractAmounts, sumAmounts } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { callOf, openBooks, type ProviderServices, tried } from './ask-provider.ts';
import { type BookOfDay, type Compared, type Finding, type Span, tally, type Unread } from './compared.ts';
import { wasSaidBefore } from './store.ts';

/** Platforms round what each ad cost, and round the whole by itself. */
const roundedBy = 0.005;

/**
 * What ad accounts say they cost as a whole, against the sum of their ads in the reports, by the account's own day and in its currency. A
 * platform restates its days for weeks, and they are read again once a day: what differs on such a day is no fault before the platform has said
 * the same figure for a day.
 */
export async function compareSpend(
  services: ProviderServices & { readonly clickhouse: ClickHouse },
  { profileId, dateFrom, dateTo, now }: Span,
  signal: AbortSignal,
): Promise<Compared> {
  const { ledger } = services;
  const { kept, unread } = await openBooks(services, profileId, 'spend', signal);
  const days: BookOfDay[] = [];
  const findings: Finding[] = [];
  const failed: Unread[] = [];
  for (const { channel, accounts } of kept) {
    const { isWaiting, isForeign } = await ledger.transaction(
      async (tx) => {
        const ids = accounts.map(({ account }) => account.externalId);
        const mine = await listOfAccounts(tx, profileId, channel, ids);
        const all = await listOfAccounts(tx, profileId, channel);
        return { isWaiting: (await findDeliveryWait(tx, profileId)) !== null, isForeign: all.length > mine.length };
      },
      { readOnly: true },
    );
    // What an account that is no longer connected once told stays in reports, and nobody can say how much of a day that is.
    const left = accounts.find(() => isForeign);
    if (left) {
      failed.push({ connectionId: left.connection.id, channel, reason: 'former_accounts' });
      continue;
    }
    const booked: BookedSpend[] = [];
    let reason: string | undefined;
    for (const { provider, account, connection } of accounts) {
      const asked = { since: dateFrom, until: dateTo };
      const read = await tried(
        async () => (await provider.books?.spend?.(account, asked, callOf(services, signal))) ?? [],
        signal,
      );
      if ('value' in read) booked.push(...read.value);
      else {
        reason = read.reason;
        failed.push({ connectionId: connection.id, channel, reason });
      }
    }
    if (reason !== undefined) continue;
    const told = (await listToldSpend(services, profileId, { since: dateFrom, until: dateTo }, signal)).filter(
      ({ platform }) => platform === channel,
    );
    // Nothing before the first day that was ever read.
    const [first] = told.map(({ day }) => day).sort();
    const keys = new Set([...booked, ...told].map(({ day, currency }) => `${day} ${currency}`));
    for (const key of [...keys].sort()) {
      const [day = '', currency = ''] = key.split(' ');
      if (first === undefined || day < first) continue;
      const mine = told.find((one) => one.day === day && one.currency === currency);
      const theirs = sumAmounts(
        booked.filter((one) => one.day === day && one.currency === currency).map(({ amount }) => amount),
      );
      const ours = mine?.spend ?? '0';
      const isSame = Math.abs(Number(subtractAmounts(ours, theirs))) <= roundedBy * Number(mine?.rows ?? 0);
      const found: Finding[] = [];
      if (!isSame && compareAmounts(ours, theirs) !== 0) {
        const connectionId = accounts[0]?.connection.id;
        found.push({
          book: 'ad_accounts',
          kind: 'spend_differs',
          day,
          currency,
          channel,
          ...(accounts.length === 1 && connectionId !== undefined && { connectionId }),
          atProvider: theirs,
          inColumns: ours,
          isPending: isWaiting || !(await isSettled({ channel, day, currency, theirs })),
        });
      }
      findings.push(...found);
      const sides = { atProvider: { count: null, value: theirs }, inColumns: { count: null, value: ours } };
      days.push({ book: 'ad_accounts', day, channel, currency, ...sides, ...tally(found) });
    }
  }
  return { days, findings, unread: [...unread, ...failed] };

  /** The platform has said the same for a day, in which all was read again. */
  function isSettled(figure: { channel: string; day: string; currency: string; theirs: string }): Promise<boolean> {
    const since = new Date(now.getTime() - limits.reconciliation.settledHours * 3_600_000);
    return ledger.transaction((tx) => wasSaidBefore(tx, profileId, figure, since), { readOnly: true });
  }
}
