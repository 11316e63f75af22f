import { Gauge, type Registry } from 'prom-client';
import type { Figure } from './metrics-types.ts';

/**
 * Registers a gauge per figure. While a service is unavailable its figures are NaN, and the others are still
 * reported.
 */
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
