import { routes } from '@tributary/contract';
import { operationsOf, passingCodes } from './operation.ts';

/** The build replaces this file by the values it has, so that the published package holds neither the contract nor zod. */
export const operations = operationsOf(routes);
export const passing = passingCodes();
