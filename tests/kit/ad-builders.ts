import { entityIdOf } from '@tributary/rules';
import type { EntityLevel } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import type { Testkit } from './testkit.ts';

const longAgo = new Date('2026-01-01T00:00:00Z');

/** Inserts a campaign, ad set or ad of the profile, with our id and the platform's. */
export async function buildAdEntity(
  kit: Pick<Testkit, 'app'>,
  { id: profileId, mark }: { readonly id: string; readonly mark: string },
  level: EntityLevel,
) {
  const externalId = `${mark}-${uuid()}`;
  const id = entityIdOf(profileId, 'social_ads', level, externalId);
  const entity = { profile_id: profileId, id, platform: 'social_ads', level, external_id: externalId };
  await kit.app.forProfile(profileId).transaction((tx) =>
    tx
      .insertInto('ad_entities')
      .values({ ...entity, name: mark, first_seen: longAgo, last_seen: longAgo })
      .execute(),
  );
  return { id, externalId };
}
