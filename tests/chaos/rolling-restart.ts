import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@tributary/testkit';
import { AppProcess } from './app-process.ts';
import type { App } from './faults-scene.ts';
import type { Receiver } from './faults-senders.ts';

const readyLines: Readonly<Record<App, string>> = {
  api: 'api listens',
  collector: 'collector listens',
  worker: 'worker runs',
};

export interface RunningApp {
  readonly process: AppProcess;
  readonly url: string;
}

type Environment = Readonly<Record<string, string>>;

/** Starts an app on a free port, from the code in `directory` or from this checkout. */
export async function startApp(app: App, environment: Environment, directory?: string): Promise<RunningApp> {
  const port = String(await freePort());
  const ports = { PORT: port, COLLECTOR_PORT: port };
  const process = new AppProcess(app, readyLines[app], { ...environment, ...ports }, directory);
  await process.start();
  return { process, url: `http://127.0.0.1:${port}` };
}

/** Starts the new process before it stops the old one, like a rolling deployment behind a load balancer. */
export async function replaceApp(
  running: Record<App, RunningApp>,
  app: App,
  start: () => Promise<RunningApp>,
  withdrawnMs: number,
): Promise<void> {
  const { process } = running[app];
  running[app] = await start();
  await sleep(withdrawnMs);
  await process.stop();
}

/** Sends requests to the processes that are running at the time, like a load balancer. */
export const receiverOf = (
  running: Readonly<Record<App, RunningApp>>,
  headers: Readonly<Record<string, string>>,
): Receiver => ({
  get apiUrl() {
    return running.api.url;
  },
  headers,
  post: (body) => postVisits(running.collector.url, body),
});

async function postVisits(url: string, body: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/v1/visits`, {
      method: 'POST',
      headers: {
        'content-type': 'text/plain',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        origin: 'https://shop.example',
      },
      body,
      signal: AbortSignal.timeout(15_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
