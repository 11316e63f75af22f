export { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';
export { UseNotes } from './use-notes.ts';
