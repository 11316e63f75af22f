/**
 * The result of sending an outcome to an ad platform. `withheld`: it was not allowed to be sent. `unknown`: the
 * platform may have received it, and this cannot be determined.
 */
export const exportEventStatuses = ['waiting', 'processing', 'sent', 'refused', 'withheld', 'unknown'] as const;
export type ExportEventStatus = (typeof exportEventStatuses)[number];

export const exportRunStatuses = ['running', 'completed', 'failed'] as const;
export type ExportRunStatus = (typeof exportRunStatuses)[number];

/** The dataset that exports of a platform_safe profile are sent to. */
export const exportDatasets = ['clean', 'existing'] as const;

/** How a profile switches to its clean dataset: only exports are sent there, or its ads are also recreated on it. */
export const datasetSwitchModes = ['switch', 'duplicate_and_swap'] as const;
