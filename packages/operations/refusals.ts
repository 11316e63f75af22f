/** The exports for processes that only refuse and rate-limit, such as the collector: the rest of the pipeline is not loaded. */
export { rateHeaders, tooMany } from './allowance.ts';
export { Refusal } from './refusal.ts';
export { renderError } from './respond.ts';
