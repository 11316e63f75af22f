import { createClickHouse } from '@tributary/clickhouse';
import { type Bench, openDrillKit, openWarehouse } from '@tributary/testkit';
import { costOfAttribution, costOfReports, reportSizes } from './costs-of-credits.ts';
import { costOfDeliveries, costOfOutcomes } from './costs-of-outcomes.ts';
import { costOfCollecting, costOfStoring, visitsPerRequest } from './costs-of-visits.ts';
import { type Cpu, CpuMeter } from './cpu.ts';

const set = 'bench-unit-costs';

/** Measures the input of docs/scaling.md: CPU time and bytes of one of each thing that grows with the business. */
export const bench: Bench = {
  name: 'unit-costs',
  question: 'How much processor does a visit take in all processes, to what the four engines take of it?',
  better: 'lower',

  async run({ progress }) {
    const kit = await openDrillKit(set, ['postgres', 'redis', 'clickhouse', 'nats']);
    const warehouse = await openWarehouse(kit);
    const clickhouse = createClickHouse({
      url: kit.clickhouseUrl,
      database: kit.clickhouseDatabase,
      requestTimeoutMs: 120_000,
    });
    const meter = new CpuMeter(set);
    const step = async <T>(done: number, note: string, work: () => Promise<T>): Promise<T> => {
      progress(done, 6, note);
      return work();
    };
    try {
      await meter.learnIdle();
      const collecting = await step(0, 'collector', () => costOfCollecting(kit, meter));
      const storing = await step(1, 'pipeline', () => costOfStoring(kit, clickhouse, meter));
      const outcomes = await step(2, 'outcomes', () => costOfOutcomes(kit, meter));
      const deliveries = await step(3, 'deliveries', () => costOfDeliveries(kit, meter));
      const attribution = await step(4, 'attribution', () => costOfAttribution(kit, clickhouse, meter, () => {}));
      const reports = await step(5, 'reports', () => costOfReports(kit, clickhouse, meter, () => {}));
      const visit = added(collecting.cpu, storing.cpu, storing.merging);
      const all = Object.values(visit).reduce((sum, us) => sum + us, 0);
      const { collector = 0, worker = 0 } = visit;
      return {
        ratio: Math.round((all / (all - collector - worker)) * 100) / 100,
        cpu_us: {
          visit_collected: collecting.cpu,
          visit_stored: storing.cpu,
          visit_merged: storing.merging,
          outcome_of_one_profile: outcomes.shared,
          outcome_of_many_profiles: outcomes.apart,
          outcome_announced: outcomes.announced,
          delivery: deliveries.cpu,
          conversion_attributed: attribution.cpu,
          report_small: reports.cpu.small,
          report_large: reports.cpu.large,
        },
        bytes: {
          visit_in_log: collecting.bytes,
          visit: storing.bytes.visit,
          touch: storing.bytes.touch,
          outcome: outcomes.bytes.at_rest,
          outcome_wal: outcomes.bytes.wal,
          delivery: deliveries.bytes.at_rest,
          delivery_wal: deliveries.bytes.wal,
          conversion: reports.bytes_conversion,
        },
        visits_a_request: visitsPerRequest,
        conversions_in_report: reportSizes,
      };
    } finally {
      await clickhouse.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};

const added = (...costs: readonly Cpu[]): Record<string, number> => {
  const sum: Record<string, number> = {};
  for (const [name, us] of costs.flatMap((cpu) => Object.entries(cpu))) sum[name] = (sum[name] ?? 0) + us;
  return sum;
};
