/** What the analysis of a creative can find. Closed lists, so that ads can be compared. */
export const hookTypes = [
  'question',
  'problem',
  'statistic',
  'testimonial',
  'offer',
  'demonstration',
  'story',
  'announcement',
  'curiosity',
  'other',
] as const;

export const callToActionTypes = [
  'buy',
  'learn_more',
  'sign_up',
  'message',
  'call',
  'book',
  'download',
  'visit',
  'none',
  'other',
] as const;

export const creativeAngles = [
  'price',
  'quality',
  'convenience',
  'social_proof',
  'urgency',
  'authority',
  'novelty',
  'identity',
  'fear',
  'education',
  'other',
] as const;

export const analysisStatuses = ['waiting', 'done', 'failed'] as const;
export type AnalysisStatus = (typeof analysisStatuses)[number];

/** Why an analysis failed. */
export const analysisFaults = ['model_unavailable', 'answer_unusable', 'creative_unknown'] as const;
export type AnalysisFault = (typeof analysisFaults)[number];
