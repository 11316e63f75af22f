import { words } from '../format.ts';
import type { ApiKey } from './queries.ts';

/** The name of a member; apps and the operator have none. */
export const creatorOf = (by: ApiKey['created_by']): string => (by ? (by.name ?? words(by.kind)) : '–');
