import { clickhouseSettings, createClickHouse } from '@tributary/clickhouse';
import { loadSettings, type Settings } from '@tributary/config';
import { replay } from '@tributary/domain/attribution/room.ts';
import { rebuildProfile } from '@tributary/domain/top-performers/room.ts';
import { Supervisor } from '@tributary/engines';
import { Book, openMarket } from '@tributary/market';
import { createPostgres } from '@tributary/postgres';
import { startSandbox } from '@tributary/sandbox';
import { dayMs } from '@tributary/vocabulary';
import { Command } from 'commander';
import { dress, openReceiver } from '../demo/dress.ts';
import { fillDelivery } from '../demo/fill-delivery.ts';
import { fillFast } from '../demo/fill-fast.ts';
import { fillVisits } from '../demo/fill-visits.ts';
import { type DemoBook, keepDemoBook, openDemo } from '../demo-book.ts';
import { showProgress } from '../progress.ts';
import { type Local, prepareLocal, runLocal } from '../run-local.ts';
import { sayFirstAccount } from './first-account.ts';

const campaigns = 7;
/** In sight on the first day. */
const days = 90;
/** The market goes on for as long again: each day that the demo is started on adds what happened since. */
const horizonDays = 2 * days;

const seed = 7;

/** The same for the engines and for the providers, so that both tell of the same ads. */
const marketOf = ({ profileId, start }: Pick<DemoBook, 'profileId' | 'start'>, people: number) => ({
  people,
  campaigns,
  days: horizonDays,
  start,
  profileId,
  isGentle: true,
});

export const demoCommand = () =>
  new Command('demo')
    .option('--install', 'fetch engines that are missing first')
    .option('--reset', 'throw the market away and make a new one, up to today')
    .option('--people <number>', 'how many live in a new market', Number, 16_000)
    .option('--set <name>', 'another set of engines, to have two demos', 'demo')
    .option('--fill', 'only fill the engines that the settings name, as compose.yaml does; nothing is started')
    .action(async ({ install, reset, people, set, fill: isOnlyFilled }: Options) => {
      if (isOnlyFilled) return fillConfigured(loadSettings(process.env), people);
      // Engines of its own, because the market brings exchange rates that nobody else should reckon with.
      const supervisor = new Supervisor(set);
      const books = keepDemoBook(set);
      // What stopped before there was a book is not worth mending.
      if (reset || !books.read()) await supervisor.destroy();
      const local = await prepareLocal(supervisor, { ...(install && { install }) });
      try {
        const book = books.read() ?? (await openDemo(local.settings, firstDay()));
        if (book.filledThrough !== today()) {
          books.write(book);
          await fill(local.settings, book, people);
          books.write({ ...book, filledThrough: today() });
        }
        await runDressed(local, book, people);
      } finally {
        await supervisor.stopAll();
      }
    });

/** With the sandbox's providers and a neighbour that is told what happens, for as long as it runs. */
async function runDressed(local: Local, book: DemoBook, people: number): Promise<void> {
  const sandbox = await startSandbox({ seed, market: marketOf(book, people) });
  const receiver = await openReceiver();
  const environment = {
    ...local.environment,
    ...sandbox.settings,
    PROVIDER_LOCAL_HOSTS: '127.0.0.1',
    WEBHOOK_LOCAL_HOSTS: '127.0.0.1',
  };
  const { baseUrl } = local.settings;
  try {
    await runLocal({ ...local, environment }, wordsFor(local.settings, book), async () => {
      console.log('connections, refunds, webhooks, changes of ads ...');
      // A demo without them is still one.
      await dress({ baseUrl, book, receiverUrl: receiver.url, now: new Date() }).catch((error: Error) =>
        console.error(`Not everything could be set up: ${error.message}`),
      );
    });
  } finally {
    receiver.close();
    await sandbox.close();
  }
}

interface Options {
  readonly install?: boolean;
  readonly reset?: boolean;
  readonly people: number;
  readonly set: string;
  readonly fill?: boolean;
}

/** Only while nobody has an account: a market is not poured over somebody's own numbers. */
async function fillConfigured(settings: Settings, people: number): Promise<void> {
  if (!(await sayFirstAccount(settings))) return console.log('There are accounts already, so no market is made.');
  const book = await openDemo(settings, firstDay());
  await fill(settings, book, people);
  console.log(wordsFor(settings, book));
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const today = (): string => dayOf(Date.now());
/** Ninety days, of which the last is today. */
const firstDay = (): string => dayOf(Date.now() - (days - 1) * dayMs);

async function fill(settings: Settings, { profileId, start }: DemoBook, people: number): Promise<void> {
  const app = createPostgres({ url: settings.databaseAppUrl, poolSize: 4 });
  const system = createPostgres({ url: settings.databaseSystemUrl, poolSize: 2 });
  const clickhouse = createClickHouse(clickhouseSettings(settings));
  try {
    const market = openMarket({ seed, ...marketOf({ profileId, start }, people) });
    const now = Date.now();
    const told = new Book(market);
    await fillFast(
      market,
      { app, system, clickhouse },
      { until: now, progress: showProgress('people'), watch: (household) => told.add(household) },
    );
    console.log('spend ...');
    // A platform tells of a day once it is over.
    const over = [...told.delivery.rows()].filter(({ day }) => day < dayOf(now));
    await fillDelivery(market, over, { app, clickhouse });
    await fillVisits(market, clickhouse);
    console.log('attribution ...');
    const { signal } = new AbortController();
    await replay({ app, clickhouse }, { profileId, cause: 'demo', now: () => new Date(), signal });
    console.log('top ads ...');
    await rebuildProfile({ app, clickhouse }, profileId, new Date(), signal);
  } finally {
    await Promise.all([app.close(), system.close(), clickhouse.close()]);
  }
}

function wordsFor({ baseUrl }: Settings, { email, password, key, start }: DemoBook): string {
  const last = today();
  return `
The demo runs: a simulated shop with ads since ${start}, up to today.

  ${baseUrl}        the console
  e-mail    ${email}
  password  ${password}

  ${baseUrl}/docs   guides, and the reference of the API; a first question to it:

curl "${baseUrl}/api/v1/campaigns?date_from=${start}&date_to=${last}" -H "Authorization: Bearer ${key}"

Ctrl-C stops it. The market stays for the next time; "npm run demo -- --reset" makes a new one.`;
}
