import { expect, test } from 'vitest';
import { csvOf, fileNameOf } from './csv.ts';

test('quotes cells that need it and neutralizes cells that start like a formula', () => {
  const columns = ['name', 'spend'].map((id) => ({
    id,
    title: id,
    value: (row: Record<string, number | string | null>) => row[id] ?? null,
    cell: () => null,
  }));
  const rows = [
    { name: 'Winter, "outlet"', spend: -12.5 },
    { name: '=HYPERLINK("https://elsewhere.test")', spend: null },
    { name: '-12.50', spend: 0 },
  ];
  expect(csvOf(columns, rows)).toBe(
    '\uFEFFname,spend\r\n"Winter, ""outlet""",-12.5\r\n"\'=HYPERLINK(""https://elsewhere.test"")",\r\n-12.50,0\r\n',
  );
  expect(fileNameOf('Campañas: lo que costaron')).toBe('campanas-lo-que-costaron.csv');
  expect(fileNameOf('Ads, what they cost & earned')).toBe('ads-what-they-cost-earned.csv');
});
