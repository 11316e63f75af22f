export { findDuplicatesFound, listDuplicatesFound } from './duplicates-found.ts';
