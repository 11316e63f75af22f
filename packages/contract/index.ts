export * from './errors.ts';
export * from './events.ts';
export * from './primitives.ts';
export * from './scopes.ts';
export * from './vocabulary.ts';
