export { listDefinitionKeys, loadDefinitions, readDefinitions, stampAttributed } from './definitions.ts';
