import type { Provider } from '../provider.ts';
import { createApi, type HighlevelSettings } from './api.ts';
import { createConnect } from './connect.ts';
import { HighlevelCredentials } from './credentials.ts';
import { createReceive } from './receive.ts';
import { createStages, createSync, type HighlevelPosition } from './sync.ts';

export type { HighlevelSettings } from './api.ts';
export type { HighlevelCredentials } from './credentials.ts';

export function createHighlevel(settings: HighlevelSettings): Provider<HighlevelCredentials, HighlevelPosition> {
  const api = createApi(settings);
  return {
    facts: { channel: 'crm_a', name: 'HighLevel', assumesCurrency: true },
    credentials: HighlevelCredentials,
    connect: createConnect(settings, api),
    sync: createSync(api),
    stages: createStages(api),
    ...(settings.webhookPublicKey !== undefined && { receive: createReceive(settings.webhookPublicKey) }),
  };
}
