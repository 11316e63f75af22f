import { tools } from '@tributary/api/mcp/tools.ts';
import { type Drill, openApi, openDrillKit, openWarehouse } from '@tributary/testkit';
import { Aviary, type Bird, countWords, inputOf, openNest } from './healthcare-scene.ts';

const sizes = { small: 8, full: 10_000 } as const;
const lanes = 8;

/**
 * A profile full of people whose every word is a canary becomes healthcare-family, once in each of the two ways. Its partner asks every route
 * that it may call, those about a person for each of them, hears its webhooks and lets an assistant ask.
 */
export const drill: Drill = {
  name: 'healthcare',
  promise:
    'On a healthcare-family profile no partner learns a word of anybody, by any route, webhook, assistant or log.',

  async run({ size, progress }) {
    const people = sizes[size];
    const kit = await openDrillKit('drill-healthcare', ['postgres', 'redis', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const nest = await openNest();
    const api = await openApi(kit, { webhookTargets: nest.outbound });
    const byStatus: Record<string, number> = {};
    const leaks: string[] = [];
    const counts = { asked: 0, routes: 0, tools: 0, deliveries: 0, words_before: 0 };
    try {
      for (const [turn, mode] of (['platform_safe', 'hipaa'] as const).entries()) {
        const aviary = await Aviary.open(kit, api, nest);
        await aviary.subscribe();
        await aviary.settleBirds(0, people);
        const birds = await aviary.listBirds();
        const [first] = birds;
        if (!first || birds.length !== people) throw new Error(`${birds.length} of ${people} people are there.`);
        // Before, the partner sees them: a search that finds nothing afterwards can find something.
        const asked = aviary.routesOfPartner();
        const reads = asked.filter(({ route }) => route.method === 'GET');
        for (const { route } of reads.filter(({ isOfPerson }) => isOfPerson))
          counts.words_before += countWords((await aviary.ask(route, first)).map(({ text }) => text));
        counts.words_before += countWords(await aviary.deliver());

        await aviary.becomeHealthcare(mode);
        await aviary.settleBirds(people, Math.min(people, 1_000));
        const bodies = await aviary.deliver();
        counts.deliveries += bodies.length;
        if (countWords(bodies) > 0) leaks.push(`${mode}: a webhook`);

        const note = (id: string, answers: readonly { status: number; text: string }[]) => {
          counts.asked += answers.length;
          for (const { status, text } of answers) {
            byStatus[status] = (byStatus[status] ?? 0) + 1;
            if (countWords([text]) > 0) leaks.push(`${mode}: ${id} (${status})`);
          }
        };
        const total = reads.filter(({ isOfPerson }) => isOfPerson).length * birds.length;
        let done = 0;
        for (const { route, isOfPerson } of reads) {
          await inLanes(isOfPerson ? birds : [first], async (bird) => {
            note(route.id, await aviary.ask(route, bird));
            if (isOfPerson) progress(turn * total + ++done, 2 * total, `${leaks.length} leaks`);
          });
        }
        for (const { name, route } of tools) {
          const { params, query } = inputOf(route);
          const text = await aviary.callTool(name, { ...params, ...query });
          counts.tools += 1;
          if (countWords([text]) > 0) leaks.push(`${mode}: the tool ${name}`);
        }
        // What changes something comes last, and what deletes at the very end.
        const writes = asked.filter(({ route }) => route.method !== 'GET');
        const last = writes.filter(({ route }) => route.method === 'DELETE');
        for (const { route } of [...writes.filter((one) => !last.includes(one)), ...last])
          note(route.id, await aviary.ask(route, birds.at(-1) ?? first));
        counts.routes = asked.length;
      }
      const wordsInLogs = countWords(api.logLines);
      const isServed = (byStatus['200'] ?? 0) > counts.asked / 10;
      return {
        passed: leaks.length === 0 && wordsInLogs === 0 && counts.words_before > 0 && isServed,
        people: 2 * people,
        ...counts,
        by_status: byStatus,
        leaks: leaks.length,
        first_leaks: [...new Set(leaks)].slice(0, 10),
        words_in_logs: wordsInLogs,
      };
    } finally {
      await api.close();
      nest.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};

/** Each of them, some at a time. */
async function inLanes(all: readonly Bird[], work: (bird: Bird) => Promise<void>): Promise<void> {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const bird of rest) await work(bird);
    }),
  );
}
