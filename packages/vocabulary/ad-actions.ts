/** What can be asked of an ad platform. */
export const adActionKinds = ['pause', 'resume', 'budget', 'url_tags', 'url_tags_undo'] as const;
export type AdActionKind = (typeof adActionKinds)[number];

/** How an action stands. Before an end it is `reading` what is live, or `sent` and perhaps already done. */
export const adActionStates = ['reading', 'sent', 'applied', 'no_change', 'refused', 'failed', 'unknown'] as const;
export type AdActionState = (typeof adActionStates)[number];

/** What an entry of the ledger tells. */
export const adActionStages = ['attempted', 'applied', 'no_change', 'refused', 'failed', 'unknown'] as const;
export type AdActionStage = (typeof adActionStages)[number];

/** What becomes of each ad that URL tags are to be written onto. */
export const urlTagResults = ['applied', 'skipped', 'refused'] as const;
export type UrlTagResult = (typeof urlTagResults)[number];
