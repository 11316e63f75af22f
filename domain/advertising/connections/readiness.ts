import type { ReadinessStep } from '@tributary/domain/tenancy/tenants';
import { channelNames, channels } from '@tributary/vocabulary';
import { sql } from 'kysely';

const adChannels = channelNames.filter((name) => channels[name].kind === 'ads');

export const adPlatformReadiness: ReadinessStep = {
  step: 'ad_platform_connected',
  isDone: (profileId) =>
    sql<boolean>`EXISTS (SELECT FROM connections WHERE profile_id = ${profileId} AND channel = ANY (${adChannels}::text[]) AND status = 'connected')`,
};
