import { routes } from '@tributary/contract';
import { getTransientCodes, toOperations } from './operation.ts';

/** The build replaces this file by its values, so that the published package contains neither the contract nor zod. */
export const operations = toOperations(routes);
export const transientCodes = getTransientCodes();
