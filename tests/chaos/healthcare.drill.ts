import { tools } from '@tributary/api/mcp/tools.ts';
import { type Drill, openApi, openDrillKit, openWarehouse } from '@tributary/testkit';
import { type CanaryCustomer, CanaryProfile, countWords, inputOf, openWebhookReceiver } from './healthcare-scene.ts';

const sizes = { small: 8, full: 10_000 } as const;
const lanes = 8;

/**
 * Switches a profile, whose customers have only canary data, to each of the two healthcare privacy modes. Its partner then calls every allowed route,
 * routes about a customer once per customer, receives webhooks and calls the MCP tools.
 */
export const drill: Drill = {
  name: 'healthcare',
  promise:
    'On a profile in a healthcare privacy mode, no partner receives customer data through any route, webhook, MCP tool or log.',

  async run({ size, progress }) {
    const people = sizes[size];
    const kit = await openDrillKit('drill-healthcare', ['postgres', 'redis', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const receiver = await openWebhookReceiver();
    const api = await openApi(kit, { webhookTargets: receiver.outbound });
    const byStatus: Record<string, number> = {};
    const leaks: string[] = [];
    const counts = { asked: 0, routes: 0, tools: 0, deliveries: 0, words_before: 0 };
    try {
      for (const [index, mode] of (['platform_safe', 'hipaa'] as const).entries()) {
        const profile = await CanaryProfile.open(kit, api, receiver);
        await profile.subscribe();
        await profile.createCustomers(0, people);
        const customers = await profile.listCustomers();
        const [first] = customers;
        if (!first || customers.length !== people)
          throw new Error(`${customers.length} of ${people} people were created.`);
        // Before the switch the partner sees the data, which proves that the search can find it.
        const partnerRoutes = profile.listPartnerRoutes();
        const reads = partnerRoutes.filter(({ route }) => route.method === 'GET');
        for (const { route } of reads.filter(({ isAboutCustomer }) => isAboutCustomer))
          counts.words_before += countWords((await profile.callRoute(route, first)).map(({ text }) => text));
        counts.words_before += countWords(await profile.deliver());

        await profile.becomeHealthcare(mode);
        await profile.createCustomers(people, Math.min(people, 1_000));
        const bodies = await profile.deliver();
        counts.deliveries += bodies.length;
        if (countWords(bodies) > 0) leaks.push(`${mode}: a webhook`);

        const note = (id: string, answers: readonly { status: number; text: string }[]) => {
          counts.asked += answers.length;
          for (const { status, text } of answers) {
            byStatus[status] = (byStatus[status] ?? 0) + 1;
            if (countWords([text]) > 0) leaks.push(`${mode}: ${id} (${status})`);
          }
        };
        const total = reads.filter(({ isAboutCustomer }) => isAboutCustomer).length * customers.length;
        let done = 0;
        for (const { route, isAboutCustomer } of reads) {
          await inLanes(isAboutCustomer ? customers : [first], async (customer) => {
            note(route.id, await profile.callRoute(route, customer));
            if (isAboutCustomer) progress(index * total + ++done, 2 * total, `${leaks.length} leaks`);
          });
        }
        for (const { name, route } of tools) {
          const { params, query } = inputOf(route);
          const text = await profile.callTool(name, { ...params, ...query });
          counts.tools += 1;
          if (countWords([text]) > 0) leaks.push(`${mode}: the tool ${name}`);
        }
        // Writes come after reads, and deletions last.
        const writes = partnerRoutes.filter(({ route }) => route.method !== 'GET');
        const last = writes.filter(({ route }) => route.method === 'DELETE');
        for (const { route } of [...writes.filter((one) => !last.includes(one)), ...last])
          note(route.id, await profile.callRoute(route, customers.at(-1) ?? first));
        counts.routes = partnerRoutes.length;
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
      receiver.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};

/** Runs the work for each customer with limited concurrency. */
async function inLanes(
  customers: readonly CanaryCustomer[],
  work: (customer: CanaryCustomer) => Promise<void>,
): Promise<void> {
  const remaining = customers.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const customer of remaining) await work(customer);
    }),
  );
}
