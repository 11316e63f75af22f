import { Gauge, type Registry } from 'prom-client';
import type { Figure } from './counted.ts';

/** While an engine is away its figures are unknown, and the others still told. */
export function registerFigures(registry: Registry, figures: Readonly<Record<string, Figure>>): void {
  for (const [name, figure] of Object.entries(figures)) {
    const each = 'read' in figure ? { '': figure.read } : figure.readEach;
    const labels = 'read' in figure ? [] : [figure.label];
    new Gauge({
      name,
      help: figure.help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        for (const [value, read] of Object.entries(each))
          this.set(Object.fromEntries(labels.map((label) => [label, value])), await read().catch(() => Number.NaN));
      },
    });
  }
}
