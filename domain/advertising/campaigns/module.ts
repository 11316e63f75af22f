export { copyAllAgain } from './copy-all.ts';
export { copyDelivery } from './copy-delivery.ts';
export { delivery } from './delivery.queue.ts';
export { findAdPlatforms } from './find-entities.ts';
export { importSpend } from './import-spend.ts';
export { openSpendImporter } from './import-spend-file.ts';
