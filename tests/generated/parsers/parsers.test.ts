import { openKit, openWarehouse } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';
import { parserTargets } from './index.ts';
import { tryParser } from './target.ts';
import { openParserWorld } from './world.ts';

const kit = await openKit();
const warehouse = await openWarehouse(kit);
const world = await openParserWorld(kit, warehouse.client);
afterAll(async () => {
  await world.close();
  await warehouse.drop();
});

const seed = Number(process.env.FAST_CHECK_SEED ?? 20_260_615);
/** For a long search, run `npm run drill -- fuzz`. For one target, use `-t "store order"` with FAST_CHECK_RUNS. */
const inputs = Number(process.env.FAST_CHECK_RUNS ?? 25);

test.each(await parserTargets(world))('$name: any input is parsed or rejected as documented', async (target) => {
  const { failure } = await tryParser(target, { seed, inputs });
  expect(failure).toBeUndefined();
});
