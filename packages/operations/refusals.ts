/** The collector's door: how somebody is refused, and how often they may come. Of the rest of a call it loads nothing. */
export { rateHeaders, tooMany } from './allowance.ts';
export { Refusal } from './refusal.ts';
export { renderError } from './respond.ts';
