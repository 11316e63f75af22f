import { createClient } from '@tributary/sdk';
import { buildApiKey } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { openInstallation } from './installation.ts';

/** Charges that the shop's server has not recorded. */
export const unmatchedCount = 4;

/** A shop whose server has recorded nearly all of its Stripe charges, and that has not connected Stripe yet. */
export async function openStripeShop() {
  const installation = await openInstallation();
  const { state } = installation.sandbox.book.stripe;
  // Selects charges on the dates that Overview shows. Other currencies would wait for rates, and refunds would hide how matching affects revenue.
  const [from, until] = [28, 1].map((days) => (Date.now() - days * dayMs) / 1_000) as [number, number];
  const charges = state.charges
    .filter(({ captured, created }) => captured && created > from && created < until)
    .map((charge) => ({ ...charge, currency: 'usd', amount_refunded: 0 }));
  state.charges.splice(0, state.charges.length, ...charges);
  state.refunds.length = 0;
  state.disputes.length = 0;

  const workspace = await installation.openWorkspace();
  const key = await buildApiKey(installation.kit.app, workspace.profileId, { scopes: ['attribution:write'] });
  const server = createClient({ baseUrl: installation.baseUrl, apiKey: key.secret });
  const recorded = charges.filter((_, index) => index % Math.ceil(charges.length / unmatchedCount) !== 0);
  for (const charge of recorded)
    await server.createEvent({
      body: {
        event_name: 'payment_received',
        idempotency_key: `order-${charge.id}`,
        occurred_at: new Date(charge.created * 1_000).toISOString(),
        properties: { value: charge.amount / 100, currency: 'USD' },
        user_traits: { email: charge.customer?.email },
      },
    });
  const cents = (of: typeof charges) => of.reduce((sum, { amount }) => sum + amount, 0);
  return {
    ...installation,
    ...workspace,
    charges: charges.length,
    recorded: recorded.length,
    /** In cents: the total that the server recorded, and the total of all charges. */
    revenue: { server: cents(recorded), all: cents(charges) },
  };
}

export type StripeShop = Awaited<ReturnType<typeof openStripeShop>>;
