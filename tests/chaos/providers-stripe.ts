import { fromMinorUnits } from '@tributary/rules';
import { json } from '@tributary/sandbox';
import { type StripeCharge, secondStripeAccount, stripeAccount } from '../../apps/sandbox/stripe/state.ts';
import type { BookedOutcome } from './providers-facts.ts';
import { cutOff, outage, revoked, throttled } from './providers-faults.ts';
import type { Life } from './providers-life.ts';
import { customerOf, factsOfSeller, openSeller } from './providers-payments.ts';
import type { ProvidersWorld } from './providers-world.ts';

export async function openStripe(world: ProvidersWorld): Promise<Life> {
  const seller = await openSeller(world);
  const { shop, clicks, connections, clicked } = seller;
  const book = world.sales.stripe;
  const { consents } = world.sandboxOf('payments_a');
  const byAccount = new Map<string, string>();
  let paid = 0;
  const pay = (amount = 4_990, account = stripeAccount, isGuest = false): StripeCharge => {
    paid += 1;
    const currency = account === stripeAccount ? 'usd' : 'jpy';
    return book.pay({
      amount: amount + paid,
      currency,
      account,
      customer: isGuest ? null : customerOf('stripe', paid),
    });
  };
  const digits = (currency: string) => (['clp', 'jpy'].includes(currency) ? 0 : 2);
  const major = (units: number, currency: string) => units / 10 ** digits(currency);
  const ownerOf = (charge: StripeCharge) => (charge.currency === 'jpy' ? secondStripeAccount : stripeAccount);
  const outcomes = (): BookedOutcome[] => {
    const { charges, reversals } = book.money();
    const back = new Map<string, number>();
    for (const { charge, amount, isUndone } of reversals.values())
      if (!isUndone) back.set(charge, (back.get(charge) ?? 0) + amount);
    return book.state.charges.flatMap((charge) => {
      const connectionId = byAccount.get(ownerOf(charge));
      if (!charges.has(charge.id) || connectionId === undefined) return [];
      const { id, currency, created } = charge;
      return [
        {
          externalId: id,
          type: 'payment_received',
          at: created * 1000,
          amount: fromMinorUnits(BigInt(charge.amount_captured), currency.toUpperCase()),
          currency: currency.toUpperCase(),
          reversed: major(back.get(id) ?? 0, currency),
          connectionId,
        },
      ];
    });
  };
  const connect = async (account: string) => {
    const id = await shop.consent('payments_a', account);
    if (byAccount.get(account) === undefined) connections.push(id);
    byAccount.set(account, id);
  };
  const webhook = (type: string) => shop.deliver('payments_a', book.webhook({ type }), byAccount.get(stripeAccount));
  const api = {
    // Faults exclude token requests: as at Stripe, a token pair is lost with its response, and needs a new consent.
    path: /^\/stripe\/v1\/(?!oauth)/,
    throttle: json(429, { error: { type: 'rate_limit_error', message: 'Too many requests' } }, { 'retry-after': '90' }),
  };
  return {
    name: 'Stripe',
    channel: 'payments_a',
    ...factsOfSeller(world, seller, outcomes),
    events: {
      consent: () => connect(stripeAccount),
      'first sync': () => clicks.advertise(),
      attribution: async () => {
        for (let n = 0; n < 3; n += 1) {
          const charge = pay();
          await clicks.click(charge.customer?.email ?? '');
          clicked.add(charge.id);
        }
      },
      'new records': () => {
        pay();
        pay(12_345, stripeAccount, true);
        if (byAccount.has(secondStripeAccount)) pay(9_800, secondStripeAccount);
      },
      // An authorisation becomes a payment when it is captured.
      changed: () => {
        const charge = book.pay({ amount: 7_000 + paid, currency: 'usd', isCaptured: false });
        book.capture(charge);
      },
      'partial refund': () => void book.refund(pay(), 1_234),
      'full refund': () => {
        const charge = pay();
        book.refund(charge, charge.amount);
        const twice = pay();
        book.refund(twice, 1_000);
        book.refund(twice, twice.amount - 1_000);
      },
      'dispute lost': () => book.settle(book.dispute(pay()), 'lost'),
      'dispute won': () => book.settle(book.dispute(pay()), 'won'),
      'refund then dispute': () => {
        for (const ending of ['won', 'lost']) {
          const charge = pay();
          book.refund(charge, 1_500);
          book.settle(book.dispute(charge, charge.amount - 1_500), ending);
        }
      },
      'refund failed': () => book.settle(book.refund(pay(), 2_000), 'failed'),
      'revoked, reconnected': () =>
        revoked(
          shop,
          { accounts: byAccount, revoke: (account) => consents.revokeAll('stripe', account), connect },
          pay,
        ),
      outage: () => outage(world, 'payments_a', api, () => void book.refund(pay(), 700)),
      throttled: () => throttled(world, 'payments_a', api, () => void pay()),
      'page cut off': () => cutOff(world, 'payments_a', api, () => void pay()),
      'token expired': () => void pay(),
      'second account': async () => {
        pay(8_000, secondStripeAccount);
        if (!byAccount.has(secondStripeAccount)) await connect(secondStripeAccount);
      },
      'lost webhook': () => void book.refund(pay(), 300),
      'webhook twice, out of order': async () => {
        const charge = pay();
        book.refund(charge, 400);
        for (const type of ['charge.refunded', 'charge.succeeded', 'charge.refunded', 'charge.succeeded'])
          await webhook(type);
      },
      'a month passes': () => void pay(),
    },
  };
}
