/** What became of telling an ad platform of an outcome. `withheld`: it was not to be told. `unknown`: it may have it, and nobody can say. */
export const exportEventStatuses = ['waiting', 'processing', 'sent', 'refused', 'withheld', 'unknown'] as const;
export type ExportEventStatus = (typeof exportEventStatuses)[number];

export const exportRunStatuses = ['running', 'completed', 'failed'] as const;
export type ExportRunStatus = (typeof exportRunStatuses)[number];

/** Which dataset the exports of a platform_safe profile go to. */
export const exportDatasets = ['clean', 'existing'] as const;

/** How a profile comes to its clean dataset: exports go there, or its ads are made anew on it as well. */
export const datasetSwitchModes = ['switch', 'duplicate_and_swap'] as const;
