import { openPrivateStream } from '@tributary/testkit/stream';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { VisitLog } from './visit-log.ts';

test("concurrent requests share messages, and each is in its profile's stream", async () => {
  const own = await openPrivateStream({ count: 2 });
  try {
    const log = new VisitLog(own.stream);
    const profiles = Array.from({ length: 40 }, () => uuid());
    await Promise.all(profiles.map((id) => log.publish(id, uuid(), `${id}:browser`, JSON.stringify({ id }))));
    const texts = await own.texts();
    for (const [place, name] of ['visits', 'visits-1'].entries()) {
      const lines = (texts.get(name) ?? []).flatMap((text) => text.split('\n')).filter((line) => line.startsWith('{'));
      const theirs = profiles.filter((id) => own.stream.placeOf(id) === place);
      expect(lines.sort()).toEqual(theirs.map((id) => JSON.stringify({ id })).sort());
      expect(theirs.length).toBeGreaterThan(0);
      expect(texts.get(name)?.length).toBeLessThan(theirs.length);
    }
  } finally {
    await own.destroy();
  }
});
