export { exports } from './exports.queue.ts';
export { listExports } from './list-exports.ts';
export { previewExports } from './preview-exports.ts';
export { readExportCatalog } from './read-export-catalog.ts';
export type { ExportServices } from './services.ts';
export { reopenEvents as reopenExports } from './store.ts';
export { updateExportCatalog } from './update-export-catalog.ts';
export { updateExportDataset } from './update-export-dataset.ts';
