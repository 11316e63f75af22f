export { copyDelivery } from './copy-delivery.ts';
export { importSpend } from './import-spend.ts';
export { type ImportedSpend, openSpendImporter, type SpendCells } from './import-spend-file.ts';
export { findLineages, type Lineage } from './lineage.ts';
export { startDeliveryCopy } from './start-delivery-copy.ts';
