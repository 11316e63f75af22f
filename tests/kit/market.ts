/** Puts a simulated market into a test's stores, as the demo does. */
export { fillDelivery } from '@tributary/cli/demo/fill-delivery.ts';
export { fillFast } from '@tributary/cli/demo/fill-fast.ts';
