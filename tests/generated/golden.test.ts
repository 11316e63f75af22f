import { join } from 'node:path';
import { type Route, routes } from '@tributary/contract';
import { openApi, openTestkit, openWarehouse, type TestApi, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordChapter } from './golden.ts';

let kit: Testkit;
let api: TestApi;
let warehouse: Awaited<ReturnType<typeof openWarehouse>>;
beforeAll(async () => {
  kit = await openTestkit();
  warehouse = await openWarehouse(kit);
  api = await openApi(kit);
});
afterAll(async () => {
  await api.close();
  await warehouse.drop();
  await kit.close();
});

const chapters = Map.groupBy(Object.values<Route>(routes), ({ chapter }) => chapter);
const fileOf = (chapter: string) => `${chapter.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.txt`;

/** `npm run golden` rewrites the files, so that a changed response is visible in the review. */
test.each([...chapters])(
  'the responses of %s equal the recorded ones',
  { timeout: 120_000 },
  async (chapter, operations) => {
    const recorded = await recordChapter(kit, api, operations);
    await expect(recorded).toMatchFileSnapshot(join(import.meta.dirname, 'golden', fileOf(chapter)));
  },
);
