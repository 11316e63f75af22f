export { findFindings } from './store.ts';
