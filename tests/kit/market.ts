/** Fills a test's stores with a simulated market, as the demo does. */
export { fillDelivery } from '@tributary/cli/demo/fill-delivery.ts';
export { fillFast } from '@tributary/cli/demo/fill-fast.ts';
