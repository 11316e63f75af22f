import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintSource } from '@secretlint/core';
import { creator as preset } from '@secretlint/secretlint-rule-preset-recommend';

/** Credentials for these hosts are test data: localhost, and names reserved by RFC 2606. */
const testHosts = [
  String.raw`/@(127\.0\.0\.1|localhost|[\w.-]*\bexample(\.(com|net|org))?|[\w.-]+\.(test|invalid))(?![\w.-])/`,
  // A host name without a dot is internal.
  String.raw`/@[a-z]+(:\d+)?(,[a-z]+(:\d+)?)*\//`,
];

const rules = ['@secretlint/secretlint-rule-database-connection-string', '@secretlint/secretlint-rule-basicauth'];
const config = {
  rules: [
    {
      id: '@secretlint/secretlint-rule-preset-recommend',
      rule: preset,
      rules: rules.map((id) => ({ id, options: { allows: testHosts } })),
    },
  ],
};

/** Line and type of each secret in a text, without the secret itself. */
export async function secretsIn(path: string, content: string): Promise<string[]> {
  const { messages } = await lintSource({
    source: { filePath: path, content, contentType: 'text' },
    options: { config, maskSecrets: true },
  });
  return messages.map(({ loc, messageId }) => `${path}:${loc.start.line}: ${messageId}`);
}

/** Secrets in all tracked files, and the number of scanned files. */
export async function trackedSecrets(root: string): Promise<{ found: string[]; files: number }> {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const found: string[] = [];
  let files = 0;
  for (const path of paths.split('\0').filter(Boolean)) {
    const text = readText(join(root, path));
    if (text === undefined) continue;
    files += 1;
    found.push(...(await secretsIn(path, text)));
  }
  return { found, files };
}

/** Undefined for binary files, and for files deleted without a commit. */
function readText(file: string): string | undefined {
  try {
    const bytes = readFileSync(file);
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
