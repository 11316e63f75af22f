import { limits } from '@tributary/vocabulary';
import { beforeEach, describe, expect, test } from 'vitest';
import { consentInForce, requireConsent } from './consent.ts';
import { openExports } from './exports.fixture.ts';

const { kit, platform, shop: open } = await openExports();
const hour = 3_600_000;

beforeEach(() => {
  platform.receivedEvents.length = 0;
  platform.calls.length = 0;
  platform.liveAdSets = [];
});

describe('POST /conversion-sync/platform-safe/target', () => {
  const scopes = ['exports:read', 'exports:write', 'attribution:write'] as const;
  const post = (shop: Awaited<ReturnType<typeof open>>, body: object) =>
    shop.answerOf('POST', '/conversion-sync/platform-safe/target', body);

  test('returns 409 unless the profile is platform_safe [err-075]', async () => {
    expect(await post(await open(), { dataset: '3003' })).toMatchObject({
      status: 409,
      error: { code: 'platform_safe_required' },
    });
  });

  test('switches to the clean dataset, and back only if no ad set delivers on it or the caller confirms [auth-039][err-086][err-087]', async () => {
    const shop = await open({ privacyMode: 'platform_safe', scopes });
    expect(await post(shop, {})).toMatchObject({ status: 422, error: { field: 'dataset' } });
    expect(await post(shop, { dataset: '3003' })).toMatchObject({
      status: 200,
      data: { outcome: 'applied', export: { target: 'clean', clean_dataset: '3003' } },
    });
    expect(await post(shop, { dataset: '3003' })).toMatchObject({ data: { outcome: 'no_change' } });
    await shop.pay('clean-1', { click_ids: { fbclid: 'AbC' } });
    await shop.run();
    expect(platform.receivedEvents).toMatchObject([{ dataset: '3003' }]);

    platform.liveAdSets = [{ id: '1', effective_status: 'ACTIVE', promoted_object: { pixel_id: '3003' } }];
    expect(await post(shop, { target: 'existing' })).toMatchObject({
      status: 409,
      error: { code: 'clean_dataset_has_live_ad_sets' },
    });
    expect(await post(shop, { target: 'existing', confirm_live_ad_sets: true })).toMatchObject({
      status: 200,
      data: { live_ad_sets: 1, export: { target: 'existing' } },
    });
    platform.liveAdSets = [{ id: '1', effective_status: 'PAUSED', promoted_object: { pixel_id: '3003' } }];
    await post(shop, { target: 'clean' });
    expect(await post(shop, { target: 'existing' })).toMatchObject({ status: 200, data: { live_ad_sets: 0 } });
  });

  test('returns 501 before asking for consent where the platform cannot duplicate ads', async () => {
    const shop = await open({ privacyMode: 'platform_safe', scopes });
    const { version, text_hashes } = consentInForce;
    const given = {
      version,
      text_hash: text_hashes.en,
      accepted_by: 'Ana',
      accepted_at: kit.clock.now().toISOString(),
    };
    for (const consent of [undefined, given])
      expect(
        await post(shop, { dataset: '3003', mode: 'duplicate_and_swap', ...(consent && { consent }) }),
      ).toMatchObject({ status: 501, error: { code: 'not_implemented' } });
    expect(platform.calls).toEqual([]);
  });

  test('accepts consent to the current text that is at most 24 hours old', () => {
    const now = kit.clock.now();
    const { version, text_hashes } = consentInForce;
    const at = (hours: number) => new Date(now.getTime() - hours * hour).toISOString();
    const accepted_at = at(limits.consent.maxAgeHours);
    const given = { version, text_hash: text_hashes.en ?? '', accepted_by: 'Ana', accepted_at };
    expect(() => requireConsent(given, now)).not.toThrow();
    for (const consent of [
      undefined,
      { ...given, version: '0' },
      { ...given, text_hash: 'x' },
      { ...given, accepted_at: at(limits.consent.maxAgeHours + 0.01) },
    ])
      expect(() => requireConsent(consent, now)).toThrow(
        expect.objectContaining({ code: 'consent_required', fields: { consent: consentInForce } }),
      );
  });
});
