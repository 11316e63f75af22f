import { json } from '@tributary/sandbox';
import { mercadoPagoUser, secondMercadoPagoUser } from '../../apps/sandbox/mercado-pago/index.ts';
import type { BookedOutcome } from './providers-facts.ts';
import { cutOff, outage, revoked, throttled } from './providers-faults.ts';
import type { Life } from './providers-life.ts';
import { customerOf, factsOfSeller, openSeller } from './providers-payments.ts';
import type { ProvidersWorld } from './providers-world.ts';

export async function openMercadoPago(world: ProvidersWorld): Promise<Life> {
  const seller = await openSeller(world);
  const { shop, clicks, connections, clicked } = seller;
  const book = world.sales.mercadoPago;
  const { consents } = world.sandboxOf('payments_b');
  type Payment = (typeof book.payments)[number];
  const byUser = new Map<string, string>();
  /** Amounts that a bank took and did not return, by payment. */
  const withheld = new Map<number, number>();
  let paid = 0;
  const pay = (user = mercadoPagoUser, isGuest = false): Payment => {
    paid += 1;
    const { id, email, firstName, lastName } = customerOf('mp', paid);
    const payer = { id, email, first_name: firstName, last_name: lastName };
    return book.pay({ amount: 250 + paid / 4, user, ...(!isGuest && { payer }) });
  };
  const leftOf = (payment: Payment) => payment.transaction_amount - payment.transaction_amount_refunded;
  const dispute = (payment: Payment, ending: 'lost' | 'won') => {
    book.change(payment, { status: 'charged_back', status_detail: ending === 'won' ? 'reimbursed' : 'settled' });
    if (ending === 'lost') withheld.set(payment.id, leftOf(payment));
  };
  const outcomes = (): BookedOutcome[] =>
    book.payments.flatMap((payment) => {
      const connectionId = byUser.get(String(payment.collector_id));
      if (connectionId === undefined || payment.date_approved === null) return [];
      const isFromMarket = payment.id < 70_000_000_000;
      const withheldInMarket = isFromMarket && payment.status === 'charged_back' ? payment.transaction_amount : 0;
      return [
        {
          externalId: String(payment.id),
          type: 'payment_received',
          at: payment.date_approved,
          amount: String(payment.transaction_amount),
          currency: payment.currency_id,
          reversed: payment.transaction_amount_refunded + (withheld.get(payment.id) ?? withheldInMarket),
          connectionId,
        },
      ];
    });
  const connect = async (user: string) => {
    const id = await shop.consent('payments_b', user);
    if (byUser.get(user) === undefined) connections.push(id);
    byUser.set(user, id);
  };
  const webhook = (payment: Payment) =>
    shop.deliver(
      'payments_b',
      book.webhook({ type: 'payment', action: 'payment.updated', dataId: String(payment.id) }),
      byUser.get(mercadoPagoUser),
    );
  const api = {
    // Faults exclude token requests: a token pair is lost with its response, and needs a new consent.
    path: '/mercado-pago/v1/',
    throttle: json(
      429,
      { message: 'too many requests', error: 'too_many_requests', status: 429 },
      { 'retry-after': '60' },
    ),
  };
  return {
    name: 'Mercado Pago',
    channel: 'payments_b',
    ...factsOfSeller(world, seller, outcomes),
    events: {
      consent: () => connect(mercadoPagoUser),
      'first sync': () => clicks.advertise(),
      attribution: async () => {
        for (let n = 0; n < 3; n += 1) {
          const payment = pay();
          await clicks.click(String(payment.payer.email));
          clicked.add(String(payment.id));
        }
      },
      'new records': () => {
        pay();
        pay(mercadoPagoUser, true);
        if (byUser.has(secondMercadoPagoUser)) pay(secondMercadoPagoUser);
      },
      // A pending payment is approved later.
      changed: () => {
        const waiting = book.payments.find(({ status }) => status === 'pending');
        if (waiting) Object.assign(waiting, { date_approved: world.now().toISOString() });
        if (waiting) book.change(waiting, { status: 'approved', status_detail: 'accredited' });
      },
      'partial refund': () => {
        for (const payment of [pay(), pay()]) book.refund(payment, 20.25);
      },
      'full refund': () => {
        const payment = pay();
        book.refund(payment, payment.transaction_amount);
        const twice = pay();
        book.refund(twice, 100);
        book.refund(twice, twice.transaction_amount - 100);
      },
      'dispute lost': () => dispute(pay(), 'lost'),
      'dispute won': () => {
        dispute(pay(), 'won');
        // A mediation holds the money until it ends in the seller's favour.
        const payment = pay();
        book.change(payment, { status: 'in_mediation', status_detail: 'pending' });
        return {
          end: () => {
            world.kit.clock.advance(600_000);
            book.change(payment, { status: 'approved', status_detail: 'accredited' });
          },
        };
      },
      'refund then dispute': () => {
        const [lost, won, mediated, repaid] = [pay(), pay(), pay(), pay()] as const;
        for (const payment of [lost, won, mediated]) book.refund(payment, 50);
        dispute(lost, 'lost');
        dispute(won, 'won');
        book.change(mediated, { status: 'in_mediation', status_detail: 'pending' });
        book.change(repaid, { status: 'in_mediation', status_detail: 'pending' });
        return {
          end: () => {
            world.kit.clock.advance(600_000);
            book.change(mediated, { status: 'approved', status_detail: 'partially_refunded' });
            // The seller loses the mediation: the buyer is refunded.
            book.refund(repaid, repaid.transaction_amount);
          },
        };
      },
      'revoked, reconnected': () =>
        revoked(shop, { accounts: byUser, revoke: (user) => consents.revokeAll('mercado-pago', user), connect }, () =>
          pay(),
        ),
      outage: () => outage(world, 'payments_b', api, () => book.refund(pay(), 7.5)),
      throttled: () => throttled(world, 'payments_b', api, () => void pay()),
      'page cut off': () => cutOff(world, 'payments_b', api, () => void pay()),
      'second account': async () => {
        pay(secondMercadoPagoUser);
        if (!byUser.has(secondMercadoPagoUser)) await connect(secondMercadoPagoUser);
      },
      'lost webhook': () => book.refund(pay(), 3.25),
      'webhook twice, out of order': async () => {
        const [one, other] = [pay(), pay()];
        book.refund(one, 4);
        for (const payment of [other, one, one, other]) await webhook(payment);
      },
      'a month passes': () => void pay(),
    },
  };
}
