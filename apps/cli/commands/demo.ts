import { loadSettings, type Settings } from '@tributary/config';
import { links, routes } from '@tributary/contract';
import { Supervisor } from '@tributary/engines';
import { startSandbox } from '@tributary/sandbox';
import { dayMs } from '@tributary/vocabulary';
import { Command } from 'commander';
import { addExtras, openReceiver } from '../demo/add-extras.ts';
import { fillShop } from '../demo/fill-shop.ts';
import { countSteps } from '../demo/steps.ts';
import { type DemoBook, openDemo, openDemoBook, secondShop } from '../demo-book.ts';
import { type Local, prepareLocal, runLocal } from '../run-local.ts';
import { offerFirstAccount } from './first-account.ts';

const campaigns = 7;
const secondCampaigns = 3;
/** The days of history on the first start. */
const days = 90;
/** The market continues for as many days: each later start adds the events since the last one. */
const horizonDays = 2 * days;

const seed = 7;

/** The same parameters for engines and providers, so that both report the same ads. */
const marketOf = ({ profileId, start }: Pick<DemoBook, 'profileId' | 'start'>, people: number) => ({
  people,
  campaigns,
  days: horizonDays,
  start,
  profileId,
  isGentle: true,
  // Meta is billed in the first currency, Google in the second; one customer in five pays in euros.
  currencies: ['USD', 'EUR'],
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
      // Uses separate engines, because the market's exchange rates must not affect other profiles.
      const supervisor = new Supervisor(set);
      const books = openDemoBook(set);
      // A demo interrupted before its book was written starts over.
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

/** Runs the demo with the sandbox's providers and a webhook receiver. */
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
      // The demo is usable without these extras.
      await addExtras({ baseUrl, book, receiverUrl: receiver.url, now: new Date(), step: countSteps() }).catch(
        (error: Error) => console.error(`Not everything could be set up: ${error.message}`),
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

/** Only while no account exists, so that the market is never mixed with real data. */
async function fillConfigured(settings: Settings, people: number): Promise<void> {
  if (!(await offerFirstAccount(settings))) return console.log('There are accounts already, so no market is made.');
  const book = await openDemo(settings, firstDay());
  await fill(settings, book, people);
  console.log(wordsFor(settings, book));
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const today = (): string => dayOf(Date.now());
/** Ninety days, ending today. */
const firstDay = (): string => dayOf(Date.now() - (days - 1) * dayMs);

async function fill(settings: Settings, book: DemoBook, people: number): Promise<void> {
  const step = countSteps();
  const { filledThrough, secondProfileId, start } = book;
  const now = new Date();
  const options = { seed, ...marketOf(book, people) };
  await fillShop(settings, { name: 'Nord & Sur', options, filledThrough, now }, step);
  if (!secondProfileId) return;
  const second = {
    ...marketOf({ profileId: secondProfileId, start }, Math.ceil(people / 8)),
    ...secondShop,
    seed: seed + 1,
    campaigns: secondCampaigns,
  };
  await fillShop(settings, { name: 'Puerto Café', options: second, filledThrough, now }, step);
}

function wordsFor({ baseUrl }: Settings, { email, password, key, start }: DemoBook): string {
  const last = today();
  return `
The demo runs: two simulated shops with ads since ${start}, up to today.

  ${baseUrl}        the console
  e-mail    ${email}
  password  ${password}

  ${links.docs(baseUrl)}   guides, and the reference of the API; a first question to it:

curl "${links.route(baseUrl, routes.listCampaigns.path)}?date_from=${start}&date_to=${last}" -H "Authorization: Bearer ${key}"

Ctrl-C stops it. The market stays for the next time; "npm run demo -- --reset" makes a new one.`;
}
