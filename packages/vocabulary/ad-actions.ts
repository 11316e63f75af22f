/** Actions that can be requested of an ad platform. */
export const adActionKinds = ['pause', 'resume', 'budget', 'url_tags', 'url_tags_undo'] as const;
export type AdActionKind = (typeof adActionKinds)[number];

/** The state of an action. Before it ends it is `reading` the live state, or `sent` and perhaps already applied. */
export const adActionStates = ['reading', 'sent', 'applied', 'no_change', 'refused', 'failed', 'unknown'] as const;
export type AdActionState = (typeof adActionStates)[number];

/** The stages of an action that the ledger records. */
export const adActionStages = ['attempted', 'applied', 'no_change', 'refused', 'failed', 'unknown'] as const;
export type AdActionStage = (typeof adActionStages)[number];

/** The result for each ad that URL tags are written to. */
export const urlTagResults = ['applied', 'skipped', 'refused'] as const;
export type UrlTagResult = (typeof urlTagResults)[number];
