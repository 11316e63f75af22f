export { listDefinitionKeys, loadDefinitions, readDefinitions, stampAttributed } from './definitions.ts';
export { applyStageSuggestions, type FoundStage, keepStages, readStages, type StageDefinition } from './stages.ts';
