export { createAdReferrals } from './create-ad-referrals.ts';
export { createDeclaredSource } from './create-declared-source.ts';
export { previewAdReferrals } from './preview-ad-referrals.ts';
export type { PartnerServices } from './services.ts';
