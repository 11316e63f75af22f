import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type Section, sections } from '../conformance/check.ts';
import { makeReport, summaryTable, writeMarkdown } from '../conformance/report.ts';
import { type CheckResult, runChecks } from '../conformance/run.ts';

interface Flags {
  readonly against: string;
  readonly key: string;
  readonly app?: string;
  readonly report?: string;
  readonly section?: Section;
}

export const conformanceCommand = () =>
  new Command('conformance')
    .requiredOption('--against <url>', 'address of the API of a running installation')
    .requiredOption('--key <key>', 'API key of a profile with every scope; the run writes into this profile')
    .option('--app <id:secret>', 'client id and secret of an app, for checks that need further profiles and keys')
    .option('--report <file>', 'write the report to FILE.json and FILE.md')
    .addOption(new Option('--section <name>', 'check one section').choices(Object.keys(sections)))
    .action(async ({ against, key, app, report: file, section }: Flags) => {
      const at = new Date();
      const startedAt = performance.now();
      const results = await runChecks({ url: against, key, app }, { section, report: showResult });
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const report = makeReport(results, { against, at, seconds, section });
      console.log(`\n${summaryTable(report).join('\n')}`);
      if (file !== undefined) {
        const name = file.replace(/\.(json|md)$/, '');
        writeFileSync(`${name}.json`, `${JSON.stringify(report, null, 2)}\n`);
        writeFileSync(`${name}.md`, writeMarkdown(report));
        console.log(`\nThe report is in ${name}.json and ${name}.md.`);
      }
      process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
    });

const marks = { passed: 'ok  ', failed: 'FAIL', 'not tried': '-   ' };

function showResult({ section, title, rules, outcome, reason }: CheckResult): void {
  const ids = rules.length > 0 ? ` [${rules.join(' ')}]` : '';
  console.log(`${marks[outcome]} ${section}: ${title}${ids}`);
  if (outcome === 'failed') console.log(`     ${reason?.replaceAll('\n', '\n     ')}`);
}
