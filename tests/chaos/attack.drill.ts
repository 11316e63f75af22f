import type { Drill } from '@tributary/testkit';
import type { Attack } from './attack/attack.ts';
import { attacks as onCollector } from './attack/collector.attack.ts';
import { openDeployment } from './attack/deployment.ts';
import { attacks as onEngines } from './attack/engines.attack.ts';
import { attacks as onFrontDoor } from './attack/front-door.attack.ts';
import { attacks as onPeople } from './attack/people.attack.ts';
import { besiege, workHonestly } from './attack/siege.ts';

/** The small size runs beside other drills on two cores, so it judges no times: only who is refused. */
const sizes = {
  small: { seconds: 4, mostTimesSlower: Number.POSITIVE_INFINITY },
  full: { seconds: 60, mostTimesSlower: 3 },
} as const;

/** ATTACKS=word runs only those whose title has it. */
const wanted = process.env.ATTACKS ?? '';
const attacks: readonly Attack[] = [...onCollector, ...onFrontDoor, ...onPeople, ...onEngines].filter(({ title }) =>
  title.includes(wanted),
);

/** Everything that once worked against a running deployment, tried again on one; then all at once, while somebody honest goes on with their work. */
export const drill: Drill = {
  name: 'attack',
  promise: 'What once worked against a running deployment does not work, and nobody honest notices the attempt.',

  async run({ size, progress }) {
    const { seconds, mostTimesSlower } = sizes[size];
    const deployment = await openDeployment('drill-attack');
    try {
      const worked: Record<string, string> = {};
      for (const [place, { title, strike }] of attacks.entries()) {
        progress(place, attacks.length + 2, title);
        const came = await strike(deployment).catch((error: unknown) => `It could not be tried: ${error}`);
        if (came !== undefined) worked[title] = came;
      }
      const [honest, attacker] = [await deployment.tenant(), await deployment.tenant()];
      progress(attacks.length, attacks.length + 2, 'quiet');
      await workHonestly(deployment, honest, 2);
      const quiet = await workHonestly(deployment, honest, seconds);
      progress(attacks.length + 1, attacks.length + 2, 'under siege');
      const endSiege = await besiege(deployment, attacker);
      const besieged = await workHonestly(deployment, honest, seconds);
      await endSiege();
      const slower = {
        requests: Math.round((besieged.requests_p95_ms / quiet.requests_p95_ms) * 100) / 100,
        visits: Math.round((besieged.visits_p95_ms / quiet.visits_p95_ms) * 100) / 100,
      };
      const isNoticed = besieged.refused > 0 || Math.max(slower.requests, slower.visits) > mostTimesSlower;
      return {
        passed: Object.keys(worked).length === 0 && !isNoticed,
        attacks: attacks.length,
        held: attacks.length - Object.keys(worked).length,
        worked,
        times_slower_under_siege: slower,
        quiet,
        besieged,
      };
    } finally {
      await deployment.close();
    }
  },
};
