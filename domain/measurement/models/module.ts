export { createModelFit } from './create-model-fit.ts';
export { fitModels } from './fit-models.job.ts';
export { listModelCampaigns } from './list-model-campaigns.ts';
export { readAdvice } from './read-advice.ts';
export { readModels } from './read-models.ts';
export { refitModels } from './refit-models.job.ts';
export { sayTactic } from './say-tactic.ts';
export type { ModelServices } from './services.ts';
