import type { Drill } from '@tributary/testkit';
import type { Attack } from './attack/attack.ts';
import { attacks as onCollector } from './attack/collector.attack.ts';
import { openDeployment } from './attack/deployment.ts';
import { attacks as onEngines } from './attack/engines.attack.ts';
import { attacks as onFrontDoor } from './attack/front-door.attack.ts';
import { attacks as onPeople } from './attack/people.attack.ts';
import { measureService, startAttackers } from './attack/siege.ts';

/** The small size shares two cores with other drills, so it checks only rejections, not latencies. */
const sizes = {
  small: { seconds: 4, mostTimesSlower: Number.POSITIVE_INFINITY },
  full: { seconds: 60, mostTimesSlower: 3 },
} as const;

/** ATTACKS=word runs only attacks whose title contains the word. */
const titleFilter = process.env.ATTACKS ?? '';
const attacks: readonly Attack[] = [...onCollector, ...onFrontDoor, ...onPeople, ...onEngines].filter(({ title }) =>
  title.includes(titleFilter),
);

/** Repeats every attack that once succeeded against a deployment, then runs the flooding attacks at once while a legitimate tenant keeps working. */
export const drill: Drill = {
  name: 'attack',
  promise:
    'Attacks that once succeeded against a running deployment fail, and legitimate tenants are neither rejected nor slowed down.',

  async run({ size, progress }) {
    const { seconds, mostTimesSlower } = sizes[size];
    const deployment = await openDeployment('drill-attack');
    try {
      const worked: Record<string, string> = {};
      for (const [index, { title, run }] of attacks.entries()) {
        progress(index, attacks.length + 2, title);
        const damage = await run(deployment).catch((error: unknown) => `The attack could not be run: ${error}`);
        if (damage !== undefined) worked[title] = damage;
      }
      const [victim, attacker] = [await deployment.createTenant(), await deployment.createTenant()];
      progress(attacks.length, attacks.length + 2, 'quiet');
      await measureService(deployment, victim, 2);
      const quiet = await measureService(deployment, victim, seconds);
      progress(attacks.length + 1, attacks.length + 2, 'under attack');
      const stopAttackers = await startAttackers(deployment, attacker);
      const underAttack = await measureService(deployment, victim, seconds);
      await stopAttackers();
      const slower = {
        requests: Math.round((underAttack.requests_p95_ms / quiet.requests_p95_ms) * 100) / 100,
        visits: Math.round((underAttack.visits_p95_ms / quiet.visits_p95_ms) * 100) / 100,
      };
      const isNoticed = underAttack.refused > 0 || Math.max(slower.requests, slower.visits) > mostTimesSlower;
      return {
        passed: Object.keys(worked).length === 0 && !isNoticed,
        attacks: attacks.length,
        held: attacks.length - Object.keys(worked).length,
        worked,
        times_slower_under_siege: slower,
        quiet,
        besieged: underAttack,
      };
    } finally {
      await deployment.close();
    }
  },
};
