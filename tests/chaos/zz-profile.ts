import { openApi, openDrillKit } from '@tributary/testkit';
import pg from 'pg';
import { measureFirstSync } from './one-sale-scale.ts';
const times = new Map<string, { n: number; ms: number }>();
const orig = pg.Client.prototype.query as any;
(pg.Client.prototype as any).query = function (...args: any[]) {
  const first = args[0];
  const text = typeof first === 'string' ? first : (first?.text ?? '?');
  const t = performance.now();
  const r = orig.apply(this, args);
  const done = () => {
    const key = text.replace(/\s+/g, ' ').trim().slice(0, 160);
    const e = times.get(key) ?? { n: 0, ms: 0 };
    e.n += 1; e.ms += performance.now() - t; times.set(key, e);
  };
  if (r?.then) r.then(done, done);
  else if (typeof first?.on === 'function') first.on('end', done);
  return r;
};
const kit = await openDrillKit('drill-zz-profile', ['postgres', 'redis']);
const api = await openApi(kit);
let last = '';
const cpu0 = process.cpuUsage();
const out = await measureFirstSync(kit, api, Number(process.argv[2] ?? 20000), (_d, w) => { if (w !== last) { console.log(w); last = w; if (w === 'matching payments') times.clear(); } });
console.log(out, process.cpuUsage(cpu0));
for (const [k, v] of [...times].sort((a, b) => b[1].ms - a[1].ms).slice(0, 18)) console.log(Math.round(v.ms), v.n, k);
await api.close(); await kit.close();
process.exit(0);
