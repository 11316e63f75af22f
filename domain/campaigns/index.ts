export { findLineages, type Lineage } from './lineage.ts';
