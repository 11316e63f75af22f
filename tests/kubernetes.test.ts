import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings } from '@tributary/config';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { groups } from '../packages/config/settings.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const settingNames = Object.values(groups).flatMap((group) => Object.values(group).map(({ variable }) => variable));
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, { command: string[]; environment: Record<string, string> } | undefined>;
};

describe('deploy/kubernetes', () => {
  const folder = 'deploy/kubernetes/base';
  const { resources } = parse(read(`${folder}/kustomization.yaml`)) as { resources: string[] };
  const objects = resources.flatMap((file) => parseAllDocuments(read(`${folder}/${file}`)).map((one) => one.toJS()));
  /** The containers of a Deployment, Job or CronJob, with their pod. */
  const pods = objects.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'CronJob' ? spec.jobTemplate.spec.template : spec?.template;
    return template
      ? [{ name: metadata.name as string, pod: template.spec, container: template.spec.containers[0] }]
      : [];
  });

  test('lists every file, and overlays change only existing workloads', () => {
    const files = readdirSync(join(root, folder)).filter((file) => file !== 'kustomization.yaml');
    expect(resources.toSorted()).toEqual(files.toSorted());
    const { replicas } = parse(read('deploy/kubernetes/overlays/small/kustomization.yaml')) as {
      replicas: { name: string }[];
    };
    for (const { name } of replicas) expect(pods.map((one) => one.name)).toContain(name);
  });

  test('runs the commands of compose.yaml without root, on a read-only root file system, with valid settings', () => {
    expect(pods.map(({ container }) => container.command)).toEqual(
      ['migrate', 'api', 'collector', 'provider-webhooks', 'worker', 'backup'].map(
        (name) => compose.services[name]?.command,
      ),
    );
    for (const { name, pod, container } of pods) {
      expect(pod.securityContext, name).toMatchObject({ runAsNonRoot: true });
      expect(pod.automountServiceAccountToken, name).toBe(false);
      expect(container.securityContext, name).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const own = (container.env ?? []).map(({ name: variable }: { name: string }) => variable);
      expect(
        own.filter((variable: string) => !settingNames.includes(variable)),
        name,
      ).toEqual([]);
    }
    const settings = objects.find(({ kind }) => kind === 'ConfigMap').data as Record<string, string>;
    expect(Object.keys(settings).filter((variable) => !settingNames.includes(variable))).toEqual([]);
    expect(() => loadSettings(settings)).not.toThrow();
  });

  test('every Deployment has a network policy with its ports, and internet-facing pods cannot reach ClickHouse', () => {
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    const policies = new Map(
      objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec]),
    );
    expect(policies.get('tributary-default')).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
    for (const { metadata, spec } of deployments) {
      const policy = policies.get(metadata.name);
      expect(policy.podSelector.matchLabels, metadata.name).toEqual(spec.template.metadata.labels);
      const ports = spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name);
      const opened = policy.ingress.flatMap((rule: { ports: { port: string }[] }) =>
        rule.ports.map(({ port }) => port),
      );
      expect(opened.toSorted(), metadata.name).toEqual(ports.toSorted());
    }
    for (const name of ['tributary-collector', 'tributary-provider-webhooks']) {
      const egress = policies.get(name).egress[0].ports.map(({ port }: { port: number }) => port);
      expect(egress, name).not.toContain(8123);
    }
  });

  test('each secret in the README is used and has the keys that compose.yaml gives that process', () => {
    const documented = new Map(
      [...read('deploy/kubernetes/README.md').matchAll(/^\| `(tributary-[\w-]+)` +\| (.*)\|$/gm)].map(
        ([, name = '', keys = '']) => [name, [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => key as string)],
      ),
    );
    const used = pods.map(({ container }) => container.envFrom[1].secretRef.name as string);
    expect(new Set(used)).toEqual(new Set(documented.keys()));
    for (const process of ['api', 'collector', 'provider-webhooks', 'worker']) {
      const given = Object.keys(compose.services[process]?.environment ?? {});
      const secrets = given.filter((name) =>
        /^(DATABASE_\w+_URL|CLICKHOUSE_URL|NATS_URL|REDIS_URL|ENCRYPTION_KEYS)$/.test(name),
      );
      expect(documented.get(`tributary-${process}`)).toEqual(expect.arrayContaining(secrets));
    }
  });
});
