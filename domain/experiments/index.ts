export { listValidTests, type Tested } from './store.ts';
