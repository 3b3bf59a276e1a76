// Writes src/generated.ts from spec/openapi.json; with --check only says whether it is up to date.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const spec = new URL('../../../spec/openapi.json', import.meta.url);
const place = new URL('../src/generated.ts', import.meta.url);

const document = JSON.parse(await readFile(spec, 'utf8'));
const types = astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }));
const rows = [];
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    rows.push(`  ${operation.operationId}: ['${method.toUpperCase()}', '${path}'],`);
  }
}
const text = `// Made from spec/openapi.json by \`npm run types\`. Do not edit.
/* eslint-disable */
${types}
/** The method and path of every operation. */
export const routes = {
${rows.sort().join('\n')}
} as const;
`;

if (process.argv.includes('--check')) {
  const kept = await readFile(place, 'utf8').catch(() => '');
  if (kept !== text) {
    console.error('src/generated.ts is stale; renew it by: npm run types');
    process.exit(1);
  }
} else {
  await writeFile(place, text);
}
