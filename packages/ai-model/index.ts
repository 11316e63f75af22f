export { configuredModel } from './configured.ts';
export { createLanguageModel, type LanguageModel } from './language-model.ts';
