import { attributionModelNames, attributionModels, nilUuid } from '@tributary/vocabulary';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assemble, defaultSources, type QuerySources } from './assemble.ts';
import { lookUp, raw } from './queries.ts';
import { createScratch, type Scratch } from './scratch.ts';

const parts: Readonly<Record<string, string>> = {
  shares_linear: 'even',
  shares_time_decay: '{{part inner}}',
  inner: 'aged',
  of_single: 'one {{part shares by model}}',
  of_multiple: 'many {{part shares by model}}',
};
const testSources: QuerySources = { findPart: (name) => parts[name], models: attributionModels };
const assembleTest = (text: string, parameters = {}) => assemble(text, parameters, testSources);

describe('assemble', () => {
  test.each([
    ['{{part shares_linear}} and {{part inner}}', {}, 'even and aged'],
    ['{{part shares by model}}', { model: 'time_decay' }, 'aged'],
    ['{{part of by credit of model}}', { model: 'linear' }, 'many even'],
    ['{{map shares}}', {}, "map('linear', even, 'time_decay', aged)"],
    ['{{map place}}', {}, 'map()'],
    ["SELECT {profile_id:UUID}, {at:DateTime64(3, 'UTC')}", {}, "SELECT {profile_id:UUID}, {at:DateTime64(3, 'UTC')}"],
  ])('%s with %o', (text, parameters, written) => {
    expect(assembleTest(text, parameters)).toBe(written);
  });

  test.each([
    ['{{part nothing}}', {}],
    ['{{part shares by model}}', { model: 'position_based' }],
    ['{{part shares by model}}', {}],
    ['{{part shares by model}}', { model: "linear'" }],
    ['{{part of by credit of model}}', { model: 'toString' }],
    ['{{part of by credit of model}}', { model: 'seventh' }],
  ])('%s with %o throws', (text, parameters) => {
    expect(() => assembleTest(text, parameters)).toThrow();
  });
});

test('assembles every report for every attribution model, and throws for an unknown model', () => {
  const reports = ['report_list_entities', 'report_list_credits', 'conversion_list_paths', 'ad_list_figures'] as const;
  for (const report of reports) {
    const assembleTest = (words: object) =>
      lookUp(report, { level: 'ad', scope: 'all', moment: 'now', owners: 'entities', ...words }).text;
    for (const model of attributionModelNames)
      for (const moment of ['now', 'then'])
        for (const level of ['ad', 'ad_set', 'campaign'])
          for (const scope of ['all', 'parent', 'account', 'account_parent'])
            for (const owners of ['entities', 'platforms', 'unassigned', 'channels', 'accounts'])
              expect(assembleTest({ model, moment, level, scope, owners })).not.toContain('{{');
    expect(() => assembleTest({ model: 'data_driven' })).toThrow('data_driven');
  }
});

describe('a model added after the first six', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await createScratch();
  });
  afterAll(() => scratch.drop());

  /** Gives all credit to the second touch of the path; one part computes it and another reads it. */
  const toy: QuerySources = {
    models: { ...attributionModels, second_touch: { credit: 'multiple' } },
    findPart: (name) => {
      if (name === 'further_second_touch') return 'arrayMap(at -> if(at = least(n, 2), toInt64(value), 0), places)';
      return name === 'shares_second_touch' ? "further_shares['second_touch']" : defaultSources.findPart(name);
    },
  };
  const profile_id = '00000000-0000-4000-8000-00000000000a';
  const batch = { profile_id, batch_id: '00000000-0000-4000-8000-00000000000b' };
  const moment = (day: number) => `2026-03-0${day} 12:00:00.000`;
  const conversion = { conversion_id: '00000000-0000-4000-8000-00000000000c', conversion_time: moment(9) };

  const attribute = (sources: QuerySources, version: string, model_versions: Readonly<Record<string, number>>) =>
    scratch.client.command(raw(lookUp('attribution_attribute', {}, sources).text), {
      ...{
        batch_id: batch.batch_id,
        target: 'attributed_conversions',
        version,
        model_versions,
        applied_at: new Date(0),
      },
      ...{ first_bucket: 0, last_bucket: 65_535 },
      ...{
        hour_weights: Array(168).fill(1),
        minute_weights: Array(60).fill(64),
        devices: ['desktop'],
        path_touches: 200,
        same_click_ms: 1_800_000,
        declared_medium: 'declared',
      },
    });
  const creditsUnder = async (model: string): Promise<unknown> => {
    const parameters = {
      profile_id,
      model,
      moment: 'now',
      times: [conversion.conversion_time],
      ids: [conversion.conversion_id],
    };
    const text = lookUp('conversion_list_paths', parameters, toy).text;
    const [row] = await scratch.client.query(raw<{ credits: string[] }>(text), parameters);
    return row?.credits;
  };
  const readRow = async () =>
    (
      await scratch.client.query(
        raw<{ linear: string[]; content_hash: string; further_model_versions: Record<string, number> }>(
          'SELECT linear, content_hash, further_model_versions FROM attributed_conversions FINAL',
        ),
        {},
      )
    )[0];

  test("needs only its parts, no new column, and leaves the other models' results unchanged", async () => {
    const insert = (table: 'touches' | 'attribution_links' | 'attribution_conversions', rows: readonly object[]) =>
      scratch.client.insertLines(table, rows.map((row) => JSON.stringify(row)).join('\n'));
    const visitor_id = profile_id;
    await insert(
      'touches',
      [1, 2, 3].map((day) => ({
        ...{ profile_id, visitor_id, occurred_at: moment(day), session_id: nilUuid },
        ...{ touch_id: `00000000-0000-4000-8000-00000000000${day}`, channel: 'email' },
      })),
    );
    await insert('attribution_links', [{ ...batch, visitor_id, person_id: visitor_id }]);
    const staged = { person_id: visitor_id, is_eligible: true, lookback_days: 30, value: '100', has_value: true };
    await insert('attribution_conversions', [{ ...batch, ...conversion, ...staged }]);

    await attribute(defaultSources, '1', {});
    const before = await readRow();
    await expect(creditsUnder('second_touch')).rejects.toThrow('Not every conversion has been worked out');
    await attribute(toy, '2', { second_touch: 4 });
    expect(await creditsUnder('second_touch')).toEqual(['0', '100', '0']);
    const after = await readRow();
    expect(after?.further_model_versions).toEqual({ second_touch: 4 });
    expect(after?.linear).toEqual(before?.linear);
    // A changed result of the added model changes the hash, so a replay rewrites the row only then.
    expect(after?.content_hash).not.toBe(before?.content_hash);
    await attribute(toy, '3', { second_touch: 5 });
    expect((await readRow())?.content_hash).not.toBe(after?.content_hash);
    await attribute(defaultSources, '4', {});
    expect((await readRow())?.content_hash).toBe(before?.content_hash);
  });
});
