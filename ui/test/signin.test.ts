import { describe, expect, test } from 'vitest';
import { parsePasted } from '../src/signin/pastedLink';

const link = `skl_${'0a'.repeat(32)}`;
const origin = 'http://127.0.0.1:8787';

describe('a pasted sign-in link', () => {
  test.each([
    `${origin}/#link=${link}`,
    `  ${origin}/rules?x=1#link=${link}\n`,
    `http://localhost:8787/#link=${link}`,
    `http://[::1]:8787/#link=${link}`,
    `#link=${link}`,
    `link=${link}`,
    link,
  ])('accepts %s', (pasted) => expect(parsePasted(pasted, origin)).toEqual({ kind: 'link', link }));

  test.each([
    '',
    'hello',
    `${origin}/`,
    `${origin}/#link=skl_12`,
    `${origin}/#link=${link}0`,
    `javascript:alert(1)#link=${link}`,
  ])('rejects %j', (pasted) => expect(parsePasted(pasted, origin)).toEqual({ kind: 'wrong' }));

  test.each([`http://127.0.0.1:9999/#link=${link}`, `https://127.0.0.1:8787/#link=${link}`, `https://sekisho.example.com/#link=${link}`])(
    '%s is for another server, which alone may see it',
    (pasted) => expect(parsePasted(pasted, origin)).toEqual({ kind: 'elsewhere', origin: new URL(pasted).origin, url: pasted }),
  );
});
