import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { type ErrorTable, reason, reconnect } from './entry.ts';

/** Connected providers, and the ads that are changed through them. */
export const connectionErrors = {
  connection_not_ready: {
    status: 409,
    title: 'Connection cannot be used',
    meaning: 'There is a connection, but it cannot do the job, for instance because it holds no token any more.',
    whatToDo: 'Have a person connect again, at `reconnect_url` when it is given, else through a new hand-off.',
    retry: 'after_change',
    fields: reconnect,
  },
  provider_error: {
    status: 502,
    // 422: the provider rejected the request as understood. Only e-mail sends would return it, and no route sends e-mail yet.
    alternateStatuses: [503, 422],
    title: 'The provider failed',
    meaning:
      'The outside provider gave an error or no answer. With 502 or 503 it may pass; with 422 the provider has made up its mind about this request.',
    whatToDo:
      'On 502 or 503, try again with growing pauses. On 422, read provider_message and change the request; the same one will be refused again.',
    retry: 'with_backoff',
    fields: {
      ...reason,
      ...reconnect,
      provider_code: z.string().optional().describe("The provider's own error code."),
      provider_message: z.string().optional().describe("The provider's own words."),
    },
  },
  account_connected_elsewhere: {
    status: 409,
    title: 'Account in use by a sister profile',
    meaning: 'Another profile of the same workspace is connected to this account. Nothing was stored.',
    whatToDo:
      'Disconnect the account there first, or choose another one; the choice stays open for the hour it was given.',
    retry: 'after_change',
  },
  meta_connection_required: {
    status: 409,
    title: 'No ad account connected',
    meaning: 'This needs an ad-platform connection that works, and the profile has none.',
    whatToDo: 'Connect the ad account: mint a hand-off with POST /api/v1/connections/social_ads/handoff.',
    retry: 'after_change',
    fields: reconnect,
  },
  meta_write_permission_missing: {
    status: 403,
    title: 'Ads may be read, not changed',
    meaning: 'When the ad account was connected, permission to manage ads was not given. Nothing was changed.',
    whatToDo: 'Have the advertiser connect the account again and leave the ad-management permission ticked.',
    retry: 'after_change',
  },
  campaign_not_found: {
    status: 404,
    title: 'No such campaign',
    meaning:
      "No campaign of this profile has that id on its ad platform. An id of the wrong form and another profile's id are answered alike.",
    whatToDo: "Use the platform's campaign id, which GET /api/v1/campaigns gives as external_id.",
    retry: 'after_change',
  },
  campaign_not_pausable: {
    status: 409,
    title: 'Campaign is past pausing',
    meaning: 'The campaign was archived or deleted, so there is nothing left to pause. The attempt is in the ledger.',
    whatToDo: 'Leave it: it is not running. GET /api/v1/campaigns/{id}/status says what is possible before you ask.',
    retry: 'never',
  },
  campaign_not_resumable: {
    status: 409,
    title: 'Campaign is past resuming',
    meaning:
      'The campaign was archived or deleted, and cannot be brought back from here. The attempt is in the ledger.',
    whatToDo:
      'Start a new campaign on the ad platform. (Resuming one that already runs is no error: it answers no_change.)',
    retry: 'never',
  },
  adset_not_editable: {
    status: 409,
    title: 'Ad set is past editing',
    meaning: 'The ad set, or the campaign around it, was archived or deleted. Its budget is as it was.',
    whatToDo: 'Choose an ad set that is still in use.',
    retry: 'never',
  },
  budget_change_out_of_bounds: {
    status: 422,
    title: 'Budget step too large',
    meaning: `One call moves a daily budget by at most half of what it is now, and never under ${limits.budgetStep.floorMinorUnits} minor units. (A higher minimum of the platform shows up as validation_error.)`,
    whatToDo: 'Read the live budget, go in smaller steps, and let each take effect before the next.',
    retry: 'after_change',
  },
  platform_safe_required: {
    status: 409,
    title: 'Profile is not platform-safe',
    meaning: 'This only makes sense for a profile whose privacy mode is platform_safe.',
    whatToDo:
      'Set the mode with PUT /api/v1/conversion-sync/catalog and {"privacy_mode": "platform_safe"}, then repeat the request.',
    retry: 'after_change',
  },
  clean_dataset_has_live_ad_sets: {
    status: 409,
    title: 'Ad sets still learn from the clean dataset',
    meaning:
      'Some running ad sets are fed by the clean dataset. Going back to the old one would cut them off from conversions.',
    whatToDo:
      'Pause or move those ad sets. If you accept the loss, repeat the request with "confirm_live_ad_sets": true.',
    retry: 'after_change',
  },
  consent_required: {
    status: 409,
    title: 'Consent missing or out of date',
    meaning: `Ads are duplicated and swapped for someone only if they agreed to the present text in the last ${limits.consent.maxAgeHours} hours. Nothing left for the ad platform.`,
    whatToDo:
      'Show the text named in `consent`, and send `consent` with version, text_hash, accepted_by and accepted_at once a person agrees.',
    retry: 'after_change',
    fields: {
      consent: z
        .strictObject({ version: z.string().min(1), text_hashes: z.record(z.string(), z.string()) })
        .optional()
        .describe('The text in force, and the hash of each of its translations by language.'),
    },
  },
} as const satisfies ErrorTable;
