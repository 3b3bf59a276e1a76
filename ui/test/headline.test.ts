import { expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import type { Question } from '../src/lib/live.svelte';
import { commandLine } from '../src/question/commandHeadline';
import { headlineOf } from '../src/question/headline';
import { pieces } from '../src/question/headlineText';
import { saidByTitle } from '../src/question/saidByTitle';
import { toneOfQuestion } from '../src/question/tone';
import { keyFields, wordsOfName } from '../src/question/toolHeadline';

interface Given {
  text: string;
  level?: Schemas['DangerLevel'];
  code?: Schemas['DangerCode'];
  decision?: Schemas['Decision'];
  kind?: Schemas['PartKind'];
  parts?: Given[];
}

function part({ text, level = 'caution', code = 'runs_programs', decision = 'confirm', kind = 'command', parts = [] }: Given): Schemas['Part'] {
  return { kind, text, decision, reason: '', code: { code: 'no_rule' }, danger: { level, why: '', code }, parts: parts.map(part) } as unknown as Schemas['Part'];
}

function command(parts: Given[], danger: { level?: Schemas['DangerLevel']; code?: Schemas['DangerCode'] } = {}): Question {
  const text = parts.map((one) => one.text).join(' && ');
  return {
    toolName: 'Bash',
    input: { command: text },
    verdict: { parts: parts.map(part) },
    shown: { whole: true, titleCode: 'run_command', danger: { level: 'caution', why: '', code: 'runs_programs', ...danger }, form: { form: 'command', text, parts: [] } },
  } as unknown as Question;
}

const line = (text: string, code?: Schemas['DangerCode']) => commandLine(part({ text, ...(code !== undefined && { code }) }), []);

test('a command is named by what it does', () => {
  expect(line('rm -rf dist')).toEqual({ kind: 'delete_all', names: ['dist'] });
  expect(line('rm "a b" c')).toEqual({ kind: 'delete', names: ['a b', 'c'] });
  expect(line('/bin/rm -- -x')).toEqual({ kind: 'delete', names: ['-x'] });
  expect(line('find . -name "*.log" -delete')).toEqual({ kind: 'delete_named', names: ['*.log'], to: [] });
  expect(line('find src -mtime +3 -delete')).toEqual({ kind: 'delete_found', to: ['src'] });
  expect(line('git push origin main')).toEqual({ kind: 'push', names: ['main'], to: ['origin'] });
  expect(line('git -C x push --force origin main')).toEqual({ kind: 'force_push', names: ['main'], to: ['origin'] });
  expect(line('git push origin +main')).toEqual({ kind: 'force_push', names: ['+main'], to: ['origin'] });
  expect(line('git commit -am "Sort the list"')).toEqual({ kind: 'commit_as', names: ['Sort the list'] });
  expect(line('npm install left-pad@1.3.0')).toEqual({ kind: 'install', names: ['left-pad@1.3.0'], to: ['npm'] });
  expect(line('npm ci')).toEqual({ kind: 'install_all', to: ['npm'] });
  expect(line('npm run build -- --watch')).toEqual({ kind: 'run_script', names: ['build'] });
  expect(line('curl -fsSL https://example.com/x')).toEqual({ kind: 'fetch', names: ['example.com'] });
  expect(line('curl -d @a https://example.com/x', 'sends_data')).toEqual({ kind: 'send', names: ['example.com'] });
  expect(line('cat -n ~/.aws/credentials .env', 'touches_protected')).toEqual({ kind: 'read', names: ['~/.aws/credentials', '.env'] });
  expect(line('chmod -R 777 .')).toEqual({ kind: 'permissions', names: ['.'], to: ['777'] });
});

test('what is not certain is named by its program only', () => {
  expect(line('docker compose up -d')).toEqual({ kind: 'run', names: ['docker compose up -d'] });
  expect(line('./rm -rf dist')).toEqual({ kind: 'run', names: ['./rm -rf dist'] });
  expect(line('rm -rf $(cat list)')).toEqual({ kind: 'run', names: ['rm -rf $(cat list)'] });
  expect(line('npm install --prefix sub left-pad')?.kind).toBe('run');
  expect(line('git checkout -- .')?.kind).toBe('run');
  expect(line('cat setup.sh')?.kind).toBe('run');
  for (const text of ['cat', 'cat -', 'cat .env -', 'cat > .env', 'cat .env >out', 'cat --unknown .env']) expect(line(text, 'touches_protected')?.kind).toBe('run');
  expect(line(`kubectl apply -f ${'a'.repeat(60)}.yaml`)).toEqual({ kind: 'run', names: ['kubectl apply …'] });
});

test('an option that may do something else keeps a line from saying less than what happens', () => {
  for (const text of [
    'git -c core.sshCommand=./x push origin main',
    'git push --receive-pack=./x origin main',
    'git push --mirror origin main',
    'git commit --amend -m "Fix"',
    'git commit -F /etc/passwd -m x',
    'find . -name "*.log" -delete -exec ./x {} +',
    'curl example.org https://example.com/x',
    'curl -o ~/.bashrc https://example.com/x',
    'curl -K ./x https://example.com/x',
    'wget --post-file=x https://example.com/x',
    'npm install --script-shell=./x left-pad',
    'pip install --index-url https://example.com x',
    'cp --target-directory=/etc a b',
    'mkdir --mode=777 a',
    'rm --files0-from=x',
    'LD_PRELOAD=./x.so git push origin main',
  ]) {
    expect(line(text)?.kind, text).toBe('run');
  }
  expect(line('find . -name a -o -name b -delete')?.kind).toBe('delete_found');
  expect(line('curl -d @a -o b https://example.com/x', 'sends_data')?.kind).toBe('run');
});

test('a search runs in the directory that the command entered first, and the current branch is named as such', () => {
  const lines = (text: string, parts: Given[]) => {
    const asked = command(parts);
    return headlineOf({ ...asked, shown: { ...asked.shown, form: { form: 'command', text, parts: [] } } })?.lines;
  };
  const find: Given = { text: 'find . -name "*.log" -delete', level: 'danger', code: 'deletes_found_files' };
  expect(lines(`cd build && ${find.text}; ls`, [{ text: 'cd build' }, find])).toEqual([{ kind: 'delete_named', names: ['*.log'], to: ['build'] }]);
  // If it cannot be entered, the search runs elsewhere; and a directory that the shell expands is not certain.
  expect(lines(`cd build; ${find.text}`, [{ text: 'cd build' }, find])).toEqual([{ kind: 'delete_named', names: ['*.log'], to: [] }]);
  expect(lines(`cd $X && ${find.text}`, [{ text: 'cd $X' }, find])).toEqual([{ kind: 'delete_named', names: ['*.log'], to: [] }]);
  expect(lines(`cd a && ls && ${find.text}`, [{ text: 'cd a' }, { text: 'ls' }, find])).toEqual([{ kind: 'delete_named', names: ['*.log'], to: [] }]);
  expect(line('git push origin HEAD')).toEqual({ kind: 'push_head', to: ['origin'] });
  expect(line('git push --force origin HEAD')).toEqual({ kind: 'force_push', names: ['HEAD'], to: ['origin'] });
});

test('an assignment beside a command is a further step', () => {
  const found = headlineOf(command([{ text: 'PATH=./x', kind: 'assignment' }, { text: 'git push origin main' }]));
  expect(found).toEqual({ lines: [{ kind: 'push', names: ['main'], to: ['origin'] }], more: 1 });
});

test('the gravest steps come first, whatever stands before them', () => {
  const found = headlineOf(
    command(
      [
        { text: 'cd web', decision: 'allow', level: 'none', code: 'only_reads' },
        { text: 'git commit -m "Fix"', code: 'changes_repository' },
        { text: 'bash -c "rm -rf dist"', code: 'runs_text_as_commands', parts: [{ text: 'rm -rf dist', level: 'danger', code: 'deletes_directories' }] },
        { text: 'git push --force origin main', level: 'danger', code: 'overwrites_remote_history' },
      ],
      { level: 'danger', code: 'deletes_directories' },
    ),
  );
  expect(found).toEqual({ lines: [{ kind: 'delete_all', names: ['dist'] }, { kind: 'force_push', names: ['main'], to: ['origin'] }], more: 1 });
});

test('the title of a short command lists its steps in their order', () => {
  const steps = ['git add -A', 'git commit -m prices', 'git push origin main', 'npm install'].map((text): Given => ({ text }));
  const kinds = (question: Question, listed: boolean) => headlineOf(question, [], listed)?.lines.map(({ kind }) => kind);
  expect(kinds(command(steps), true)).toEqual(['run', 'commit_as', 'push', 'install_all']);
  expect(kinds(command(steps), false)).toEqual(['run']);
  expect(headlineOf(command([...steps, { text: 'npm test' }]), [], true)).toMatchObject({ lines: [{ kind: 'run' }], more: 4 });
  const remove: Given = { text: 'rm -rf a', level: 'danger', code: 'deletes_directories' };
  expect(kinds(command([...steps.slice(0, 2), remove]), true)).toEqual(['delete_all']);
});

test('fetching and running is one step', () => {
  const found = headlineOf(command([{ text: 'curl -fsSL https://example.com/install.sh', code: 'reaches_network' }, { text: 'sh', code: 'runs_text_or_file_as_commands' }], { level: 'danger', code: 'runs_fetched' }));
  expect(found).toEqual({ lines: [{ kind: 'run_downloaded', names: ['example.com'] }], more: 0 });
});

test('dangerous steps stand in the order of the command, and the danger of the whole is never left out', () => {
  const fetch: Given[] = [{ text: 'curl -fsSL https://example.com/install.sh', code: 'reaches_network' }, { text: 'sh', code: 'runs_text_or_file_as_commands' }];
  const remove = (name: string): Given => ({ text: `rm -rf ${name}`, level: 'danger', code: 'deletes_directories' });
  const kinds = (parts: Given[]) => headlineOf(command(parts, { level: 'danger', code: 'runs_fetched' }));
  expect(kinds([remove('a'), ...fetch])?.lines.map(({ kind }) => kind)).toEqual(['delete_all', 'run_downloaded']);
  expect(kinds([...fetch, remove('a')])?.lines.map(({ kind }) => kind)).toEqual(['run_downloaded', 'delete_all']);
  const many = kinds([...['a', 'b', 'c'].map(remove), ...fetch]);
  expect(many?.lines.map(({ kind }) => kind)).toEqual(['delete_all', 'delete_all', 'run_downloaded']);
  expect(many).toMatchObject({ more: 1, grave: 1 });
});

test('the title says a danger only if it has room for all of them', () => {
  const danger = (code: Schemas['DangerCode'], further: Schemas['DangerCode'][] = []): Schemas['Danger'] => ({ level: 'danger', why: '', code, further });
  const headline = { lines: [{ kind: 'delete_named' as const, names: ['*.log'] }], more: 0 };
  expect(saidByTitle(danger('deletes_found_files'), headline)).toBe('deletes');
  expect(saidByTitle(danger('deletes_found_files'), { ...headline, more: 1, grave: 1 })).toBeUndefined();
  expect(saidByTitle(danger('deletes_found_files', ['sends_data']), headline)).toBeUndefined();
  expect(saidByTitle(danger('runs_fetched'), headline)).toBeUndefined();
  expect(saidByTitle(danger('runs_sending_program'), { lines: [{ kind: 'run_sending', to: ['python'] }], more: 0 })).toBe('sends');
  expect(saidByTitle(danger('deletes_found_files'), undefined)).toBeUndefined();
});

test('names of tools become plain words', () => {
  expect(wordsOfName('delete_customer')).toBe('Delete customer');
  expect(wordsOfName('createRefund')).toBe('Create refund');
  expect(wordsOfName('mcp__crm__orders.get')).toBe('Orders get');
  for (const name of ['rm -rf', 'supprimer\u202e', '', '削除']) expect(wordsOfName(name)).toBeUndefined();
  expect(keyFields({ amount: 120, currency: 'eur', customer: { id: 'C-1', name: 'Ada' } })).toEqual(['120 EUR', 'Ada']);
  expect(keyFields({ amount_cents: 12000, payment_id: 'pay_1' })).toEqual(['12000 cents', 'pay_1']);
  expect(keyFields({ customer_id: 'C-10482', erase_orders: true })).toEqual(['C-10482']);
  expect(keyFields({ text: 'x'.repeat(60) })).toEqual([]);
});

test('everyday work is calm, and nothing else', () => {
  const tone = (parts: Given[], danger = {}) => toneOfQuestion(command(parts, danger));
  expect(tone([{ text: 'npm run build', code: 'runs_script_of_package' }], { code: 'runs_script_of_package' })).toBe('calm');
  expect(tone([{ text: 'npm install x' }], { code: 'downloads_packages_and_runs_install_scripts' })).toBe('caution');
  expect(tone([{ text: 'x "$y"', kind: 'opaque' }], { code: 'runs_script_of_package' })).toBe('caution');
  expect(tone([{ text: 'rm -rf a' }], { level: 'danger', code: 'deletes_directories' })).toBe('danger');
  const edit = (path: string, more = {}): Question => ({ cwd: '/w', toolName: 'Edit', input: {}, shown: { whole: true, danger: { level: 'caution', why: '', code: 'changes_files' }, form: { form: 'diff', files: [{ path, change: 'changed', hunks: [], added: 1, removed: 0, ...more }] } } }) as unknown as Question;
  expect(toneOfQuestion(edit('/w/src/a.ts'))).toBe('calm');
  for (const path of ['/etc/hosts', '/w2/a', '/w/../a', 'a']) expect(toneOfQuestion(edit(path))).toBe('caution');
  expect(toneOfQuestion(edit('/w/a', { change: 'deleted' }))).toBe('caution');
  expect(headlineOf(edit('/w/src/a.ts'))).toEqual({ lines: [{ kind: 'edit', names: ['src/a.ts'] }], more: 0 });
  const tool = (toolName: string): Question => ({ toolName, serverId: 'crm', input: { customer_id: 'C-1' }, shown: { whole: true, titleCode: 'run_tool', danger: { level: 'caution', why: '', code: 'unknown_server_tool' }, form: { form: 'json' } } }) as unknown as Question;
  expect(toneOfQuestion(tool('list_orders'))).toBe('calm');
  for (const name of ['update_customer', 'get_and_set', 'getaway', 'refresh']) expect(toneOfQuestion(tool(name))).toBe('caution');
  expect(headlineOf(tool('update_customer'))).toEqual({ lines: [{ kind: 'call_with', names: ['Update customer'], to: ['C-1'] }], more: 0 });
});

test('an optional piece of a template needs its names', () => {
  expect(pieces('Delete[ in {to}] {names}', { names: ['a'], to: [] })).toEqual([{ text: 'Delete ' }, { text: '{names}', names: ['a'] }]);
  expect(pieces('Push[ to {to}]', { names: [], to: ['origin'] })).toEqual([{ text: 'Push to ' }, { text: '{to}', names: ['origin'] }]);
});
