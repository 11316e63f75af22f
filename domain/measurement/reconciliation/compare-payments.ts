import { listConnectionIdsOfAccounts } from '@tributary/domain/advertising/connections';
import { findProvided, listProvided, type ProvidedPayment } from '@tributary/domain/commerce/outcomes';
import type { BookedPayment } from '@tributary/providers';
import { compareAmounts, daysOf, sumAmounts } from '@tributary/rules';
import { dayMs, limits } from '@tributary/vocabulary';
import { type BookOfDay, type Compared, type Finding, type Span, tally, type Unread } from './compared.ts';
import { type BookedProvider, callOf, openBooks, type ProviderServices, tryRead } from './read-provider.ts';

/** Maximum per day; further rows are not compared. */
const maxRows = 200_000;
const idsAtOnce = 1_000;
/** Maximum number of payments that are requested one by one because a list did not contain them. */
const maxLookups = 100;

/**
 * Compares the providers' payments with the ledger, day by day. Payments are matched by the provider's id, so different definitions of a
 * day do not matter; payments missing from the list are requested one by one.
 */
export async function comparePayments(services: ProviderServices, span: Span, signal: AbortSignal): Promise<Compared> {
  const { available, unread } = await openBooks(services, span.profileId, 'payments', signal);
  const days: BookOfDay[] = [];
  const findings: Finding[] = [];
  const failed: Unread[] = [];
  for (const one of available) {
    const compared = await compareProvider(services, one, span, signal);
    days.push(...compared.days);
    findings.push(...compared.findings);
    failed.push(...compared.unread);
  }
  return { days, findings, unread: [...unread, ...failed] };
}

async function compareProvider(
  services: ProviderServices,
  { channel, accounts }: BookedProvider,
  { profileId, dateFrom, dateTo, now }: Span,
  signal: AbortSignal,
): Promise<Compared> {
  const { ledger } = services;
  const externalIds = accounts.map(({ account }) => account.externalId);
  const connectionIds = await ledger.transaction(
    (tx) => listConnectionIdsOfAccounts(tx, profileId, channel, externalIds),
    {
      readOnly: true,
    },
  );
  const days: BookOfDay[] = [];
  const findings: Finding[] = [];
  for (const day of daysOf(dateFrom, dateTo)) {
    const from = new Date(day);
    const until = new Date(from.getTime() + dayMs);
    if (from > now) break;
    const booked = new Map<string, BookedPayment & { readonly connectionId: string }>();
    for (const { provider, account, connection } of accounts) {
      const read = await tryRead(async () => {
        const pages = provider.books?.payments?.(account, { from, until }, callOf(services, signal));
        for await (const page of pages ?? [])
          for (const payment of page)
            if (booked.size < maxRows) booked.set(payment.externalId, { ...payment, connectionId: connection.id });
      }, signal);
      if ('reason' in read)
        return { days, findings, unread: [{ connectionId: connection.id, channel, reason: read.reason }] };
    }
    const recorded = await listRecorded([...booked.keys()]);
    const span = { source: channel, connectionIds, from, until, limit: maxRows };
    const ofDay = await ledger.transaction((tx) => listProvided(tx, profileId, span), { readOnly: true });
    const unnamed = ofDay.filter(({ externalId }) => !booked.has(externalId));
    const confirmed = await lookUp(unnamed.slice(0, maxLookups));
    if (!(confirmed instanceof Set)) return { days, findings, unread: [confirmed] };
    const lost = unnamed.filter(({ externalId }) => !confirmed.has(externalId));
    const found = [
      ...[...booked.values()].flatMap((payment) => differenceOf(payment, recorded.get(payment.externalId))),
      ...lost.map((payment) => missingAtProvider(payment)),
    ];
    findings.push(...found);
    days.push(...totals(day, [...booked.values()], [...recorded.values(), ...lost], found));

    function differenceOf(
      payment: BookedPayment & { readonly connectionId: string },
      inLedger: ProvidedPayment | undefined,
    ): Finding[] {
      const { externalId, amount, currency, connectionId } = payment;
      const about = { book: 'providers', day, currency, channel, connectionId, externalId } as const;
      if (!inLedger)
        return [
          { ...about, kind: 'missing_in_ledger', atProvider: amount, inLedger: null, isPending: isYoung(payment.at) },
        ];
      if (inLedger.currency === currency && compareAmounts(inLedger.amount, amount) === 0) return [];
      const sides = { atProvider: amount, inLedger: inLedger.amount, conversionId: inLedger.id };
      return [{ ...about, ...sides, kind: 'paid_differs', isPending: isYoung(payment.at) }];
    }

    function missingAtProvider({ id, externalId, amount, currency, at }: ProvidedPayment): Finding {
      const about = { book: 'providers', kind: 'missing_at_provider', day, currency, channel, externalId } as const;
      return { ...about, conversionId: id, atProvider: null, inLedger: amount, isPending: isYoung(at) };
    }
  }
  return { days, findings, unread: [] };

  /** Providers post late, and a sync runs after the fact. */
  function isYoung(at: Date): boolean {
    return now.getTime() - at.getTime() < limits.reconciliation.graceHours * 3_600_000;
  }

  async function listRecorded(ids: readonly string[]): Promise<Map<string, ProvidedPayment>> {
    const found = new Map<string, ProvidedPayment>();
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const some = ids.slice(at, at + idsAtOnce);
      const rows = await ledger.transaction((tx) => findProvided(tx, profileId, channel, some), { readOnly: true });
      for (const row of rows) found.set(row.externalId, row);
    }
    return found;
  }

  /** A payment that is not in the day's list may be on another day: captured later, or dated by another clock. */
  async function lookUp(payments: readonly ProvidedPayment[]): Promise<Set<string> | Unread> {
    const confirmed = new Set<string>();
    for (const { externalId } of payments)
      for (const { provider, account, connection } of accounts) {
        const read = await tryRead(
          async () => provider.books?.payment?.(account, externalId, callOf(services, signal)),
          signal,
        );
        if ('reason' in read) return { connectionId: connection.id, channel, reason: read.reason };
        if (read.value) confirmed.add(externalId);
      }
    return confirmed;
  }

  function totals(
    day: string,
    booked: readonly BookedPayment[],
    recorded: readonly ProvidedPayment[],
    found: readonly Finding[],
  ): BookOfDay[] {
    const currencies = new Set([...booked, ...recorded].map(({ currency }) => currency));
    return [...currencies].sort().map((currency) => {
      const side = (rows: readonly { readonly currency: string; readonly amount: string }[]) => {
        const ofCurrency = rows.filter((row) => row.currency === currency);
        return { count: ofCurrency.length, value: sumAmounts(ofCurrency.map(({ amount }) => amount)) };
      };
      const counts = tally(found.filter((one) => one.currency === currency));
      return {
        book: 'providers',
        day,
        channel,
        currency,
        atProvider: side(booked),
        inLedger: side(recorded),
        ...counts,
      };
    });
  }
}
