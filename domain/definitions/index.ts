export { findCashEvents, loadDefinitions } from './definitions.ts';
