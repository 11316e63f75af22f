import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { ConnectionServices } from './services.ts';
import { readPages, toPagesResponse } from './tracked-pages.ts';

type Services = ConnectionServices & { readonly baseUrl: string };

export const listTrackedPages: Handles<Routes['listTrackedPages'], Services> = async ({ query }, context) => {
  const request = { named: query.connection_id, several: 'newest', field: 'invalid_parameter' } as const;
  return answer(200, { data: toPagesResponse(await readPages(context, request)) });
};
