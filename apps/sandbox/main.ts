import { parseArgs } from 'node:util';
import { startSandbox } from './index.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '4600' }, seed: { type: 'string', default: '1' } },
});
const sandbox = await startSandbox({ port: Number(values.port), seed: Number(values.seed) });
console.log(`The sandbox listens at ${sandbox.url}. Give these settings to the API and the worker:\n`);
for (const [name, value] of Object.entries(sandbox.settings)) console.log(`${name}=${value}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
