export { eraseJourneys } from './store.ts';
