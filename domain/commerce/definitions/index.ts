export { listDefinitionKeys, loadDefinitions, readDefinitions, stampAttributed } from './definitions.ts';
export { applyStageSuggestions, type FoundStage, readStages, type StageDefinition, upsertStages } from './stages.ts';
