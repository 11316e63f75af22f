import { setTimeout as sleep } from 'node:timers/promises';
import { WrongSettings } from '@tributary/config';
import { onStop } from '@tributary/telemetry';
import { loadParts, openPlatform, type Platform } from './platform.ts';

export interface Running {
  /** The message logged once the process runs. */
  readonly words: string;
  readonly facts?: Record<string, string>;
  /** Reports from now on that the process is stopping. It still serves requests for a while, until load balancers have noticed. */
  leave?(): void;
  /** Finishes running work; the platform's connections are closed afterwards. */
  stop(): Promise<void>;
}

/**
 * Runs a process until it receives a stop signal. Invalid settings are reported in one sentence, without a stack trace. With
 * `--load-only` it only loads all code, so that Node caches the compiled code in NODE_COMPILE_CACHE.
 */
export async function runProcess(name: string, start: (platform: Platform) => Promise<Running>): Promise<void> {
  if (process.argv.includes('--load-only')) {
    await loadParts();
    process.exit(0);
  }
  try {
    const platform = openPlatform(process.env);
    const { shutdownDelayMs, shutdownTimeoutMs } = platform.settings;
    await platform.followTestClock();
    const running = await start(platform);
    platform.log.say(running.words, running.facts);
    onStop(name, platform.log, shutdownDelayMs + shutdownTimeoutMs, async () => {
      if (running.leave) {
        running.leave();
        await sleep(shutdownDelayMs);
      }
      await running.stop();
      await platform.close();
    });
  } catch (error) {
    console.error(error instanceof WrongSettings ? error.message : error);
    process.exit(1);
  }
}
