/** Prints each step of a long command when it begins and its duration when it ends, so that the terminal is never silent for long. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function countSteps(print: (line: string) => void = console.log): Step {
  const startedAt = performance.now();
  const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`;
  return async (name, work) => {
    const began = performance.now();
    print(`${name} ...`);
    const waiting = setInterval(() => print(`  ${name}: ${seconds(began)} so far`), 10_000);
    try {
      return await work();
    } finally {
      clearInterval(waiting);
      print(`  ${name}: ${seconds(began)} (${seconds(startedAt)} since the start)`);
    }
  };
}
