import { setTimeout as sleep } from 'node:timers/promises';
import { WrongSettings } from '@tributary/config';
import { onStop } from '@tributary/telemetry';
import { loadParts, openPlatform, type Platform } from './platform.ts';

export interface Running {
  /** Said in the log once it runs. */
  readonly words: string;
  readonly facts?: Record<string, string>;
  /** Says from now on that it leaves. It still answers for a while: whoever sends requests to it needs time to hear of it. */
  leave?(): void;
  /** Finishes what has begun; what the platform opened is closed afterwards. */
  stop(): Promise<void>;
}

/**
 * Runs a process until it is asked to stop. What is wrong with its settings is said in a sentence, without a stack. With
 * `--load-only` all code is loaded and nothing started: Node then keeps it compiled in NODE_COMPILE_CACHE.
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
