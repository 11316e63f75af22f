export { findCashEvents, loadDefinitions, readDefinitions, stampAttributed } from './definitions.ts';
