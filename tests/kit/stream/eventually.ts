import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the condition holds; throws when it does not hold in time. */
export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = 40_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${condition}`);
    await sleep(10);
  }
}
