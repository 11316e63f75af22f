import { expect, test } from 'vitest';
import { nearestWord } from './nearest-word.ts';

const words = ['model', 'level', 'limit', 'date_from', 'date_to', 'campaign_id'];

test.each([
  ['modle', 'model'],
  ['LIMIT', 'limit'],
  ['datefrom', 'date_from'],
  ['campaing_id', 'campaign_id'],
  ['dateto', 'date_to'],
  ['colour', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s suggests %s', (typed, meant) => {
  expect(nearestWord(typed, words)).toBe(meant);
});
