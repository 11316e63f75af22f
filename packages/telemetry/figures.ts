import { Gauge, type Registry } from 'prom-client';
import type { Figure } from './counted.ts';

/** While an engine is away its figures are unknown, and the others still told. */
export function registerFigures(registry: Registry, figures: Readonly<Record<string, Figure>>): void {
  for (const [name, { help, read }] of Object.entries(figures)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read().catch(() => Number.NaN));
      },
    });
  }
}
