export { type SaleQueueOptions, sales } from './sales.queue.ts';
