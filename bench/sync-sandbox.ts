import { startSandbox } from '@tributary/sandbox';

/** Runs the sandbox in a separate process, with this number of payments at one provider. */
const [payments = '0'] = process.argv.slice(2);
const sandbox = await startSandbox({ seed: 7, market: { people: 10, days: 2 } });
for (let n = 0; n < Number(payments); n += 1) sandbox.book.stripe.pay({ amount: 100 + n, currency: 'usd' });
process.send?.({ url: sandbox.url, settings: sandbox.settings });
