import { attributionModels, channels, handoffReasons, limits } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import * as vocabulary from './vocabulary.ts';
import {
  AttributionModel,
  AttributionModelParameter,
  Channel,
  ConversionKey,
  ConversionType,
  HandoffProvider,
  HandoffReason,
  PrivacyMode,
  ScoreWindowParameter,
} from './vocabulary.ts';

const models = ['last_touch', 'first_touch', 'linear', 'time_decay', 'last_non_direct', 'position_based'];

describe('attribution models', () => {
  test('[conv-019] accepts the five named models and one further multi-credit model, and no others', () => {
    expect([...AttributionModel.options].sort()).toEqual([...models].sort());
    for (const model of models) expect(AttributionModel.parse(model)).toBe(model);
    for (const wrong of ['', 'LAST_TOUCH', 'last-touch', 'data_driven', null]) {
      expect(AttributionModel.safeParse(wrong).success).toBe(false);
    }
    expect(attributionModels.position_based.credit).toBe('multiple');
  });

  test('[conv-020] the default model is last_touch', () => {
    expect(AttributionModelParameter.parse(undefined)).toBe('last_touch');
    expect(AttributionModelParameter.parse('linear')).toBe('linear');
  });

  test('three models give all credit to one touch', () => {
    expect(AttributionModel.options.filter((model) => attributionModels[model].credit === 'single').sort()).toEqual([
      'first_touch',
      'last_non_direct',
      'last_touch',
    ]);
  });
});

test('[conv-021] privacy_mode accepts exactly three values', () => {
  expect(PrivacyMode.options).toEqual(['standard', 'platform_safe', 'hipaa']);
  for (const wrong of ['Standard', 'HIPAA', 'none', '', null, undefined]) {
    expect(PrivacyMode.safeParse(wrong).success).toBe(false);
  }
});

// Copied here, so that a wire name cannot change without this line changing too.
test.each<[string, z.ZodEnum, string[]]>([
  ['levels', vocabulary.EntityLevel, ['campaign', 'ad_set', 'ad']],
  ['devices', vocabulary.Device, ['desktop', 'mobile', 'tablet', 'unknown']],
  ['revenue types', vocabulary.RevenueType, ['cash', 'pipeline', 'gross']],
  ['erasure statuses', vocabulary.ErasureStatus, ['queued', 'done']],
  ['erasure reasons', vocabulary.ErasureReason, ['data_subject_request', 'account_closed', 'other']],
  ['hand-off statuses', vocabulary.HandoffStatus, ['pending', 'completed', 'failed', 'cancelled']],
  ['bounce statuses', vocabulary.BounceStatus, ['success', 'pending_selection', 'failed', 'cancelled']],
  ['score windows', vocabulary.ScoreWindow, ['7d', '14d', '28d', 'lifetime']],
  ['objectives', vocabulary.Objective, ['messaging', 'sales', 'leads', 'traffic', 'awareness']],
  ['truth grades', vocabulary.TruthGrade, ['predicted', 'attributed', 'lift']],
  ['outcome kinds', vocabulary.OutcomeKind, ['cash', 'pipeline', 'messaging', 'meta', 'none']],
  ['maturity stages', vocabulary.MaturityStage, ['cold', 'early', 'mature', 'calibrated']],
  ['payment filters', vocabulary.PaymentFilter, ['all', 'unidentified']],
  [
    'identifier types',
    vocabulary.IdentifierType,
    ['external_customer_id', 'crm_contact_id', 'store_customer_id', 'payments_customer_id', 'national_id'],
  ],
  [
    'action sources',
    vocabulary.ActionSource,
    [
      'website',
      'business_messaging',
      'physical_store',
      'system_generated',
      'app',
      'phone_call',
      'chat',
      'email',
      'other',
    ],
  ],
  [
    'hand-off providers',
    HandoffProvider,
    ['social_ads', 'search_ads', 'search_console', 'crm_a', 'payments_a', 'payments_b'],
  ],
])('%s match the specification', (_, schema, expected) => {
  expect(schema.options).toEqual(expected);
});

test('hand-off providers are exactly the channels that connect by hand-off', () => {
  expect(HandoffProvider.options).toEqual(Channel.options.filter((channel) => channels[channel].connect === 'handoff'));
});

test('of the 14 hand-off reasons only user_cancelled is a cancellation', () => {
  expect(HandoffReason.options).toHaveLength(14);
  expect(HandoffReason.options.filter((reason) => handoffReasons[reason].status === 'cancelled')).toEqual([
    'user_cancelled',
  ]);
});

test('our conversion types are valid keys of a definition', () => {
  for (const type of ConversionType.options) expect(ConversionKey.parse(type)).toBe(type);
  for (const wrong of ['', 'Lead', '1st_visit', 'a b', 'a'.repeat(65)]) {
    expect(ConversionKey.safeParse(wrong).success).toBe(false);
  }
});

test('the default score window is 28 days', () => {
  expect(ScoreWindowParameter.parse(undefined)).toBe('28d');
});

test('defaults are within their limits', () => {
  const ranges = [
    limits.customerList.pageSize,
    limits.journey.pageSize,
    limits.customerSearch.pageSize,
    limits.linkTokens.lifetimeDays,
    limits.campaigns.pageSize,
    limits.topPerformers.pageSize,
    limits.campaignConversions.pageSize,
    limits.outcomeReplay.pageSize,
    limits.lookback.days,
  ];
  for (const { min, default: usual, max } of ranges) expect(min <= usual && usual <= max).toBe(true);
});
