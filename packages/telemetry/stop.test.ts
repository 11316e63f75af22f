import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const stopModule = new URL('./stop.ts', import.meta.url).href;

/** Starts a process that an open timer keeps alive, sends the signal, and resolves to its exit code. */
async function exitCode(signal: NodeJS.Signals, stop: string, timeoutMs: number): Promise<number | null> {
  const script = `
    import { onStop } from ${JSON.stringify(stopModule)};
    setInterval(() => {}, 60_000);
    onStop('test', { say() {} }, ${timeoutMs}, ${stop});
    console.log('running');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

const longMs = 100_000;
test.each<[what: string, signal: NodeJS.Signals, stop: string, timeoutMs: number, code: number]>([
  ['with 0 after SIGTERM as soon as everything has stopped', 'SIGTERM', 'async () => {}', longMs, 0],
  ['with 0 after SIGINT as soon as everything has stopped', 'SIGINT', 'async () => {}', longMs, 0],
  ['with 1 when the stop takes too long', 'SIGTERM', '() => new Promise(() => {})', 50, 1],
  ['with 1 when the stop fails', 'SIGTERM', 'async () => { throw new Error("no") }', longMs, 1],
])('a process ends %s', async (_what, signal, stop, timeoutMs, code) => {
  expect(await exitCode(signal, stop, timeoutMs)).toBe(code);
});
